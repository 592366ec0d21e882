// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/compare/compare_pane.h"

#include "widgets/controls/box_layout.h"
#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/runs_page/compare/change_delegate.h"
#include "widgets/runs_page/compare/compare_curves.h"
#include "widgets/runs_page/compare/compare_model.h"
#include "widgets/runs_page/compare/compare_plot.h"
#include "widgets/runs_page/compare/scatter_pane.h"
#include "widgets/runs_page/compare/scatter_plot.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QResizeEvent>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

ComparePane::ComparePane(QWidget* parent)
    : QWidget(parent), m_figures(new CompareModel(CompareModel::What::Figures, this)),
      m_settings(new CompareModel(CompareModel::What::Settings, this)), m_stack(new QStackedWidget(this)),
      m_empty(new QLabel(this)), m_tabs(new QTabWidget(this)), m_baseline(new RunCombo(this)),
      m_baselineLabel(new QLabel(this)), m_copy(new QToolButton(this)), m_export(new QToolButton(this)),
      m_curves(new CompareCurves(this)), m_all(new QCheckBox(this)), m_search(new QLineEdit(this)),
      m_scatter(new ScatterPane(this)), m_later(new QTimer(this)) {
    m_baseline->setObjectName(QStringLiteral("baseline"));
    m_all->setObjectName(QStringLiteral("allSettings"));
    m_later->setSingleShot(true);
    m_later->setInterval(60);
    build();
    retranslate();
    connectAll();
    onLanguageChange(this, [this] {
        retranslate();
        arrange();
    });
}

QWidget* ComparePane::buildTable(CompareModel* model, QTableView*& view) {
    auto* pane = new QWidget(this);
    view = new QTableView(pane);
    view->setModel(model);
    view->setObjectName(model == m_settings ? QStringLiteral("settings") : QStringLiteral("figures"));
    view->setShowGrid(false);
    view->setFrameShape(QFrame::NoFrame);
    view->setWordWrap(false);
    view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setCornerButtonEnabled(false);
    view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->verticalHeader()->hide();
    view->verticalHeader()->setMinimumSectionSize(24);
    view->verticalHeader()->setDefaultSectionSize(24);
    view->horizontalHeader()->setHighlightSections(false);
    view->horizontalHeader()->setTextElideMode(Qt::ElideMiddle);
    view->horizontalHeader()->setDefaultSectionSize(170);
    if (model == m_figures)
        view->setItemDelegate(new ChangeDelegate(view));
    auto* column = filledBox(new QVBoxLayout(pane), {}, 0);
    if (model == m_settings) {
        auto* row = filledBox(new QHBoxLayout, {8, 6, 8, 6}, 8);
        m_search->setClearButtonEnabled(true);
        m_search->addAction(Theme::instance().icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
        m_search->setMaximumWidth(320);
        row->addWidget(m_search, 1);
        row->addWidget(m_all);
        row->addStretch(1);
        column->addLayout(row);
    }
    column->addWidget(view, 1);
    return pane;
}

void ComparePane::build() {
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_empty->setMargin(24);
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setExpanding(false);
    m_tabs->addTab(m_curves, QString());
    m_tabs->addTab(buildTable(m_figures, m_figureView), QString());
    m_tabs->addTab(buildTable(m_settings, m_settingView), QString());
    m_tabs->addTab(m_scatter, QString());
    auto* corner = new QWidget(this);
    auto* row = new QHBoxLayout(corner);
    row->setContentsMargins(0, 2, 8, 2);
    m_baseline->setMaximumWidth(300);
    for (auto* button : {m_copy, m_export}) {
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
    }
    m_copy->setIcon(Theme::instance().icon(QStringLiteral("copy")));
    m_export->setIcon(Theme::instance().icon(QStringLiteral("export")));
    for (QWidget* widget : std::initializer_list<QWidget*>{m_baselineLabel, m_baseline, m_copy, m_export})
        row->addWidget(widget);
    m_tabs->setCornerWidget(corner);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_tabs);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);
}

void ComparePane::connectAll() {
    connect(m_later, &QTimer::timeout, this, &ComparePane::runsChanged);
    connect(m_baseline, &QComboBox::currentIndexChanged, this, [this] {
        if (m_filling)
            return;
        m_baselineDir = m_baseline->currentData().toString();
        arrange();
    });
    connect(m_tabs, &QTabWidget::currentChanged, this, &ComparePane::fillShownTab);
    connect(m_curves, &CompareCurves::coloursChanged, this, &ComparePane::recolour);
    connect(m_all, &QCheckBox::toggled, this, [this](bool all) { m_settings->setOnlyDiffering(!all); });
    connect(m_search, &QLineEdit::textChanged, m_settings, &CompareModel::setSearch);
    connect(m_scatter, &ScatterPane::runClicked, this, &ComparePane::runClicked);
    connect(m_copy, &QToolButton::clicked, this, &ComparePane::copyTable);
    connect(m_export, &QToolButton::clicked, this, &ComparePane::exportCurves);
    connect(&Theme::instance(), &Theme::changed, this, &ComparePane::arrange);
}

void ComparePane::retranslate() {
    m_tabs->setTabText(Curves, tr("Curves"));
    m_tabs->setTabText(Figures, tr("Figures"));
    m_tabs->setTabText(Settings, tr("Settings"));
    m_tabs->setTabText(Scatter, tr("Scatter"));
    m_empty->setText(
        tr("Select two or more runs in the table above (Ctrl+click, Shift+click, Ctrl+A) to compare them."));
    m_baselineLabel->setText(tr("Baseline"));
    m_baseline->setAccessibleName(tr("Baseline"));
    m_baseline->setToolTip(tr("The run that the others are compared with"));
    m_copy->setToolTip(tr("Copy the table, tab-separated"));
    m_export->setToolTip(tr("Save the plot as PNG, PDF, SVG or CSV"));
    m_all->setText(tr("Show all settings, not only those that differ"));
    m_search->setPlaceholderText(tr("Search settings"));
    m_curves->retranslate();
    m_scatter->retranslate();
}

void ComparePane::setRuns(const QList<RunRow>& runs) {
    if (std::equal(runs.begin(), runs.end(), m_given.begin(), m_given.end(), sameShown))
        return;
    m_given = runs;
    m_curves->cancel();
    m_later->start();
}

/// Returns whether another run has been pinned as the baseline, which replaces the chosen one.
bool ComparePane::takePinned() {
    if (m_given.isEmpty())
        return false;
    const auto pinned = std::find_if(m_given.begin(), m_given.end(), [](const RunRow& run) { return run.isPinned(); });
    const QString dir = pinned == m_given.end() ? QString() : pinned->dir();
    if (std::exchange(m_pinnedDir, dir) == dir)
        return false;
    m_baselineDir.clear();
    return true;
}

void ComparePane::runsChanged() {
    QStringList before, now;
    for (const RunRow& run : m_runs)
        before << run.dir();
    for (const RunRow& run : m_given)
        now << run.dir();
    before.sort();
    now.sort();
    if (takePinned() || before != now || now.size() < 2)
        return arrange();
    // the same runs with new data: the user's choices stay
    QHash<QString, qsizetype> places;
    for (qsizetype i = 0; i < m_given.size(); ++i)
        places.insert(m_given[i].dir(), i);
    for (RunRow& run : m_runs)
        run = m_given[places.value(run.dir())];
    m_names = distinctNames(m_runs);
    m_curves->updateRuns(m_runs, m_names);
    for (const CompareTab tab : {Figures, Scatter})
        m_age[tab] = std::max(m_age[tab], TabAge::OldFigures);
    fillShownTab();
}

/// Returns the run that is pinned as the baseline, else one that is tagged so by its recipe, else the oldest.
qsizetype ComparePane::defaultBaseline() const {
    auto tagged = std::find_if(m_runs.begin(), m_runs.end(), [](const RunRow& run) { return run.isPinned(); });
    if (tagged == m_runs.end())
        tagged = std::find_if(m_runs.begin(), m_runs.end(), [](const RunRow& run) {
            return std::any_of(run.info.tags.begin(), run.info.tags.end(), isBaselineTag);
        });
    const auto base = tagged != m_runs.end()
                          ? tagged
                          : std::min_element(m_runs.begin(), m_runs.end(), [](const RunRow& a, const RunRow& b) {
                                return std::pair(a.info.startRealtimeNs, a.paths.dir) <
                                       std::pair(b.info.startRealtimeNs, b.paths.dir);
                            });
    return base - m_runs.begin();
}

void ComparePane::arrange() {
    m_runs = m_given;
    // the baseline first, the others in the table's order
    auto base =
        std::find_if(m_runs.begin(), m_runs.end(), [this](const RunRow& run) { return run.dir() == m_baselineDir; });
    if (base == m_runs.end() && !m_runs.isEmpty())
        base = m_runs.begin() + defaultBaseline();
    if (base != m_runs.end())
        std::rotate(m_runs.begin(), base, base + 1);
    m_names = distinctNames(m_runs);
    m_stack->setCurrentWidget(m_runs.size() < 2 ? static_cast<QWidget*>(m_empty) : m_tabs);
    m_curves->setRuns(m_runs, m_names);
    if (m_runs.size() < 2) {
        m_figures->setRuns({}, {}, {});
        m_settings->setRuns({}, {}, {});
        m_age.fill(TabAge::Current);
        return;
    }
    fillBaseline();
    m_age.fill(TabAge::OldRuns);
    fillShownTab();
}

void ComparePane::fillShownTab() {
    const auto tab = static_cast<std::size_t>(m_tabs->currentIndex());
    const TabAge age = std::exchange(m_age[tab], TabAge::Current);
    if (tab == Scatter && age == TabAge::OldRuns)
        m_scatter->setRuns(m_runs, m_curves->colours());
    if (tab == Scatter && age == TabAge::OldFigures)
        m_scatter->updateRuns(m_runs, m_curves->colours());
    if (tab != Figures && tab != Settings)
        return;
    if (age != TabAge::Current)
        (tab == Figures ? m_figures : m_settings)->setRuns(m_runs, m_names, m_curves->colours());
    // otherwise the columns keep the widths that the user set
    if (age == TabAge::OldRuns || m_fittedWidth[tab] != width())
        fitHeadings(tab == Figures ? m_figureView : m_settingView);
    m_fittedWidth[tab] = width();
}

/// Shows the same runs in other colours.
void ComparePane::recolour() {
    const QList<QColor> colours = m_curves->colours();
    if (m_age[Figures] != TabAge::OldRuns)
        m_figures->setColours(colours);
    if (m_age[Settings] != TabAge::OldRuns)
        m_settings->setColours(colours);
    m_age[Scatter] = std::max(m_age[Scatter], TabAge::OldFigures);
    fillShownTab();
}

/// Makes each run's column wide enough, within bounds, for its name and the note that it is the baseline. If the
/// columns are too wide for the pane, they share it as long as they can be read.
void ComparePane::fitHeadings(QTableView* view) const {
    constexpr int kMargins = 44, kWidest = 340, kScrollBar = 20; // margins: with the swatch
    const bool settings = view == m_settingView;
    const int first = settings ? 260 : 130, narrowest = settings ? 148 : 166, runs = static_cast<int>(m_names.size());
    const int most = std::clamp((width() - first - kScrollBar) / std::max(1, runs), narrowest, kWidest);
    view->setColumnWidth(0, first);
    for (int i = 0; i < runs; ++i) {
        const QString& own = m_names[i].whole;
        const QString name = i == 0 ? tr("%1 (baseline)").arg(own) : own;
        view->setColumnWidth(i + 1,
                             std::clamp(view->fontMetrics().horizontalAdvance(name) + kMargins, narrowest, most));
    }
}

void ComparePane::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fillShownTab();
}

void ComparePane::fillBaseline() {
    m_filling = true;
    m_baseline->clear();
    for (qsizetype i = 0; i < m_runs.size(); ++i) {
        const int at = static_cast<int>(i);
        const QString tip = runTip(m_runs[i]);
        m_baseline->addItem(m_names[i].whole, m_runs[i].dir());
        m_baseline->setItemData(at, plainToolTip(tip), Qt::ToolTipRole);
        m_baseline->setItemData(at, tip, RunCombo::kTipRole);
        m_baseline->setItemData(at, m_names[i].brief, RunCombo::kBriefRole);
    }
    m_baseline->setCurrentIndex(0);
    m_filling = false;
}

bool ComparePane::isComplete() const {
    return !m_later->isActive() && (m_runs.size() < 2 || m_curves->isComplete());
}

void ComparePane::showTab(CompareTab tab) {
    m_tabs->setCurrentIndex(tab);
}

void ComparePane::copyTable() {
    if (m_runs.size() < 2)
        return;
    const bool figures = m_tabs->currentIndex() == Figures, settings = m_tabs->currentIndex() == Settings;
    QString text = figures ? m_figures->copied() : settings ? m_settings->copied() : QString();
    if (text.isEmpty())
        text = m_tabs->currentIndex() == Scatter ? m_scatter->plot()->csv(QLatin1Char('\t'))
                                                 : m_curves->plot()->csv(QLatin1Char('\t'));
    copyText(text, m_copy);
}

void ComparePane::exportCurves() {
    if (m_runs.size() < 2) {
        emit message(tr("Select two or more runs first"));
        return;
    }
    const bool scatter = m_tabs->currentIndex() == Scatter;
    auto* dialog = new QFileDialog(this, tr("Save the plot"), QStringLiteral("comparison.png"),
                                   QStringLiteral("PNG (*.png);;PDF (*.pdf);;SVG (*.svg);;CSV (*.csv)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    connect(dialog, &QFileDialog::fileSelected, this, [this, scatter](const QString& file) {
        const QString title = tr("Comparison of %n run(s)", nullptr, static_cast<int>(m_runs.size()));
        const auto written =
            scatter ? m_scatter->plot()->exportTo(file, title) : m_curves->plot()->exportTo(file, title);
        if (written)
            emit message(tr("Saved %1").arg(file));
        else
            emit failed(QString::fromStdString(written.error().message()));
    });
    dialog->open();
}

} // namespace rankscope::ui
