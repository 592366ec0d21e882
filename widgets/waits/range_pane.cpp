// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/waits/range_pane.h"

#include "widgets/controls/box_layout.h"
#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/controls/one_line_label.h"
#include "widgets/controls/plain_table.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QHeaderView>
#include <QShortcut>
#include <QTableView>
#include <QToolButton>

#include <cmath>

namespace rankscope::ui {

static constexpr int kBrushPauseMs = 200; ///< after which a brushed range is read

RangePane::RangePane(QWidget* parent)
    : QWidget(parent), m_model(new RangeModel(this)), m_range(new OneLineLabel), m_summary(new OneLineLabel),
      m_table(new QTableView), m_copy(new QToolButton) {
    setObjectName(QStringLiteral("rangePane"));
    build();
    connect(m_copy, &QToolButton::clicked, this, &RangePane::copy);
    auto* key = new QShortcut(QKeySequence::Copy, m_table);
    key->setContext(Qt::WidgetShortcut);
    connect(key, &QShortcut::activated, this, &RangePane::copy);
    updateText();
    onLanguageChange(this, [this] {
        m_model->retranslate();
        updateText();
    });
}

void RangePane::build() {
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    m_range->setFont(bold);
    m_range->setObjectName(QStringLiteral("rangeSteps"));
    m_summary->setObjectName(QStringLiteral("rangeSummary"));
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_copy->setAutoRaise(true);
    m_copy->setFocusPolicy(Qt::TabFocus);
    m_copy->setIcon(Theme::instance().icon(QStringLiteral("copy")));
    constexpr int widths[] = {64, 64, 84, 100, 96, 84, 72, 76, 80, 92, 128, 76, 80};
    setUpPlainTable(m_table, m_model, RangeModel::SortRole, widths);
    m_table->setObjectName(QStringLiteral("rangeTable"));
    m_table->sortByColumn(RangeModel::RankColumn, Qt::AscendingOrder);
    setLayout(columnOf({rowOf({m_range, {m_summary, 1}, m_copy}, 12), {m_table, 1}}, 4, {12, 6, 12, 6}));
    setMinimumHeight(110);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
}

/// Returns whether `next` is what a view shows that follows a live run: the same as `before`, or later.
static bool goesOn(const WaitsRequest& before, const WaitsRequest& next) {
    return !next.selected && !before.selected && before.store == next.store && before.byTime == next.byTime &&
           next.from >= before.from && next.to >= before.to;
}

void RangePane::setRequest(const WaitsRequest& request) {
    m_wanted = request;
    if (isVisible() && !(m_task.isBusy() && (request == m_reading || goesOn(m_reading, request))))
        load(kBrushPauseMs);
}

void RangePane::load(int delayMs) {
    m_reading = *m_wanted;
    m_task.ask([request = m_reading](const auto& isOld) { return readRange(request, isOld); },
               [this](const RangeReplyPtr& reply) { take(reply); }, delayMs);
}

void RangePane::take(const RangeReplyPtr& reply) {
    m_shown = reply;
    m_model->setFigures(reply->figures);
    updateText();
    if (m_wanted && *m_wanted != reply->request)
        load(kBrushPauseMs);
}

void RangePane::clear() {
    m_task.cancel();
    m_wanted.reset();
    m_shown.reset();
    m_model->setFigures({});
    updateText();
}

bool RangePane::isComplete() const {
    return isHidden() || !m_task.isBusy();
}

QString RangePane::summary() const {
    if (!m_shown)
        return m_wanted ? tr("Adding up the steps…") : tr("There are no steps yet.");
    if (!m_shown->error.isEmpty())
        return m_shown->error;
    const auto& figures = m_shown->figures;
    if (figures.waits.steps.count() == 0)
        return tr("There are no steps in this range.");
    QStringList parts;
    if (figures.waits.worldSize > 1) {
        const auto lostNs = static_cast<std::int64_t>(std::llround(figures.waits.lostNs()));
        const auto lastedNs = figures.waits.lastedNs();
        const double share = lastedNs > 0 ? 100 * figures.waits.lostNs() / static_cast<double>(lastedNs) : 0;
        parts << tr("%1 of %2 lost to waiting (%3 %), mean over the ranks")
                     .arg(durationText(lostNs), durationText(lastedNs), QString::number(share, 'f', 1));
    }
    parts << (figures.incidents == 1 ? tr("1 incident") : tr("%1 incidents").arg(countText(figures.incidents)));
    if (const QString estimate = estimateSentence(figures.waits); !estimate.isEmpty())
        parts << estimate;
    return parts.join(QStringLiteral(" • "));
}

void RangePane::updateText() {
    m_table->setAccessibleName(tr("Statistics of the range, by rank"));
    m_copy->setToolTip(tr("Copy the statistics as a table (Ctrl+C)"));
    m_copy->setAccessibleName(m_copy->toolTip());
    m_copy->setEnabled(m_model->rowCount() > 0);
    m_range->setFullText(m_shown ? rangeSentence(m_shown->figures.waits, m_shown->request.selected) : QString());
    m_summary->setFullText(summary());
}

QString RangePane::asText() const {
    return QStringLiteral("%1\n%2\n\n").arg(m_range->fullText(), m_summary->fullText()) +
           tableAsText(*m_table->model());
}

void RangePane::copy() const {
    copyText(asText(), m_copy);
}

void RangePane::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_wanted && (!m_shown || m_shown->request != *m_wanted))
        load(0);
}

void RangePane::hideEvent(QHideEvent* event) {
    m_task.cancel();
    QWidget::hideEvent(event);
}

} // namespace rankscope::ui
