// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/span_details.h"

#include "widgets/models/tool_tip.h"
#include "widgets/models/words.h"
#include "widgets/theme/fonts.h"
#include "widgets/timeline/span_text.h"

#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QTableWidget>

namespace rankscope::ui {

SpanDetails::SpanDetails(QWidget* parent)
    : QWidget(parent), m_title(new QLabel), m_facts(new QLabel), m_empty(new QLabel), m_arrivals(new QTableWidget),
      m_step(new QPushButton), m_log(new QPushButton), m_copy(new QPushButton), m_content(new QWidget) {
    setObjectName(QStringLiteral("spanDetails"));
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    outer->addWidget(m_empty, 1);
    outer->addWidget(m_content, 1);
    auto* column = new QVBoxLayout(m_content);
    column->setContentsMargins(12, 6, 12, 6);
    column->setSpacing(4);
    auto* heading = new QHBoxLayout;
    m_title->setFont(headingFont());
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    heading->addWidget(m_title, 1);
    for (auto* b : {m_step, m_log, m_copy})
        heading->addWidget(b);
    column->addLayout(heading);
    auto* row = new QHBoxLayout;
    row->setSpacing(16);
    m_facts->setTextFormat(Qt::RichText);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_facts->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_facts->setWordWrap(true);
    auto* scroll = new QScrollArea;
    scroll->setWidget(m_facts);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    row->addWidget(scroll, 2);
    m_arrivals->setShowGrid(false);
    m_arrivals->setTabKeyNavigation(false);
    m_arrivals->setFrameShape(QFrame::NoFrame);
    m_arrivals->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_arrivals->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_arrivals->verticalHeader()->hide();
    m_arrivals->verticalHeader()->setDefaultSectionSize(22);
    m_arrivals->horizontalHeader()->setHighlightSections(false);
    m_arrivals->horizontalHeader()->setStretchLastSection(true);
    row->addWidget(m_arrivals, 2);
    column->addLayout(row, 1);
    connect(m_step, &QPushButton::clicked, this, [this] {
        if (m_pick && m_pick->span.step >= 0)
            emit stepRequested(m_pick->span.step);
    });
    connect(m_log, &QPushButton::clicked, this, [this] {
        if (m_pick)
            emit logRequested(m_pick->rank, m_pick->span.beginNs);
    });
    connect(m_copy, &QPushButton::clicked, this, &SpanDetails::copy);
    auto* key = new QShortcut(QKeySequence::Copy, this);
    key->setContext(Qt::WidgetWithChildrenShortcut);
    connect(key, &QShortcut::activated, this, &SpanDetails::copy);
    retranslate();
}

void SpanDetails::setPick(const std::optional<TimelinePick>& pick) {
    m_pick = pick;
    m_detail.reset();
    fill();
}

void SpanDetails::setDetail(const CollectiveDetail& detail) {
    if (!m_pick || !m_pick->span.collective || m_pick->span.group != detail.group ||
        m_pick->span.sequence != detail.sequence)
        return;
    m_detail = detail;
    fill();
}

QString SpanDetails::asText() const {
    return m_pick ? pickAsText(*m_pick, m_detail ? &*m_detail : nullptr) : QString();
}

void SpanDetails::copy() const {
    if (m_pick)
        QApplication::clipboard()->setText(asText());
}

void SpanDetails::fill() {
    m_empty->setVisible(!m_pick);
    m_content->setVisible(m_pick.has_value());
    if (!m_pick)
        return;
    m_title->setText(pickTitle(*m_pick));
    // in two columns: the pane is low
    const auto facts = pickFacts(*m_pick);
    const qsizetype half = (facts.size() + 1) / 2;
    const auto cells = [&](qsizetype at) {
        return at < facts.size() ? QStringLiteral("<td style='white-space:nowrap'>%1&nbsp;&nbsp;&nbsp;</td><td>%2</td>")
                                       .arg(facts[at].first.toHtmlEscaped(), facts[at].second.toHtmlEscaped())
                                 : QString();
    };
    QString html = QStringLiteral("<table cellspacing=0 cellpadding=1>");
    for (qsizetype i = 0; i < half; ++i)
        html += QStringLiteral("<tr>%1<td>&nbsp;&nbsp;&nbsp;</td>%2</tr>").arg(cells(i), cells(half + i));
    if (m_detail && !m_detail->error.isEmpty())
        html += QStringLiteral("<tr><td colspan=5>%1</td></tr>").arg(m_detail->error.toHtmlEscaped());
    m_facts->setText(html + QStringLiteral("</table>"));
    m_step->setEnabled(m_pick->span.step >= 0);
    const auto rows = m_detail ? arrivalRows(*m_detail) : QList<QStringList>();
    m_arrivals->setVisible(!rows.isEmpty());
    const QStringList header = arrivalHeader();
    m_arrivals->clear();
    m_arrivals->setColumnCount(static_cast<int>(header.size()));
    m_arrivals->setHorizontalHeaderLabels(header);
    m_arrivals->setRowCount(static_cast<int>(rows.size()));
    for (int r = 0; r < rows.size(); ++r)
        for (int c = 0; c < header.size(); ++c) {
            auto* item = new QTableWidgetItem(rows[r][c]);
            item->setToolTip(plainToolTip(rows[r][c]));
            if (c > 0 && c + 1 < header.size())
                item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            m_arrivals->setItem(r, c, item);
        }
    if (!rows.isEmpty())
        m_arrivals->resizeColumnsToContents();
}

void SpanDetails::retranslate() {
    m_empty->setText(tr("Click a span, or press Enter on the lanes, for its details."));
    m_step->setText(tr("Show step in Review"));
    m_log->setText(tr("Log of the rank"));
    m_copy->setText(tr("Copy"));
    m_copy->setToolTip(tr("Copy as text (Ctrl+C)"));
    m_arrivals->setAccessibleName(tr("Who arrived when"));
    fill();
}

void SpanDetails::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    QWidget::changeEvent(event);
}

} // namespace rankscope::ui
