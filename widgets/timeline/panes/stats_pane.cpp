// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/panes/stats_pane.h"

#include "widgets/controls/box_layout.h"
#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/controls/one_line_label.h"
#include "widgets/controls/plain_table.h"
#include "widgets/models/tables/stats_model.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/geometry/timeline_geometry.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace rankscope::ui {

namespace {
constexpr int kPatienceMs = 300;
enum StatsChoice { AllKinds, PhasesOnly, WaitsOnly, FirstKind };
} // namespace

StatsPane::StatsPane(QWidget* parent)
    : QWidget(parent), m_model(new StatsModel(this)), m_table(new QTableView), m_range(new OneLineLabel),
      m_note(new QLabel), m_kind(new QComboBox), m_group(new QComboBox), m_copy(new QToolButton),
      m_progress(new QProgressBar), m_cancel(new QPushButton), m_again(new QPushButton) {
    setObjectName(QStringLiteral("statsPane"));
    build();
    connect(m_kind, &QComboBox::activated, this, [this](int choice) {
        m_only.reset();
        if (choice >= FirstKind)
            m_only = m_kind->currentData().value<StatsRow>();
        updateRows();
    });
    connect(m_group, &QComboBox::activated, this, &StatsPane::updateRows);
    connect(m_copy, &QToolButton::clicked, this, &StatsPane::copy);
    connect(m_cancel, &QPushButton::clicked, this, &StatsPane::cancel);
    connect(m_again, &QPushButton::clicked, this, [this] { start(0); });
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) { activate(index.row()); });
    m_patience.setSingleShot(true);
    connect(&m_patience, &QTimer::timeout, this, [this] {
        m_progress->show();
        m_cancel->show();
    });
    auto* key = new QShortcut(QKeySequence::Copy, this);
    key->setContext(Qt::WidgetWithChildrenShortcut);
    connect(key, &QShortcut::activated, this, &StatsPane::copy);
    setBusy(false);
    updateChoices();
    updateText();
    onLanguageChange(this, [this] {
        m_model->retranslate();
        updateChoices();
        updateText();
    });
}

QWidget* StatsPane::makeBar() {
    auto* bar = new QWidget;
    m_range->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_range->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_range->setObjectName(QStringLiteral("statsRange"));
    m_progress->setRange(0, 100);
    m_progress->setTextVisible(false);
    m_progress->setFixedSize(120, 8);
    for (auto* box : {m_kind, m_group})
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_copy->setAutoRaise(true);
    m_copy->setFocusPolicy(Qt::TabFocus);
    m_copy->setIcon(Theme::instance().icon(QStringLiteral("copy")));
    bar->setLayout(rowOf({{m_range, 1}, m_progress, m_cancel, m_again, m_kind, m_group, m_copy}, 8));
    return bar;
}

void StatsPane::build() {
    constexpr int widths[] = {210, 72, 76, 84, 84, 84, 84, 84, 76};
    setUpPlainTable(m_table, m_model, StatsModel::SortRole, widths);
    m_table->setObjectName(QStringLiteral("statsTable"));
    m_table->sortByColumn(StatsModel::SumColumn, Qt::DescendingOrder);
    m_table->horizontalHeader()->setMinimumSectionSize(48);
    m_note->setWordWrap(true);
    m_note->setFont(secondaryFont());
    m_note->setForegroundRole(QPalette::PlaceholderText);
    m_note->setObjectName(QStringLiteral("statsNote"));
    setLayout(columnOf({makeBar(), {m_table, 1}, m_note}, 4, {12, 6, 12, 6}));
}

void StatsPane::setRequest(const StatsRequest& request, StatsScope part, bool mayWait) {
    const bool samePart = m_part == part, same = m_wanted == request && samePart;
    m_part = part;
    m_wanted = request;
    if (mayWait && m_cancelled)
        return;
    if (same && (m_cancelled || m_task.isBusy() || (m_shown && !mayWait)))
        return updateText();
    m_cancelled = false;
    m_quiet = mayWait && m_shown && samePart;
    if (isVisible() && !(mayWait && m_task.isBusy()))
        start(120);
    updateText();
}

void StatsPane::start(int delayMs) {
    if (!m_wanted)
        return;
    m_cancelled = false;
    setBusy(true);
    m_task.ask(
        [this, request = *m_wanted](const BackgroundTask::IsOld& isOld) {
            return loadStats(request, isOld, [this, isOld](double share) {
                m_task.tell(isOld, [this, share] { m_progress->setValue(qRound(100 * share)); });
            });
        },
        [this](const TimelineStatsPtr& stats) { take(stats); }, delayMs);
    updateText();
}

void StatsPane::setBusy(bool on) {
    if (on && !m_patience.isActive() && m_progress->isHidden())
        m_patience.start(kPatienceMs);
    if (!on) {
        m_patience.stop();
        m_progress->hide();
        m_cancel->hide();
    }
    m_progress->setValue(0);
    m_again->setVisible(m_cancelled);
}

void StatsPane::cancel() {
    if (!m_task.isBusy())
        return;
    m_task.cancel();
    m_cancelled = true;
    setBusy(false);
    updateText();
}

void StatsPane::clear() {
    m_task.cancel();
    m_wanted.reset();
    m_shown.reset();
    m_only.reset();
    m_cancelled = false;
    m_model->setRows({});
    setBusy(false);
    updateChoices();
    updateText();
}

bool StatsPane::isComplete() const {
    return isHidden() || !m_task.isBusy();
}

void StatsPane::take(const TimelineStatsPtr& stats) {
    m_shown = stats;
    setBusy(false);
    updateChoices();
    updateRows();
    if (m_wanted && *m_wanted != stats->request && isVisible())
        start(0);
}

void StatsPane::showOnly(const StatsRow& kind) {
    m_only = kind;
    updateChoices();
    updateRows();
}

void StatsPane::showAll() {
    m_only.reset();
    m_kind->setCurrentIndex(AllKinds);
    updateRows();
}

/// Offers the kinds that occur; the chosen one stays even if it no longer occurs.
void StatsPane::updateChoices() {
    const QSignalBlocker kindBlock(m_kind), groupBlock(m_group);
    const int kept = std::clamp(m_kind->currentIndex(), 0, static_cast<int>(FirstKind) - 1);
    m_kind->clear();
    m_kind->addItems({tr("Phases and waits"), tr("Phases"), tr("Waits")});
    std::vector<StatsRow> kinds;
    if (m_shown)
        for (const StatsRow& row : m_shown->rows)
            if (row.rank == StatsRow::kAllRanks)
                kinds.push_back(row);
    const auto isOnly = [&](const StatsRow& row) { return m_only && row.sameKind(*m_only); };
    if (m_only && std::none_of(kinds.begin(), kinds.end(), isOnly))
        kinds.push_back(*m_only);
    int chosen = m_only ? FirstKind : kept;
    for (const StatsRow& row : kinds) {
        if (isOnly(row))
            chosen = m_kind->count();
        m_kind->addItem(statsKindText(row), QVariant::fromValue(row));
    }
    m_kind->setCurrentIndex(chosen);
    const int group = std::max(m_group->currentIndex(), 0);
    m_group->clear();
    m_group->addItems({tr("Each rank"), tr("All ranks together")});
    m_group->setCurrentIndex(group);
    m_group->setVisible(!m_shown || m_shown->ranks > 1);
}

void StatsPane::updateRows() {
    std::vector<StatsRow> rows;
    const bool together = m_group->currentIndex() == 1;
    const int choice = m_kind->currentIndex();
    if (m_shown)
        for (const StatsRow& row : m_shown->rows) {
            const bool wanted = m_only                 ? row.sameKind(*m_only)
                                : choice == PhasesOnly ? !row.wait
                                : choice == WaitsOnly  ? row.wait
                                                       : true;
            if (wanted && (row.rank == StatsRow::kAllRanks) == together)
                rows.push_back(row);
        }
    m_model->setRows(std::move(rows));
    updateText();
}

void StatsPane::activate(int viewRow) {
    const auto* sorted = static_cast<const QSortFilterProxyModel*>(m_table->model());
    const QModelIndex index = sorted->mapToSource(sorted->index(viewRow, 0));
    if (!index.isValid())
        return;
    const StatsRow& row = m_model->at(index.row());
    if (row.longestRank >= 0)
        emit spanRequested(row.longestRank, row.longest, toQString(row.longestTag));
}

void StatsPane::updateText() {
    m_table->setAccessibleName(tr("Statistics"));
    m_kind->setAccessibleName(tr("Which phases and waits"));
    m_group->setAccessibleName(tr("How ranks are counted"));
    m_copy->setToolTip(tr("Copy as CSV: the selected rows, or all (Ctrl+C)"));
    m_copy->setAccessibleName(m_copy->toolTip());
    m_copy->setEnabled(m_model->rowCount() > 0);
    m_cancel->setText(tr("Cancel"));
    m_again->setText(tr("Compute"));
    m_progress->setAccessibleName(tr("Adding up"));
    QString range;
    const auto told = m_quiet && m_shown ? std::optional(m_shown->request) : m_wanted;
    if (told) {
        const double lo = static_cast<double>(told->fromNs), hi = static_cast<double>(told->toNs);
        const double digits = std::max((hi - lo) / 100, 1e3);
        const QString part = m_part == StatsScope::Selection  ? tr("Selected: %1")
                             : m_part == StatsScope::WholeRun ? tr("Whole run: %1")
                                                              : tr("In view: %1");
        range =
            part.arg(QStringLiteral("%1 – %2 (%3)")
                         .arg(momentText(lo, digits), momentText(hi, digits), durationText(told->toNs - told->fromNs)));
    }
    const bool fresh = m_shown && told && m_shown->request == *told;
    if (m_cancelled)
        range += QStringLiteral(" • ") + tr("cancelled");
    else if (m_wanted && !fresh)
        range += QStringLiteral(" • ") + tr("adding up…");
    else if (fresh && m_shown->error.isEmpty())
        range += QStringLiteral(" • ") +
                 (m_shown->steps == 1 ? tr("1 step") : tr("%1 steps").arg(countText(m_shown->steps)));
    m_range->setFullText(range);
    QStringList notes;
    if (fresh && !m_shown->error.isEmpty())
        notes << m_shown->error;
    else if (fresh && m_shown->rows.empty())
        notes << tr("No phases or waits are recorded in this range.");
    if (fresh && m_shown->summedSteps > 0)
        notes << tr("Individual spans of %1 steps are no longer kept: each of these steps counts once, with its sum.")
                     .arg(countText(m_shown->summedSteps));
    m_note->setText(notes.join(u' '));
    m_note->setVisible(!notes.isEmpty());
}

QString StatsPane::asCsv() const {
    const auto* sorted = static_cast<const QSortFilterProxyModel*>(m_table->model());
    const auto* selection = m_table->selectionModel();
    QString text = StatsModel::csvHeader();
    for (int r = 0; r < sorted->rowCount(); ++r)
        if (!selection->hasSelection() || selection->isRowSelected(r, {}))
            text += m_model->csvLine(sorted->mapToSource(sorted->index(r, 0)).row());
    return text;
}

void StatsPane::copy() const {
    if (m_model->rowCount() > 0)
        copyText(asCsv(), m_copy);
}

void StatsPane::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_wanted && !m_cancelled && !(m_shown && m_shown->request == *m_wanted))
        start(0);
}

void StatsPane::hideEvent(QHideEvent* event) {
    m_task.cancel();
    setBusy(false);
    QWidget::hideEvent(event);
}

} // namespace rankscope::ui
