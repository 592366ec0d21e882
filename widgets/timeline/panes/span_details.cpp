// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/panes/span_details.h"

#include "widgets/controls/box_layout.h"
#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/controls/files/manifest_file.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/view/span_text.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QTableWidget>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

static constexpr int kFactsWidth = 290; ///< width of a group of facts
static constexpr char kOpenLink[] = "open", kFolderLink[] = "folder";

SpanDetails::SpanDetails(QWidget* parent)
    : QWidget(parent), m_title(new QLabel), m_facts(new QLabel), m_empty(new QLabel), m_arrivals(new QTableWidget),
      m_stats(new QPushButton), m_step(new QPushButton), m_log(new QPushButton), m_copy(new QPushButton),
      m_content(new QWidget) {
    setObjectName(QStringLiteral("spanDetails"));
    setLayout(columnOf({{m_empty, 1}, {m_content, 1}}, -1));
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_title->setFont(headingFont());
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_facts->setTextFormat(Qt::RichText);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse |
                                     Qt::LinksAccessibleByKeyboard);
    m_facts->setObjectName(QStringLiteral("spanFacts"));
    m_facts->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_facts->setWordWrap(true);
    auto* scroll = new QScrollArea;
    scroll->setWidget(m_facts);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_arrivals->setShowGrid(false);
    m_arrivals->setTabKeyNavigation(false);
    m_arrivals->setFrameShape(QFrame::NoFrame);
    m_arrivals->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_arrivals->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_arrivals->verticalHeader()->hide();
    m_arrivals->verticalHeader()->setDefaultSectionSize(22);
    m_arrivals->horizontalHeader()->setHighlightSections(false);
    m_arrivals->horizontalHeader()->setStretchLastSection(true);
    auto* heading = rowOf({{m_title, 1}, m_stats, m_step, m_log, m_copy});
    auto* parts = rowOf({{scroll, 3}, {m_arrivals, 2}}, 16);
    m_content->setLayout(columnOf({heading, {parts, 1}}, 4, {12, 6, 12, 6}));
    connect(m_facts, &QLabel::linkActivated, this, &SpanDetails::follow);
    connect(m_stats, &QPushButton::clicked, this, &SpanDetails::statsRequested);
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
    onLanguageChange(this, [this] { retranslate(); });
}

void SpanDetails::setPick(const std::optional<TimelinePick>& pick, const QString& file) {
    m_pick = pick;
    m_file = file;
    m_detail.reset();
    fill();
}

void SpanDetails::setDetail(const SpanDetail& detail) {
    if (!m_pick || m_pick->rank != detail.rank || m_pick->span.beginNs != detail.span.beginNs ||
        m_pick->span.endNs != detail.span.endNs || m_pick->span.collective != detail.span.collective)
        return;
    m_detail = detail;
    fill();
}

std::optional<TimelineSpan> SpanDetails::cause() const {
    return m_pick && m_detail ? m_detail->cause : std::nullopt;
}

void SpanDetails::follow(const QString& link) {
    if (link == QLatin1String(kCauseLink))
        emit causeRequested();
    else if (link == QLatin1String(kFolderLink) || (link == QLatin1String(kOpenLink) && isAudioFile(m_file)))
        emit fileRequested(m_file, link == QLatin1String(kFolderLink));
}

QString SpanDetails::asText() const {
    return m_pick ? pickAsText(*m_pick, m_detail ? &*m_detail : nullptr) : QString();
}

void SpanDetails::copy() const {
    if (m_pick)
        copyText(asText(), m_copy);
}

void SpanDetails::fill() {
    m_empty->setVisible(!m_pick);
    m_content->setVisible(m_pick.has_value());
    if (!m_pick)
        return;
    const QString title = pickTitle(*m_pick);
    m_title->setText(title);
    m_title->setToolTip(plainToolTip(title));
    m_step->setEnabled(m_pick->span.step >= 0);
    const bool ofKind = m_pick->kind == TimelinePick::PickKind::Span;
    m_stats->setText(ofKind ? tr("Statistics of all spans of this kind") : tr("Statistics of this part"));
    m_stats->setToolTip(ofKind ? tr("Count, sum, mean, p50, p95, max and share of all spans of this kind")
                               : tr("Selects its time and adds up its phases and waits"));
    m_stats->setVisible(m_pick->kind != TimelinePick::PickKind::Column);
    fillArrivals();
    fillFacts();
}

/// Returns how many columns of facts fit next to the arrivals, if there are any.
int SpanDetails::columnsThatFit() const {
    return std::max(width() * (m_arrivals->isHidden() ? 5 : 3) / 5 / kFactsWidth, 1);
}

/// Places the groups next to each other as far as there is room.
void SpanDetails::fillFacts() {
    QStringList groups;
    const auto linked = [](const QString& link, const QString& text) {
        return QStringLiteral("<a href='%1'>%2</a>").arg(link, text.toHtmlEscaped());
    };
    const auto group = [&](const QString& heading, const QList<std::pair<QString, QString>>& rows) {
        QString html = QStringLiteral("<table cellspacing=0 cellpadding=1><tr><td colspan=2><b>%1</b></td></tr>")
                           .arg(heading.toHtmlEscaped());
        for (const auto& [name, value] : rows)
            html += QStringLiteral("<tr><td style='white-space:nowrap'>%1&nbsp;&nbsp;&nbsp;</td><td>%2</td></tr>")
                        .arg(name.toHtmlEscaped(), value);
        groups << html + QStringLiteral("</table>");
    };
    for (const SpanFacts& facts : pickFacts(*m_pick, m_detail ? &*m_detail : nullptr)) {
        QList<std::pair<QString, QString>> rows;
        for (const SpanFact& fact : facts.facts)
            rows << std::pair(fact.name,
                              fact.link.isEmpty() ? fact.value.toHtmlEscaped() : linked(fact.link, fact.value));
        group(facts.title, rows);
    }
    if (!m_file.isEmpty()) {
        QString links = linked(QString::fromLatin1(kFolderLink), tr("Show in folder"));
        if (isAudioFile(m_file))
            links = linked(QString::fromLatin1(kOpenLink), tr("Open")) + QStringLiteral("&nbsp;&nbsp; ") + links;
        group(tr("File being read"), {std::pair(tr("Name"), m_file.section(u'/', -1).toHtmlEscaped()),
                                      std::pair(tr("Path"), m_file.toHtmlEscaped()), std::pair(QString(), links)});
    }
    if (m_detail && !m_detail->error.isEmpty())
        groups << m_detail->error.toHtmlEscaped();
    m_columns = columnsThatFit();
    QString html = QStringLiteral("<table cellspacing=0 cellpadding=0>");
    for (qsizetype i = 0; i < groups.size(); ++i) {
        html += i % m_columns == 0 ? QStringLiteral("<tr>") : QString();
        html += QStringLiteral("<td style='padding-right:28px; padding-bottom:6px'>%1</td>").arg(groups[i]);
        html += i % m_columns == m_columns - 1 || i + 1 == groups.size() ? QStringLiteral("</tr>") : QString();
    }
    m_facts->setText(html + QStringLiteral("</table>"));
}

void SpanDetails::fillArrivals() {
    const auto rows = m_detail ? arrivalRows(m_detail->collective) : QList<QStringList>();
    m_arrivals->setVisible(!rows.isEmpty());
    const QStringList header = arrivalHeader();
    m_arrivals->clear();
    m_arrivals->setColumnCount(static_cast<int>(header.size()));
    m_arrivals->setHorizontalHeaderLabels(header);
    m_arrivals->setRowCount(static_cast<int>(rows.size()));
    for (int c = 0; c < header.size(); ++c)
        m_arrivals->horizontalHeaderItem(c)->setToolTip(plainToolTip(header[c]));
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

void SpanDetails::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (m_pick && columnsThatFit() != m_columns)
        fillFacts();
}

void SpanDetails::retranslate() {
    m_empty->setText(tr("Click a span, or press Enter on the lanes, for its details."));
    m_step->setText(tr("Show step in Review"));
    m_log->setText(tr("This rank's log"));
    m_copy->setText(tr("Copy"));
    m_copy->setToolTip(tr("Copy as text (Ctrl+C)"));
    m_arrivals->setAccessibleName(tr("Who arrived when"));
    fill();
}

} // namespace rankscope::ui
