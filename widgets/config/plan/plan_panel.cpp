// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/plan/plan_panel.h"

#include "widgets/config/labels/severity_marks.h"
#include "widgets/config/plan/plan_request.h"
#include "widgets/config/plan/plan_text.h"
#include "widgets/config/plan/speed_measurement.h"
#include "widgets/controls/box_layout.h"
#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <QTextOption>
#include <QToolButton>
#include <QTreeWidget>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

static constexpr int kWraps = Qt::UserRole + 1; ///< the text spans both columns and wraps

namespace {

class PlanDelegate final : public QStyledItemDelegate {
public:
    explicit PlanDelegate(QTreeWidget* list) : QStyledItemDelegate(list), m_list(list) {}

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QSize usual = QStyledItemDelegate::sizeHint(option, index) + QSize(index.column() == 0 ? kIndent : 0, 3);
        if (!index.data(kWraps).toBool())
            return usual;
        QStyleOptionViewItem in(option);
        initStyleOption(&in, index); // its font
        QTextLayout text(index.data().toString(), in.font);
        const int height = breakLines(text, m_list->viewport()->width() - kLeft - kRight);
        return {10, std::max(usual.height(), height + 6)}; // it spans both columns, so it must widen neither
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyleOptionViewItem in(option);
        if (!index.data(kWraps).toBool()) {
            // aligned with the section names and the other tabs' text
            in.rect.adjust(index.column() == 0 ? kIndent : 0, 0, 0, 0);
            return QStyledItemDelegate::paint(painter, in, index);
        }
        initStyleOption(&in, index);
        const QRect r = in.rect.adjusted(kLeft, 3, -kRight, -3);
        index.data(Qt::DecorationRole).value<QIcon>().paint(painter, QRect(kIndent + 6, r.top(), 16, 16));
        painter->save();
        painter->setPen(in.palette.color(QPalette::Text));
        QTextLayout text(index.data().toString(), in.font);
        breakLines(text, r.width());
        text.draw(painter, r.topLeft());
        painter->restore();
    }

private:
    static constexpr int kIndent = 6, kLeft = 34, kRight = 8;

    /// Breaks the text between words, and within those that are wider than the row; returns the height of all lines.
    static int breakLines(QTextLayout& text, int width) {
        QTextOption wrapped;
        wrapped.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
        text.setTextOption(wrapped);
        text.beginLayout();
        qreal height = 0;
        for (QTextLine line = text.createLine(); line.isValid(); line = text.createLine()) {
            line.setLineWidth(std::max(1, width));
            line.setPosition(QPointF(0, height));
            height += line.height();
        }
        text.endLayout();
        return static_cast<int>(std::ceil(height));
    }

    QTreeWidget* m_list;
};

} // namespace

/// Lets the text span both columns of the list, on as many lines as it needs.
static void wrapInRow(QTreeWidgetItem* item, const QString& text) {
    item->setText(0, text);
    item->setText(1, {});
    item->setFirstColumnSpanned(true);
    item->setData(0, kWraps, true);
}

DryRunPanel::DryRunPanel(PlanRequest* run, QWidget* parent)
    : QWidget(parent), m_run(run), m_state(new QLabel(this)), m_list(new QTreeWidget(this)) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_state->setObjectName(QStringLiteral("state"));
    m_state->setFont(secondaryFont());
    m_state->setTextFormat(Qt::PlainText);
    m_state->setWordWrap(true);
    m_state->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_state->setContentsMargins(12, 8, 12, 8);
    m_state->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_list->setColumnCount(2);
    m_list->setHeaderHidden(true);
    m_list->setRootIsDecorated(false);
    m_list->setIndentation(0);
    m_list->setItemDelegate(new PlanDelegate(m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setFont(secondaryFont());
    m_list->setSelectionMode(QAbstractItemView::NoSelection);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_list->header()->setStretchLastSection(true);
    setLayout(columnOf({m_state, {m_list, 1}}));
    connect(m_list->header(), &QHeaderView::geometriesChanged, m_list, &QTreeWidget::doItemsLayout);
    connect(m_run, &PlanRequest::changed, this, &DryRunPanel::show);
    connect(m_run->measurement(), &Measurement::progressed, this, &DryRunPanel::showProgress);
    connect(&Theme::instance(), &Theme::changed, this, &DryRunPanel::show);
    onLanguageChange(this, [this] { show(); });
    show();
}

QWidget* DryRunPanel::copyButton(const PlanLine& line) {
    auto* place = new QWidget(m_list);
    auto* button = new QToolButton(place);
    place->setLayout(rowOf({button, kSpareRoom}, -1, {6, 0, 0, 0}));
    button->setIcon(Theme::instance().icon(QStringLiteral("copy")));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setToolTip(plainToolTip(tr("Copy %1").arg(line.label)));
    button->setAccessibleName(tr("Copy %1").arg(line.label));
    button->setObjectName(QStringLiteral("copy-") + line.label);
    connect(button, &QToolButton::clicked, this, [command = line.value, button] { copyText(command, button); });
    return place;
}

/// Returns a row with the figure and, next to it, the button that measures it or cancels the measurement.
QWidget* DryRunPanel::measureRow(const PlanLine& line) {
    Measurement* measurement = m_run->measurement();
    auto* place = new QWidget(m_list);
    m_measured = new QLabel(line.value, place);
    m_measured->setFont(secondaryFont());
    m_measured->setTextFormat(Qt::PlainText);
    m_measured->setToolTip(plainToolTip(line.detail));
    auto* button = new QToolButton(place);
    button->setFont(secondaryFont());
    button->setFocusPolicy(Qt::TabFocus);
    button->setObjectName(QStringLiteral("measure"));
    place->setLayout(rowOf({m_measured.data(), button, kSpareRoom}, -1, {6, 0, 4, 0}));
    if (measurement->isRunning()) {
        button->setText(tr("Cancel"));
        button->setToolTip(plainToolTip(tr("Stop the measurement and remove what it wrote")));
        connect(button, &QToolButton::clicked, measurement, &Measurement::cancel);
        connect(button, &QToolButton::clicked, this, &DryRunPanel::show, Qt::QueuedConnection);
    } else {
        button->setText(tr("Measure"));
        button->setToolTip(plainToolTip(
            tr("Runs %n training step(s) on all ranks now, without validation or checkpoints, and estimates from the "
               "measured time. This uses the GPUs or cores of this machine; nothing is added to your runs.",
               nullptr, Measurement::kSteps)));
        connect(button, &QToolButton::clicked, m_run, &PlanRequest::measure, Qt::QueuedConnection);
    }
    showProgress();
    return place;
}

/// Updates the progress in place: called many times a second, so the list must not be rebuilt.
void DryRunPanel::showProgress() {
    const Measurement* measurement = m_run->measurement();
    if (!m_measured || !measurement->isRunning())
        return;
    m_measured->setText(measurement->of() > 0
                            ? tr("measuring, step %1 of %2").arg(measurement->step()).arg(measurement->of())
                            : tr("measuring, starting the ranks…"));
}

void DryRunPanel::addLine(const PlanLine& line) {
    using Kind = PlanLine::PlanLineKind;
    auto* item = new QTreeWidgetItem(m_list, {line.label, line.value});
    if (line.kind == Kind::Section) {
        item->setFont(0, headingFont());
        item->setFirstColumnSpanned(true);
    } else if (line.kind == Kind::Problem) {
        wrapInRow(item, line.value);
        item->setIcon(0, markPixmap(line.severity));
    } else {
        item->setForeground(0, Theme::instance().palette().secondary);
    }
    if (line.kind == Kind::Measured) {
        item->setText(1, {});
        m_list->setItemWidget(item, 1, measureRow(line));
    }
    if (line.kind == Kind::Command) {
        item->setText(1, {});
        m_list->setItemWidget(item, 1, copyButton(line));
        auto* command = new QTreeWidgetItem(m_list);
        wrapInRow(command, line.value);
        command->setFont(0, monoFont(9));
    }
    if (!line.detail.isEmpty())
        for (int column : {0, 1})
            item->setToolTip(column, plainToolTip(line.detail));
}

void DryRunPanel::show() {
    const Palette& p = Theme::instance().palette();
    switch (m_run->state()) {
    case PlanRequest::PlanState::None:
        m_state->setText(tr("Fix the errors to see what a launch would do."));
        break;
    case PlanRequest::PlanState::Working:
        m_state->setText(tr("Planning the launch…"));
        break;
    case PlanRequest::PlanState::Failed:
        m_state->setText(messageText(m_run->problem()));
        break;
    case PlanRequest::PlanState::Ready:
        m_state->clear();
        break;
    }
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, m_run->state() == PlanRequest::PlanState::Failed ? p.dead : p.secondary);
    m_state->setPalette(colours);
    const bool ready = m_run->state() == PlanRequest::PlanState::Ready;
    m_state->setVisible(!ready);
    m_list->setVisible(ready);
    // the same plan may only have been measured or translated, so the scroll position is kept
    const int at = m_list->verticalScrollBar()->value();
    m_list->clear();
    for (const PlanLine& line : planLines(*m_run))
        addLine(line);
    m_list->doItemsLayout();
    m_list->verticalScrollBar()->setValue(at);
}

} // namespace rankscope::ui
