// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/compare/compare_curves.h"

#include "widgets/controls/box_layout.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/runs_page/compare/compare_chart.h"
#include "widgets/runs_page/compare/compare_model.h"
#include "widgets/runs_page/compare/compare_plot.h"
#include "widgets/runs_page/curves/run_curve.h"
#include "widgets/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kValidation = -1; ///< its value in the list of metrics
constexpr int kMostNamed = 3;   ///< names listed of runs with another seed

} // namespace

template <class Call> void CompareCurves::eachPlot(Call call) {
    call(m_plot);
    for (CompareChart* chart : m_charts)
        call(chart->plot());
}

CompareCurves::CompareCurves(QWidget* parent)
    : QWidget(parent), m_plot(new ComparePlot(this)), m_legend(new QListWidget(this)), m_missing(new QLabel(this)),
      m_metric(new QComboBox(this)), m_axis(new QComboBox(this)), m_ranks(new QComboBox(this)),
      m_band(new QCheckBox(this)), m_log(new QCheckBox(this)), m_smooth(new QCheckBox(this)),
      m_plots(new QSplitter(Qt::Vertical, this)), m_scroll(new QScrollArea(this)), m_loading(new QLabel(this)),
      m_add(new QToolButton(this)), m_colourBy(new QComboBox(this)), m_group(new QCheckBox(this)) {
    m_plot->setObjectName(QStringLiteral("firstPlot"));
    m_metric->setObjectName(QStringLiteral("metric"));
    m_axis->setObjectName(QStringLiteral("axis"));
    m_colourBy->setObjectName(QStringLiteral("colourBy"));
    m_add->setObjectName(QStringLiteral("addChart"));
    m_loading->setObjectName(QStringLiteral("loading"));
    m_missing->setObjectName(QStringLiteral("missing"));
    m_group->setObjectName(QStringLiteral("group"));
    build();
    connectAll();
}

void CompareCurves::build() {
    auto* row = filledBox(new QHBoxLayout, {8, 6, 8, 6}, 8);
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
    auto* column = filledBox(new QVBoxLayout(this), {}, 0);
    column->addLayout(row);
    column->addLayout(plots, 1);
    column->addWidget(m_missing);
}

void CompareCurves::connectAll() {
    for (QComboBox* box : {m_metric, m_axis, m_ranks})
        connect(box, &QComboBox::currentIndexChanged, this, [this] {
            if (!m_filling)
                load();
        });
    connect(m_band, &QCheckBox::toggled, this, [this](bool on) { eachPlot([on](auto* plot) { plot->setBand(on); }); });
    connect(m_log, &QCheckBox::toggled, this,
            [this](bool on) { eachPlot([on](auto* plot) { plot->setLogScale(on); }); });
    connect(m_smooth, &QCheckBox::toggled, this,
            [this](bool on) { eachPlot([on](auto* plot) { plot->setSmoothing(on); }); });
    connect(m_add, &QToolButton::clicked, this, &CompareCurves::addChart);
    connect(m_colourBy, &QComboBox::currentIndexChanged, this, [this] {
        if (m_filling)
            return;
        chooseColours();
        load();
        emit coloursChanged();
    });
    connect(m_group, &QCheckBox::toggled, this, [this] {
        if (!m_filling)
            load();
    });
    connect(m_legend, &QListWidget::itemChanged, this, [this](const QListWidgetItem* item) {
        if (!m_filling)
            eachPlot([row = m_legend->row(item), item](auto* plot) {
                if (static_cast<std::size_t>(row) < plot->lines().size())
                    plot->setHidden(row, item->checkState() != Qt::Checked);
            });
    });
}

void CompareCurves::fillBoxes() {
    m_filling = true;
    const auto fill = [](QComboBox* box, const QList<std::pair<QString, QVariant>>& items) {
        const QVariant chosen = box->currentData();
        box->clear();
        for (const auto& [text, value] : items)
            box->addItem(text, value);
        box->setCurrentIndex(std::max(0, box->findData(chosen)));
    };
    QList<std::pair<QString, QVariant>> metrics;
    for (const auto& info : store::metrics())
        metrics.append({metricTitle(info.metric), static_cast<int>(info.metric)});
    metrics.insert(1, {tr("Validation loss"), kValidation});
    fill(m_metric, metrics);
    fill(m_axis, {{tr("by step"), 0}, {tr("by time"), 1}, {tr("by samples"), 2}});
    fill(m_ranks, {{tr("mean over ranks"), 1}, {tr("rank 0"), 0}});
    m_filling = false;
}

bool CompareCurves::isGrouped() const {
    return m_group->isChecked() && !m_colours.key().empty();
}

QList<QColor> CompareCurves::colours() const {
    QList<QColor> colours;
    for (const RunRow& run : m_runs)
        colours << m_colours.penOf(run).color();
    return colours;
}

void CompareCurves::setRuns(const QList<RunRow>& runs, const QList<RunName>& names) {
    m_runs = runs;
    m_names = names;
    if (runs.size() >= 2) {
        fillColours();
        load();
        return;
    }
    m_colours.setRuns(runs);
    cancel();
    for (CompareChart* chart : m_charts)
        chart->cancel();
    eachPlot([](ComparePlot* plot) { plot->setLines({}); });
    m_scroll->hide();
    m_loading->show();
}

void CompareCurves::updateRuns(const QList<RunRow>& runs, const QList<RunName>& names) {
    m_runs = runs;
    m_names = names;
    m_colours.setRuns(runs);
    load();
}

void CompareCurves::cancel() {
    m_loader.cancel();
}

bool CompareCurves::isComplete() const {
    return !m_loader.isBusy() && m_plot->isDrawn() &&
           std::all_of(m_charts.begin(), m_charts.end(), [](const CompareChart* chart) { return chart->isComplete(); });
}

/// Offers the settings that differ, as choices to colour by.
void CompareCurves::fillColours() {
    m_filling = true;
    const QVariant chosen = m_colourBy->currentData();
    m_colourBy->clear();
    m_colourBy->addItem(tr("colour by run"), QString());
    for (const SettingLine& line : settingLines(m_runs, true)) {
        const QString key = QString::fromStdString(*line.key);
        m_colourBy->addItem(tr("colour by %1", "a setting").arg(key.section(QLatin1Char('.'), -1)), key);
        m_colourBy->setItemData(m_colourBy->count() - 1, plainToolTip(key), Qt::ToolTipRole);
    }
    m_colourBy->setCurrentIndex(std::max(0, m_colourBy->findData(chosen)));
    m_filling = false;
    chooseColours();
}

void CompareCurves::chooseColours() {
    m_colours.choose(m_runs, m_colourBy->currentData().toString().toStdString());
    m_group->setEnabled(!m_colours.key().empty());
}

void CompareCurves::addChart() {
    if (m_charts.size() + 1 >= kMostCharts)
        return;
    auto* chart = new CompareChart(m_plots);
    QSet<int> shown{m_metric->currentData().toInt()};
    for (const CompareChart* other : m_charts)
        shown.insert(other->metric()->currentData().toInt());
    // the metrics used most, apart from the loss, come first
    using store::Metric;
    for (const Metric metric : {Metric::Loss, Metric::StepTime, Metric::WaitTotal, Metric::GradientNorm,
                                Metric::LearningRate, Metric::DataWait})
        if (!shown.contains(static_cast<int>(metric))) {
            chart->metric()->setCurrentIndex(chart->metric()->findData(static_cast<int>(metric)));
            break;
        }
    chart->plot()->setBand(m_band->isChecked());
    chart->plot()->setLogScale(m_log->isChecked());
    chart->plot()->setSmoothing(m_smooth->isChecked());
    connect(chart, &CompareChart::loaded, this,
            [this, chart](const CompareReplyPtr& reply) { takeInto(chart, *reply); });
    connect(chart, &CompareChart::metricChosen, this, &CompareCurves::load);
    connect(chart, &CompareChart::removeRequested, this, [this, chart] { removeChart(chart); });
    m_plots->addWidget(chart);
    m_charts.push_back(chart);
    m_add->setEnabled(m_charts.size() + 1 < kMostCharts);
    load();
}

void CompareCurves::removeChart(CompareChart* chart) {
    std::erase(m_charts, chart);
    chart->hide();
    chart->deleteLater();
    m_add->setEnabled(true);
}

/// Returns a warning about runs with another seed, which differ from the baseline by more than their settings.
QString CompareCurves::seedRemark() const {
    const auto seedOf = [](const RunRow& run) {
        if (run.info.watched()) // the program seeds itself, whatever its recipe has
            return QString();
        const std::string* set = run.settings ? run.settings->find("rankscope.seed") : nullptr;
        if (set && *set != "null")
            return QString::fromStdString(*set);
        if (run.info.drawnSeed != 0)
            return QStringLiteral("drawn %1").arg(run.info.drawnSeed);
        return set ? run.dir() : QString(); // the seed was drawn at random and not recorded: equal to no other run's
    };
    const QString baseline = seedOf(m_runs.front());
    QStringList others;
    for (qsizetype i = 1; i < m_runs.size() && !baseline.isEmpty(); ++i)
        if (const QString seed = seedOf(m_runs[i]); !seed.isEmpty() && seed != baseline)
            others << m_names[i].whole;
    if (others.isEmpty())
        return {};
    const int more = static_cast<int>(others.size()) - kMostNamed;
    const QString named = others.mid(0, kMostNamed).join(QStringLiteral(", "));
    return tr("The seed differs from the baseline's in %1. Losses differ from the first step on.")
        .arg(more > 0 ? tr("%1 and %n more", "runs", more).arg(named) : named);
}

CurveRequest CompareCurves::request() const {
    CurveRequest request;
    const int metric = m_metric->currentData().toInt();
    request.metric = metric == kValidation ? std::nullopt : std::optional(static_cast<store::Metric>(metric));
    request.axis = static_cast<CurveAxis>(m_axis->currentData().toInt());
    request.meanOverRanks = m_ranks->currentData().toInt() != 0;
    return request;
}

void CompareCurves::load() {
    if (m_runs.size() < 2)
        return;
    QStringList dirs;
    for (const RunRow& run : m_runs.mid(0, kMostCurves))
        dirs << run.dir();
    m_loader.ask([dirs, wanted = request()](const auto& isOld) { return readCurves(dirs, wanted, isOld); },
                 [this](const CompareReplyPtr& reply) { take(*reply); });
    for (CompareChart* chart : m_charts)
        chart->load(dirs, request());
}

std::vector<CompareLine> CompareCurves::linesOf(const CompareReply& reply, QStringList& missing) const {
    QSet<QString> hidden;
    for (int i = 0; i < m_legend->count(); ++i)
        if (m_legend->item(i)->checkState() != Qt::Checked)
            hidden.insert(m_legend->item(i)->data(Qt::UserRole).toString());
    std::vector<CompareLine> lines;
    for (qsizetype i = 0; i < m_runs.size() && i < static_cast<qsizetype>(reply.curves.size()); ++i) {
        const RunCurve& curve = reply.curves[static_cast<std::size_t>(i)];
        lines.push_back({m_runs[i].dir(), m_names[i], runTip(m_runs[i]), 1, m_colours.penOf(m_runs[i]), curve.samples,
                         !isGrouped() && hidden.contains(m_runs[i].dir())});
        if (!curve.missing.isEmpty())
            missing << QStringLiteral("%1: %2").arg(m_names[i].whole, curve.missing);
    }
    if (!isGrouped()) {
        markIdentical(lines);
        return lines;
    }
    lines = groupsOf(std::move(lines));
    for (CompareLine& line : lines)
        line.hidden = hidden.contains(line.id);
    return lines;
}

/// Marks curves that coincide with an earlier one, which they would hide: they are dashed, and the legend says so.
void CompareCurves::markIdentical(std::vector<CompareLine>& lines) {
    for (std::size_t i = 1; i < lines.size(); ++i) {
        CompareLine& line = lines[i];
        const auto end = lines.begin() + static_cast<std::ptrdiff_t>(i);
        const auto same = std::find_if(lines.begin(), end, [&line](const CompareLine& other) {
            return !line.samples.empty() && std::equal(line.samples.begin(), line.samples.end(), other.samples.begin(),
                                                       other.samples.end(), [](const Sample& a, const Sample& b) {
                                                           return a.x == b.x && a.isGap() == b.isGap() &&
                                                                  (a.isGap() || a.mean == b.mean);
                                                       });
        });
        if (same == end)
            continue;
        line.identical = true;
        line.pen.setStyle(Qt::DashLine);
        line.tip += QLatin1Char('\n') + tr("Its curve is identical to that of %1.").arg(same->name.whole);
    }
}

/// Returns one line for each value of the setting; `runs` are in the order of m_runs.
std::vector<CompareLine> CompareCurves::groupsOf(std::vector<CompareLine> runs) const {
    const QString shortKey = QString::fromStdString(m_colours.key()).section(QLatin1Char('.'), -1);
    std::vector<CompareLine> groups;
    for (const QString& value : m_colours.values()) {
        std::vector<const Samples*> curves;
        QStringList names;
        CompareLine group;
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (m_colours.valueOf(m_runs[static_cast<qsizetype>(i)]) == value) {
                curves.push_back(&runs[i].samples);
                names << runs[i].name.whole;
                group.pen = runs[i].pen;
            }
        if (curves.empty()) // a run beyond kMostCurves, which is not drawn
            continue;
        group.id = QStringLiteral("value:") + value;
        group.runs = static_cast<int>(curves.size());
        const QString shown = value.isEmpty() ? tr("%1 not set").arg(shortKey) : shortKey + QLatin1Char(' ') + value;
        group.name.whole = tr("%1 (%n run(s))", nullptr, group.runs).arg(shown);
        group.tip = names.join(QLatin1Char('\n'));
        group.samples = meanOverRuns(curves);
        groups.push_back(std::move(group));
    }
    return groups;
}

void CompareCurves::takeInto(CompareChart* chart, const CompareReply& reply) {
    QStringList missing; // only the first chart names the runs' missing data
    const auto& info = store::info(*reply.request.metric);
    chart->plot()->setMetric(metricTitle(info.metric), QString::fromUtf8(info.unit), reply.request.axis);
    chart->plot()->setLines(linesOf(reply, missing));
}

void CompareCurves::take(const CompareReply& reply) {
    QStringList missing;
    std::vector<CompareLine> lines = linesOf(reply, missing);
    if (m_runs.size() > kMostCurves)
        missing.prepend(tr("Curves of the first %1 of %2 runs are drawn.").arg(kMostCurves).arg(m_runs.size()));
    if (const QString seeds = seedRemark(); !seeds.isEmpty())
        missing.prepend(seeds);
    const bool validation = !reply.request.metric;
    const auto& info = store::info(reply.request.metric.value_or(store::Metric::Loss));
    m_loading->hide();
    m_scroll->show();
    m_plot->setMetric(validation ? tr("Validation loss") : metricTitle(info.metric), QString::fromUtf8(info.unit),
                      reply.request.axis);
    m_plot->setLines(std::move(lines));
    m_missing->setText(missing.mid(0, 4).join(QStringLiteral("   ")) +
                       (missing.size() > 4 ? tr("   and %1 more").arg(missing.size() - 4) : QString()));
    m_missing->setVisible(!missing.isEmpty());
    fillLegend();
}

/// Makes the legend as wide as its names, within bounds; returns the room for a name. The parent has its width even
/// while another tab is shown.
int CompareCurves::fitLegend() {
    constexpr int kBeside = 80, kNarrowest = 160, kWidest = 420; // box, line and margins; of the list
    const QFontMetrics metrics(m_legend->font());
    int widest = 0;
    for (std::size_t i = 0; i < m_plot->lines().size(); ++i)
        widest = std::max(widest, metrics.horizontalAdvance(legendText(i, m_plot->lines()[i].name.whole)));
    m_legend->setFixedWidth(
        std::clamp(widest + kBeside, kNarrowest, std::clamp(parentWidget()->width() / 3, kNarrowest, kWidest)));
    return m_legend->width() - kBeside + 6; // the parts of a text may together be wider than the whole
}

/// Returns the legend's text for a line: its name and the notes after it.
QString CompareCurves::legendText(std::size_t line, const QString& name) const {
    return isBaseline(line)                  ? tr("%1 (baseline)").arg(name)
           : m_plot->lines()[line].identical ? tr("%1 (identical)", "a curve").arg(name)
                                             : name;
}

void CompareCurves::fillLegend() {
    m_filling = true;
    m_legend->clear();
    const int room = fitLegend();
    const QFontMetrics metrics(m_legend->font());
    for (std::size_t i = 0; i < m_plot->lines().size(); ++i) {
        const CompareLine& line = m_plot->lines()[i];
        QPixmap swatch(24, 12);
        swatch.fill(Qt::transparent);
        {
            QPainter painter(&swatch);
            QPen pen = line.pen;
            pen.setWidthF(std::max(2.0, pen.widthF()));
            painter.setPen(pen);
            painter.drawLine(1, 6, 23, 6);
        }
        const QString name = elidedName(line.name, metrics, room - metrics.horizontalAdvance(legendText(i, {})));
        auto* item = new QListWidgetItem(QIcon(swatch), legendText(i, name), m_legend);
        item->setData(Qt::UserRole, line.id);
        item->setToolTip(plainToolTip(line.tip));
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setCheckState(line.hidden ? Qt::Unchecked : Qt::Checked);
    }
    m_legend->setIconSize(QSize(24, 12));
    m_filling = false;
}

void CompareCurves::retranslate() {
    m_band->setText(tr("Range"));
    m_band->setToolTip(tr("Smallest to largest over the ranks and steps of each point"));
    m_log->setText(tr("Log"));
    m_log->setToolTip(tr("Logarithmic scale"));
    m_smooth->setText(tr("Smooth"));
    m_smooth->setToolTip(tr("Moving average with a half-life of 12 steps"));
    m_loading->setText(tr("Loading the curves…"));
    m_add->setToolTip(tr("Add a chart of another metric"));
    m_add->setAccessibleName(tr("Add a chart"));
    m_colourBy->setToolTip(tr("Runs with the same value of this setting have the same colour"));
    m_colourBy->setAccessibleName(tr("Colour by"));
    m_group->setText(tr("Group"));
    m_group->setToolTip(tr("Draws one curve for all runs with the same value: their mean, with the smallest to the "
                           "largest as the range. Choose a setting to colour by first."));
    for (CompareChart* chart : m_charts)
        chart->retranslate();
    m_metric->setAccessibleName(tr("Metric"));
    m_axis->setAccessibleName(tr("Axis"));
    m_ranks->setAccessibleName(tr("Ranks"));
    fillBoxes();
}

} // namespace rankscope::ui
