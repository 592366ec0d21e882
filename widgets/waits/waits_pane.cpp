// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/waits/waits_pane.h"

#include "widgets/controls/box_layout.h"
#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/controls/one_line_label.h"
#include "widgets/controls/plain_table.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/waits/wait_model.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"
#include "widgets/waits/wait_heat_map.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace rankscope::ui {

static constexpr int kMostSentences = 12;
static constexpr qint64 kOpenPeriodMs = 500; ///< how often ongoing waits are updated

WaitsPane::WaitsPane(QWidget* parent)
    : QWidget(parent), m_model(new WaitModel(this)), m_range(new OneLineLabel), m_sentence(new QLabel),
      m_table(new QTableView), m_map(new WaitHeatMap), m_views(new QStackedWidget), m_asTable(new QToolButton),
      m_asMatrix(new QToolButton), m_copy(new QToolButton), m_phase(new QComboBox), m_tag(new QComboBox) {
    setObjectName(QStringLiteral("waitsPane"));
    build();
    connect(m_asTable, &QToolButton::clicked, this, [this] { setMatrixShown(false); });
    connect(m_asMatrix, &QToolButton::clicked, this, [this] { setMatrixShown(true); });
    connect(m_copy, &QToolButton::clicked, this, &WaitsPane::copy);
    connect(m_phase, &QComboBox::currentIndexChanged, this, &WaitsPane::applyFilter);
    connect(m_tag, &QComboBox::currentIndexChanged, this, &WaitsPane::applyFilter);
    auto* key = new QShortcut(QKeySequence::Copy, m_table);
    key->setContext(Qt::WidgetShortcut);
    connect(key, &QShortcut::activated, this, &WaitsPane::copy);
    setMatrixShown(false);
    updateChoices();
    updateText();
    onLanguageChange(this, [this] {
        m_model->retranslate();
        updateChoices();
        updateText();
    });
}

QWidget* WaitsPane::makeBar() {
    auto* bar = new QWidget;
    auto* row = filledBox(new QHBoxLayout(bar), {}, 4);
    for (auto* button : {m_asTable, m_asMatrix}) {
        button->setCheckable(true);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
    }
    row->addSpacing(8);
    for (auto* box : {m_phase, m_tag}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        row->addWidget(box);
    }
    row->addStretch(1);
    m_copy->setAutoRaise(true);
    m_copy->setFocusPolicy(Qt::TabFocus);
    m_copy->setIcon(Theme::instance().icon(QStringLiteral("copy")));
    row->addWidget(m_copy);
    return bar;
}

void WaitsPane::build() {
    auto* row = filledBox(new QHBoxLayout(this), {12, 6, 12, 6}, 16);
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    m_range->setFont(bold);
    m_range->setObjectName(QStringLiteral("waitRange"));
    m_sentence->setObjectName(QStringLiteral("waitSentences"));
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_sentence->setTextFormat(Qt::PlainText);
    m_sentence->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* scroll = new QScrollArea;
    scroll->setWidget(m_sentence);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* left = new QVBoxLayout;
    left->setSpacing(4);
    left->addWidget(m_range);
    left->addWidget(scroll, 1);
    row->addLayout(left, 2);
    auto* right = new QVBoxLayout;
    right->setSpacing(4);
    right->addWidget(makeBar());
    constexpr int widths[] = {64, 64, 150, 84, 76, 56, 220};
    setUpPlainTable(m_table, m_model, WaitModel::SortRole, widths);
    m_table->sortByColumn(WaitModel::WaitColumn, Qt::DescendingOrder);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_views->addWidget(m_table);
    m_views->addWidget(m_map);
    right->addWidget(m_views, 1);
    row->addLayout(right, 3);
    setMinimumHeight(150);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
}

void WaitsPane::setRequest(const WaitsRequest& request) {
    m_wanted = request;
    if (isVisible() && !m_task.isBusy()) // a live run grows all the time: one request at a time
        load();
}

/// Loads the waits once brushing pauses for `delayMs`.
void WaitsPane::load(int delayMs) {
    m_task.ask([request = *m_wanted](const auto& isOld) { return explainWaits(request, isOld); },
               [this](const WaitsReplyPtr& reply) { take(reply); }, delayMs);
}

void WaitsPane::setOpenWaits(std::vector<diagnosis::OpenWait> waits, std::int64_t untilNs, bool inProgress) {
    const bool others = waits != m_open || inProgress != m_inProgress;
    const bool due = !waits.empty() && (!m_sinceOpen.isValid() || m_sinceOpen.elapsed() >= kOpenPeriodMs);
    if (!others && !due)
        return;
    m_open = std::move(waits);
    m_openNs = untilNs;
    m_inProgress = inProgress;
    m_sinceOpen.start();
    if (!m_shown || isHidden())
        return;
    if (others)
        updateChoices();
    applyFilter();
}

/// Returns the matrix including the open waits.
diagnosis::WaitMatrix WaitsPane::matrix() const {
    diagnosis::WaitMatrix all = m_shown ? m_shown->report.matrix : diagnosis::WaitMatrix{};
    for (const auto& wait : m_open) {
        diagnosis::WaitSums sums;
        sums.waitNs = sums.blockedNs = std::max<std::int64_t>(0, m_openNs - wait.sinceNs);
        sums.collectives = 1;
        sums.phaseNs[std::min(static_cast<std::size_t>(wait.holderPhase), diagnosis::kPhaseCount - 1)] = sums.waitNs;
        all.add(wait.rank, wait.holder, std::string_view(wait.collective.tag).substr(0, wait.collective.tag.find(':')),
                sums);
    }
    return all;
}

void WaitsPane::clear() {
    m_task.cancel();
    m_open.clear();
    m_wanted.reset();
    m_shown.reset();
    m_model->setMatrix({});
    m_map->setGrid({});
    updateChoices();
    updateText();
}

bool WaitsPane::isComplete() const {
    return isHidden() || !m_task.isBusy();
}

void WaitsPane::setMatrixShown(bool on) {
    m_asTable->setChecked(!on);
    m_asMatrix->setChecked(on);
    m_views->setCurrentIndex(on ? 1 : 0);
}

void WaitsPane::take(const WaitsReplyPtr& reply) {
    m_shown = reply;
    updateChoices();
    applyFilter();
    if (m_wanted && *m_wanted != reply->request)
        load();
}

WaitFilter WaitsPane::filter() const {
    WaitFilter filter;
    if (m_phase->currentIndex() > 0)
        filter.phase = static_cast<telemetry::Phase>(m_phase->currentData().toInt());
    if (m_tag->currentIndex() > 0)
        filter.family = m_tag->currentData().toString().toStdString();
    return filter;
}

/// Offers the tags and phases that occur; the chosen one stays even if it no longer occurs.
void WaitsPane::updateChoices() {
    const QSignalBlocker phaseBlock(m_phase), tagBlock(m_tag);
    const WaitFilter kept = filter();
    m_phase->clear();
    m_tag->clear();
    m_phase->addItem(tr("All phases of the holder"));
    m_tag->addItem(tr("All collectives"));
    auto phases = waitPhases(matrix());
    auto families = waitFamilies(matrix());
    if (kept.phase && std::find(phases.begin(), phases.end(), *kept.phase) == phases.end())
        phases.push_back(*kept.phase);
    if (!kept.family.empty() && std::find(families.begin(), families.end(), kept.family) == families.end())
        families.push_back(kept.family);
    for (const auto phase : phases)
        m_phase->addItem(phase == telemetry::Phase::None ? tr("no phase") : phaseText(phase), static_cast<int>(phase));
    for (const auto& family : families)
        m_tag->addItem(family.empty() ? tr("no tag") : toQString(family), toQString(family));
    m_phase->setCurrentIndex(kept.phase ? m_phase->findData(static_cast<int>(*kept.phase)) : 0);
    m_tag->setCurrentIndex(kept.family.empty() ? 0 : std::max(m_tag->findData(toQString(kept.family)), 0));
}

void WaitsPane::applyFilter() {
    if (m_shown) {
        const auto& report = m_shown->report;
        const WaitFilter wanted = filter();
        diagnosis::WaitMatrix chosen;
        const diagnosis::WaitMatrix all = matrix();
        for (const auto& [key, sums] : all.cells()) {
            const auto& [waiter, holder, family] = key;
            if (!wanted.family.empty() && family != wanted.family)
                continue;
            if (wanted.phase && sums.phaseNs[static_cast<std::size_t>(*wanted.phase)] <= 0)
                continue;
            chosen.add(waiter, holder, family, sums);
        }
        m_model->setMatrix(chosen);
        m_map->setGrid(gridOf(all, report.worldSize, wanted));
    }
    updateText();
}

void WaitsPane::updateText() {
    m_table->setAccessibleName(tr("Who waited for whom"));
    m_map->setAccessibleName(tr("Who waited for whom"));
    m_asTable->setText(tr("Table"));
    m_asTable->setToolTip(tr("A row for each waiter, holder and collective"));
    m_asMatrix->setText(tr("Matrix"));
    m_asMatrix->setToolTip(tr("Waiters down, holders across"));
    m_copy->setToolTip(tr("Copy sentences and table (Ctrl+C)"));
    m_copy->setAccessibleName(m_copy->toolTip());
    m_phase->setAccessibleName(tr("Phase of the holder"));
    m_phase->setToolTip(tr("Only waits while the holder was in this phase"));
    m_tag->setAccessibleName(tr("Collective"));
    m_tag->setToolTip(tr("Only waits in this collective"));
    const bool any = m_shown && m_shown->error.isEmpty();
    m_copy->setEnabled(any);
    m_range->setFullText(any ? rangeSentence(m_shown->report, m_shown->request.selected) : QString());
    if (!m_shown) {
        m_sentence->setText(m_wanted ? tr("Adding up the waits…") : QString());
        return;
    }
    if (!m_shown->error.isEmpty())
        return m_sentence->setText(m_shown->error);
    const auto& report = m_shown->report;
    QStringList lines;
    for (const auto& wait : m_open)
        lines << (m_inProgress ? tr("Rank %1 is waiting for rank %2: %3 in %4 so far, counted below.")
                               : tr("Rank %1 was waiting for rank %2 when the run ended: %3 in %4, counted below."))
                     .arg(QString::number(wait.rank), QString::number(wait.holder),
                          durationText(std::max<std::int64_t>(0, m_openNs - wait.sinceNs)),
                          toQString(wait.collective.tag));
    lines << rankingSentences(matrix(), filter(), kMostSentences);
    if (const QString estimate = estimateSentence(report); !estimate.isEmpty())
        lines << estimate;
    if (const QStringList gains = predictionSentences(report); !gains.isEmpty())
        lines << QString() << tr("Possible gain") << gains;
    m_sentence->setText(lines.join(u'\n'));
}

QString WaitsPane::asText() const {
    const QString text = QStringLiteral("%1\n%2\n\n").arg(m_range->fullText(), m_sentence->text());
    if (m_views->currentIndex() == 1)
        return text + gridAsText(m_map->grid());
    return text + tableAsText(*m_table->model());
}

void WaitsPane::copy() const {
    copyText(asText(), m_copy);
}

void WaitsPane::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_wanted)
        load(0);
}

/// In a narrow pane, gives the table's columns priority and wraps the sentences.
void WaitsPane::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    auto* row = static_cast<QBoxLayout*>(layout());
    const bool narrow = width() < 1000;
    row->setStretch(0, narrow ? 1 : 2);
    row->setStretch(1, 3);
}

void WaitsPane::hideEvent(QHideEvent* event) {
    m_task.cancel();
    QWidget::hideEvent(event);
}

} // namespace rankscope::ui
