// SPDX-License-Identifier: GPL-3.0-or-later
// What the comparison is made of, and its words.
#include "widgets/runs_page/compare/compare_chart.h"
#include "widgets/runs_page/curves/compare_loader.h"
#include "widgets/runs_page/compare/compare_model.h"
#include "widgets/runs_page/compare/compare_pane.h"
#include "widgets/runs_page/compare/compare_plot.h"
#include "widgets/runs_page/curves/run_names.h"
#include "widgets/runs_page/compare/scatter_plot.h"
#include "widgets/theme/fonts.h"
#include "widgets/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

namespace rankscope::ui {

template <class Call> void ComparePane::eachPlot(Call call) {
    call(m_plot);
    for (CompareChart* chart : m_charts)
        call(chart->plot());
}

ComparePane::ComparePane(QWidget* parent)
    : QWidget(parent), m_loader(new CompareLoader(this)),
      m_figures(new CompareModel(CompareModel::What::Figures, this)),
      m_settings(new CompareModel(CompareModel::What::Settings, this)), m_stack(new QStackedWidget(this)),
      m_empty(new QLabel(this)), m_tabs(new QTabWidget(this)), m_baseline(new RunCombo(this)),
      m_baselineLabel(new QLabel(this)), m_copy(new QToolButton(this)), m_export(new QToolButton(this)),
      m_plot(new ComparePlot(this)), m_legend(new QListWidget(this)), m_missing(new QLabel(this)),
      m_metric(new QComboBox(this)), m_axis(new QComboBox(this)), m_ranks(new QComboBox(this)),
      m_band(new QCheckBox(this)), m_log(new QCheckBox(this)), m_smooth(new QCheckBox(this)),
      m_all(new QCheckBox(this)), m_search(new QLineEdit(this)), m_scatter(new ScatterPlot(this)),
      m_scatterX(new QComboBox(this)), m_scatterY(new QComboBox(this)), m_against(new QLabel(this)),
      m_plots(new QSplitter(Qt::Vertical, this)), m_scroll(new QScrollArea(this)), m_loading(new QLabel(this)),
      m_add(new QToolButton(this)), m_colourBy(new QComboBox(this)), m_group(new QCheckBox(this)),
      m_later(new QTimer(this)) {
    m_later->setSingleShot(true);
    m_later->setInterval(60);
    build();
    retranslate();
    connectAll();
}

static QHBoxLayout* bar() {
    auto* row = new QHBoxLayout;
    row->setContentsMargins(8, 6, 8, 6);
    row->setSpacing(8);
    return row;
}

QWidget* ComparePane::buildCurves() {
    auto* pane = new QWidget(this);
    auto* row = bar();
    m_band->setChecked(true);
    m_add->setIcon(Theme::instance().icon(QStringLiteral("plus")));
    m_add->setAutoRaise(true);
    m_add->setFocusPolicy(Qt::TabFocus);
    m_colourBy->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_colourBy->setMinimumContentsLength(14);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_metric, m_add, m_axis, m_ranks, m_band, m_log, m_smooth,
                                                           m_colourBy, m_group})
        row->addWidget(widget);
    row->addStretch(1);
    m_loading->setAlignment(Qt::AlignCenter);
    m_loading->setForegroundRole(QPalette::PlaceholderText);
    m_plots->setChildrenCollapsible(false);
    m_plots->addWidget(m_plot);
    m_scroll->setWidget(m_plots);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->hide();
    m_legend->setFrameShape(QFrame::NoFrame);
    m_legend->setFont(secondaryFont());
    m_legend->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_legend->setTextElideMode(Qt::ElideMiddle);
    m_missing->setFont(secondaryFont());
    m_missing->setTextFormat(Qt::PlainText); // names of runs
    m_missing->setForegroundRole(QPalette::PlaceholderText);
    m_missing->setWordWrap(true);
    m_missing->setContentsMargins(8, 0, 8, 4);
    auto* plots = new QHBoxLayout;
    plots->setSpacing(0);
    plots->addWidget(m_scroll, 1);
    plots->addWidget(m_loading, 1);
    plots->addWidget(m_legend);
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addLayout(plots, 1);
    column->addWidget(m_missing);
    return pane;
}

QWidget* ComparePane::buildTable(CompareModel* model, QTableView*& view) {
    auto* pane = new QWidget(this);
    view = new QTableView(pane);
    view->setModel(model);
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
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    if (model == m_settings) {
        auto* row = bar();
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

QWidget* ComparePane::buildScatter() {
    auto* pane = new QWidget(this);
    auto* row = bar();
    m_scatterX->setMinimumWidth(280);
    m_scatterX->setMaxVisibleItems(20);
    row->addWidget(m_scatterY);
    row->addWidget(m_against);
    row->addWidget(m_scatterX);
    row->addStretch(1);
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(m_scatter, 1);
    return pane;
}

void ComparePane::build() {
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_empty->setMargin(24);
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setExpanding(false);
    m_tabs->addTab(buildCurves(), QString());
    m_tabs->addTab(buildTable(m_figures, m_figureView), QString());
    m_tabs->addTab(buildTable(m_settings, m_settingView), QString());
    m_tabs->addTab(buildScatter(), QString());
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
    connect(m_loader, &CompareLoader::loaded, this, [this](const CompareReplyPtr& reply) { take(*reply); });
    for (QComboBox* box : {m_metric, m_axis, m_ranks})
        connect(box, &QComboBox::currentIndexChanged, this, [this] {
            if (!m_filling)
                load();
        });
    for (QComboBox* box : {m_scatterX, m_scatterY})
        connect(box, &QComboBox::currentIndexChanged, this, [this] {
            if (!m_filling)
                fillScatter();
        });
    connect(m_baseline, &QComboBox::currentIndexChanged, this, [this] {
        if (!m_filling)
            setBaseline(m_baseline->currentData().toString());
    });
    connect(m_band, &QCheckBox::toggled, this, [this](bool on) { eachPlot([on](auto* plot) { plot->setBand(on); }); });
    connect(m_log, &QCheckBox::toggled, this,
            [this](bool on) { eachPlot([on](auto* plot) { plot->setLogScale(on); }); });
    connect(m_smooth, &QCheckBox::toggled, this,
            [this](bool on) { eachPlot([on](auto* plot) { plot->setSmoothing(on); }); });
    connect(m_add, &QToolButton::clicked, this, &ComparePane::addChart);
    connect(m_colourBy, &QComboBox::currentIndexChanged, this, [this] {
        if (!m_filling)
            arrange();
    });
    connect(m_group, &QCheckBox::toggled, this, [this] {
        if (!m_filling)
            load();
    });
    connect(m_all, &QCheckBox::toggled, this, [this](bool all) { m_settings->setOnlyDiffering(!all); });
    connect(m_search, &QLineEdit::textChanged, m_settings, &CompareModel::setSearch);
    connect(m_legend, &QListWidget::itemChanged, this, [this](const QListWidgetItem* item) {
        if (!m_filling)
            eachPlot([row = m_legend->row(item), item](auto* plot) {
                if (static_cast<std::size_t>(row) < plot->lines().size())
                    plot->setHidden(row, item->checkState() != Qt::Checked);
            });
    });
    connect(m_scatter, &ScatterPlot::clicked, this, &ComparePane::runClicked);
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
    m_band->setText(tr("Range"));
    m_band->setToolTip(tr("Smallest to largest over the ranks and steps of each point"));
    m_log->setText(tr("Log"));
    m_log->setToolTip(tr("Logarithmic scale"));
    m_smooth->setText(tr("Smooth"));
    m_smooth->setToolTip(tr("Moving average with a half-life of 12 steps"));
    m_all->setText(tr("All settings, not only those that differ"));
    m_search->setPlaceholderText(tr("Search settings"));
    m_against->setText(tr("against"));
    m_loading->setText(tr("Loading the curves…"));
    m_add->setToolTip(tr("Add a chart of another metric"));
    m_add->setAccessibleName(tr("Add a chart"));
    m_colourBy->setToolTip(tr("Runs with the same value of this setting have the same colour"));
    m_colourBy->setAccessibleName(tr("Colour by"));
    m_group->setText(tr("Group"));
    m_group->setToolTip(tr("One curve for the runs with the same value: their mean, and as range the smallest to the "
                           "largest of the runs. Choose a setting to colour by first."));
    for (CompareChart* chart : m_charts)
        chart->retranslate();
    m_metric->setAccessibleName(tr("Metric"));
    m_axis->setAccessibleName(tr("Axis"));
    m_ranks->setAccessibleName(tr("Ranks"));
    m_scatterX->setAccessibleName(tr("Setting"));
    m_scatterY->setAccessibleName(tr("Figure"));
    fillBoxes();
}

} // namespace rankscope::ui
