// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/compare/compare_pane.h"

#include "core/base/values/clock.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/runs_page/compare/compare_chart.h"
#include "widgets/runs_page/compare/compare_model.h"
#include "widgets/runs_page/compare/compare_plot.h"
#include "widgets/runs_page/compare/scatter_plot.h"
#include "widgets/runs_page/curves/compare_loader.h"
#include "widgets/runs_page/curves/group_curve.h"
#include "widgets/runs_page/curves/metric_titles.h"
#include "widgets/runs_page/curves/run_names.h"
#include "widgets/theme/theme.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

static constexpr int kValidation = -1; ///< in the list of metrics

static bool sameRuns(const QList<RunRow>& a, const QList<RunRow>& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), sameShown);
}

void ComparePane::fillBoxes() {
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
    QList<std::pair<QString, QVariant>> figures;
    for (const FieldId id : comparedFigures())
        for (const RunField& field : builtinFields())
            if (field.id == id && field.isNumber())
                figures.append({field.title(), QString::fromStdString(field.key)});
    const bool first = m_scatterY->count() == 0;
    fill(m_scatterY, figures);
    if (first)
        m_scatterY->setCurrentIndex(m_scatterY->findData(QStringLiteral("loss")));
    m_filling = false;
}

/// Empty: it is not set.
static QString settingOf(const RunRow& run, const std::string& key) {
    const std::string* value = run.settings ? run.settings->find(key) : nullptr;
    return value ? QString::fromStdString(*value) : QString();
}

/// Numbers by value, before texts.
static bool settingIsLess(const QString& a, const QString& b) {
    bool aIsNumber = false, bIsNumber = false;
    const double left = a.toDouble(&aIsNumber), right = b.toDouble(&bIsNumber);
    if (aIsNumber != bIsNumber)
        return aIsNumber;
    return aIsNumber && left != right ? left < right : a < b;
}

std::string ComparePane::colourKey() const {
    return m_colourBy->currentData().toString().toStdString();
}

bool ComparePane::isGrouped() const {
    return m_group->isChecked() && !colourKey().empty();
}

QPen ComparePane::penOf(const QString& dir) const {
    if (const std::string key = colourKey(); !key.empty())
        for (const RunRow& run : m_runs)
            if (run.dir() == dir) {
                const auto at = m_values.indexOf(settingOf(run, key));
                return Theme::instance().rankPen(static_cast<int>(std::max<qsizetype>(0, at)));
            }
    auto at = m_colourOf.constFind(dir);
    if (at == m_colourOf.constEnd())
        at = m_colourOf.insert(dir, static_cast<int>(m_colourOf.size()));
    return Theme::instance().rankPen(*at);
}

QList<QColor> ComparePane::colours() const {
    QList<QColor> colours;
    for (const RunRow& run : m_runs)
        colours << penOf(run.dir()).color();
    return colours;
}

void ComparePane::setRuns(const QList<RunRow>& runs) {
    if (sameRuns(runs, m_given))
        return;
    m_given = runs;
    m_loader->cancel();
    m_later->start();
}

void ComparePane::runsChanged() {
    QStringList before, now;
    for (const RunRow& run : m_runs)
        before << run.dir();
    for (const RunRow& run : m_given)
        now << run.dir();
    before.sort();
    now.sort();
    if (before != now || now.size() < 2)
        return arrange();
    // the same runs went on: nobody's choices are touched
    for (RunRow& run : m_runs)
        run = *std::find_if(m_given.begin(), m_given.end(),
                            [&](const RunRow& one) { return one.paths.dir == run.paths.dir; });
    m_names = distinctNames(m_runs);
    m_figures->setRuns(m_runs, colours());
    fillScatter();
    load();
}

/// The one that is tagged so, else the oldest.
qsizetype ComparePane::defaultBaseline() const {
    const auto tagged = std::find_if(m_runs.begin(), m_runs.end(), [](const RunRow& run) {
        const auto tags = run.tags();
        return std::any_of(tags.begin(), tags.end(), [](const std::string& tag) {
            return QString::fromStdString(tag).compare(QLatin1String("baseline"), Qt::CaseInsensitive) == 0;
        });
    });
    const auto base = tagged != m_runs.end()
                          ? tagged
                          : std::min_element(m_runs.begin(), m_runs.end(), [](const RunRow& a, const RunRow& b) {
                                return std::pair(a.info.startRealtimeNs, a.paths.dir) <
                                       std::pair(b.info.startRealtimeNs, b.paths.dir);
                            });
    return base - m_runs.begin();
}

void ComparePane::setBaseline(const QString& dir) {
    m_baselineDir = dir;
    arrange();
}

void ComparePane::arrange() {
    m_runs = m_given;
    // the baseline first, the others as they stand in the table
    auto base =
        std::find_if(m_runs.begin(), m_runs.end(), [this](const RunRow& run) { return run.dir() == m_baselineDir; });
    if (base == m_runs.end() && !m_runs.isEmpty())
        base = m_runs.begin() + defaultBaseline();
    if (base != m_runs.end())
        std::rotate(m_runs.begin(), base, base + 1);
    m_names = distinctNames(m_runs);
    m_stack->setCurrentWidget(m_runs.size() < 2 ? static_cast<QWidget*>(m_empty) : m_tabs);
    if (m_runs.size() < 2) {
        m_loader->cancel();
        m_plot->setLines({});
        for (CompareChart* chart : m_charts) {
            chart->cancel();
            chart->plot()->setLines({});
        }
        m_scroll->hide();
        m_loading->show();
        m_figures->setRuns({}, {});
        m_settings->setRuns({}, {});
        return;
    }
    fillChoices();
    fillColours();
    m_figures->setRuns(m_runs, colours());
    m_settings->setRuns(m_runs, colours());
    for (QTableView* view : {m_figureView, m_settingView})
        fitHeadings(view, view == m_settingView ? 320 : 160);
    fillScatter();
    load();
}

/// A run's column has room for its name and that it is the baseline, within bounds.
void ComparePane::fitHeadings(QTableView* view, int first) const {
    constexpr int kBeside = 44, kNarrowest = 170, kWidest = 340; // the swatch, margins
    view->setColumnWidth(0, first);
    for (qsizetype i = 0; i < m_names.size(); ++i) {
        const QString name = i == 0 ? tr("%1 (baseline)").arg(m_names[i]) : m_names[i];
        view->setColumnWidth(static_cast<int>(i) + 1,
                             std::clamp(view->fontMetrics().horizontalAdvance(name) + kBeside, kNarrowest, kWidest));
    }
}

/// Settings that differ, to colour by; and the values of the chosen one.
void ComparePane::fillColours() {
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
    m_values.clear();
    if (const std::string key = colourKey(); !key.empty())
        for (const RunRow& run : m_runs)
            m_values << settingOf(run, key);
    m_values.removeDuplicates();
    std::sort(m_values.begin(), m_values.end(), settingIsLess);
    m_group->setEnabled(!colourKey().empty());
    m_filling = false;
}

void ComparePane::addChart() {
    if (m_charts.size() + 1 >= kMostCharts)
        return;
    auto* chart = new CompareChart(m_plots);
    QSet<int> shown{m_metric->currentData().toInt()};
    for (const CompareChart* other : m_charts)
        shown.insert(other->metric()->currentData().toInt());
    // what is looked at most beside the loss comes first
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
    connect(chart, &CompareChart::metricChosen, this, &ComparePane::load);
    connect(chart, &CompareChart::removeRequested, this, [this, chart] { removeChart(chart); });
    m_plots->addWidget(chart);
    m_charts.push_back(chart);
    m_add->setEnabled(m_charts.size() + 1 < kMostCharts);
    load();
}

void ComparePane::removeChart(CompareChart* chart) {
    std::erase(m_charts, chart);
    chart->hide();
    chart->deleteLater();
    m_add->setEnabled(true);
}

/// Runs whose random numbers are not the same differ by more than their settings.
QString ComparePane::seedRemark() const {
    QSet<QString> seeds;
    for (const RunRow& run : m_runs) {
        const std::string* set = run.settings ? run.settings->find("rankscope.seed") : nullptr;
        if (set && *set != "null")
            seeds.insert(QString::fromStdString(*set));
        else if (run.info.drawnSeed != 0)
            seeds.insert(QStringLiteral("drawn %1").arg(run.info.drawnSeed));
        else if (set)
            seeds.insert(run.dir()); // drawn by itself and not recorded: nobody else's
    }
    return seeds.size() > 1 ? tr("These runs have different seeds: their losses differ from the first step on.")
                            : QString();
}

void ComparePane::fillChoices() {
    m_filling = true;
    m_baseline->clear();
    for (qsizetype i = 0; i < m_runs.size(); ++i) {
        m_baseline->addItem(m_names[i], m_runs[i].dir());
        m_baseline->setItemData(static_cast<int>(i), plainToolTip(runTip(m_runs[i])), Qt::ToolTipRole);
        m_baseline->setItemData(static_cast<int>(i), runTip(m_runs[i]), RunCombo::TipRole);
    }
    m_baseline->setCurrentIndex(0);
    const QVariant chosen = m_scatterX->currentData();
    m_scatterX->clear();
    for (const SettingLine& line : settingLines(m_runs, true))
        m_scatterX->addItem(QString::fromStdString(*line.key), QString::fromStdString(*line.key));
    m_scatterX->setCurrentIndex(std::max(0, m_scatterX->findData(chosen)));
    m_filling = false;
}

CurveRequest ComparePane::request() const {
    CurveRequest request;
    const int metric = m_metric->currentData().toInt();
    request.metric = metric == kValidation ? std::nullopt : std::optional(static_cast<store::Metric>(metric));
    request.axis = static_cast<CurveAxis>(m_axis->currentData().toInt());
    request.meanOverRanks = m_ranks->currentData().toInt() != 0;
    return request;
}

void ComparePane::load() {
    if (m_runs.size() < 2)
        return;
    QStringList dirs;
    for (const RunRow& run : m_runs.mid(0, kMostCurves))
        dirs << run.dir();
    m_loader->request(dirs, request());
    for (CompareChart* chart : m_charts)
        chart->load(dirs, request());
}

std::vector<CompareLine> ComparePane::linesOf(const CompareReply& reply, QStringList& missing) const {
    QSet<QString> hidden;
    for (int i = 0; i < m_legend->count(); ++i)
        if (m_legend->item(i)->checkState() != Qt::Checked)
            hidden.insert(m_legend->item(i)->data(Qt::UserRole).toString());
    std::vector<CompareLine> lines;
    for (qsizetype i = 0; i < m_runs.size() && i < static_cast<qsizetype>(reply.curves.size()); ++i) {
        const Curve& curve = reply.curves[static_cast<std::size_t>(i)];
        lines.push_back({m_runs[i].dir(), m_names[i], runTip(m_runs[i]), 1, penOf(m_runs[i].dir()), curve.samples,
                         !isGrouped() && hidden.contains(m_runs[i].dir())});
        if (!curve.missing.isEmpty())
            missing << QStringLiteral("%1: %2").arg(m_names[i], curve.missing);
    }
    if (!isGrouped())
        return lines;
    lines = groupsOf(std::move(lines));
    for (CompareLine& line : lines)
        line.hidden = hidden.contains(line.id);
    return lines;
}

/// `runs` are in the order of m_runs.
std::vector<CompareLine> ComparePane::groupsOf(std::vector<CompareLine> runs) const {
    const std::string key = colourKey();
    const QString shortKey = QString::fromStdString(key).section(QLatin1Char('.'), -1);
    std::vector<CompareLine> groups;
    for (const QString& value : m_values) {
        std::vector<const Samples*> curves;
        QStringList names;
        CompareLine group;
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (settingOf(m_runs[static_cast<qsizetype>(i)], key) == value) {
                curves.push_back(&runs[i].samples);
                names << runs[i].name;
                group.pen = runs[i].pen;
            }
        if (curves.empty()) // of a run beyond those that are drawn
            continue;
        group.id = QStringLiteral("value:") + value;
        group.runs = static_cast<int>(curves.size());
        const QString shown = value.isEmpty() ? tr("%1 not set").arg(shortKey) : shortKey + QLatin1Char(' ') + value;
        group.name = tr("%1 (%n run(s))", nullptr, group.runs).arg(shown);
        group.tip = names.join(QLatin1Char('\n'));
        group.samples = meanOverRuns(curves);
        groups.push_back(std::move(group));
    }
    return groups;
}

void ComparePane::takeInto(CompareChart* chart, const CompareReply& reply) {
    QStringList missing; // the first chart says what is missing of a run
    const auto& info = store::info(*reply.request.metric);
    chart->plot()->setMetric(metricTitle(info.metric), QString::fromUtf8(info.unit), reply.request.axis);
    chart->plot()->setLines(linesOf(reply, missing));
}

void ComparePane::take(const CompareReply& reply) {
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

/// As wide as its names, within bounds. Returns what there is for a name.
int ComparePane::fitLegend() {
    constexpr int kBeside = 80, kNarrowest = 160, kWidest = 420; // box, line and margins; of the list
    const QFontMetrics metrics(m_legend->font());
    int widest = 0;
    for (std::size_t i = 0; i < m_plot->lines().size(); ++i) {
        const QString& name = m_plot->lines()[i].name;
        widest = std::max(widest, metrics.horizontalAdvance(isBaseline(i) ? tr("%1 (baseline)").arg(name) : name));
    }
    m_legend->setFixedWidth(std::clamp(widest + kBeside, kNarrowest, std::clamp(width() / 3, kNarrowest, kWidest)));
    return m_legend->width() - kBeside + 6; // parts of a text may be wider than the whole
}

void ComparePane::fillLegend() {
    m_filling = true;
    m_legend->clear();
    const int room = fitLegend();
    for (std::size_t i = 0; i < m_plot->lines().size(); ++i) {
        const CompareLine& line = m_plot->lines()[i];
        QPixmap swatch(24, 12);
        swatch.fill(Qt::transparent);
        {
            QPainter painter(&swatch);
            QPen pen = line.pen;
            pen.setWidthF(2);
            painter.setPen(pen);
            painter.drawLine(1, 6, 23, 6);
        }
        const QFontMetrics metrics(m_legend->font());
        const int behind = isBaseline(i) ? metrics.horizontalAdvance(tr("%1 (baseline)").arg(QString())) : 0;
        const QString name = elidedName(line.name, metrics, room - behind);
        auto* item = new QListWidgetItem(QIcon(swatch), isBaseline(i) ? tr("%1 (baseline)").arg(name) : name, m_legend);
        item->setData(Qt::UserRole, line.id);
        item->setToolTip(plainToolTip(line.tip));
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setCheckState(line.hidden ? Qt::Unchecked : Qt::Checked);
    }
    m_legend->setIconSize(QSize(24, 12));
    m_filling = false;
}

void ComparePane::fillScatter() {
    const RunField y = fieldOf(m_scatterY->currentData().toString());
    const QString key = m_scatterX->currentData().toString();
    m_scatter->setData(key.isEmpty() ? ScatterData() : scatterOf(m_runs, colours(), settingField(key), y, realtimeNs()),
                       key.isEmpty() ? tr("no setting differs between these runs") : key, y);
}

bool ComparePane::isComplete() const {
    return !m_later->isActive() &&
           (m_runs.size() < 2 || (!m_loader->isBusy() && m_plot->isDrawn() &&
                                  std::all_of(m_charts.begin(), m_charts.end(),
                                              [](const CompareChart* chart) { return chart->isComplete(); })));
}

void ComparePane::showTab(Tab tab) {
    m_tabs->setCurrentIndex(tab);
}

void ComparePane::copyTable() {
    if (m_runs.size() < 2)
        return;
    const bool figures = m_tabs->currentIndex() == Figures, settings = m_tabs->currentIndex() == Settings;
    QString text = figures ? m_figures->copied() : settings ? m_settings->copied() : QString();
    if (text.isEmpty())
        text = (m_tabs->currentIndex() == Scatter ? m_scatter->csv() : m_plot->csv())
                   .replace(QLatin1Char(','), QLatin1Char('\t'));
    QGuiApplication::clipboard()->setText(text);
    emit message(tr("Copied the table"));
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
        const auto written = scatter ? m_scatter->exportTo(file, title) : m_plot->exportTo(file, title);
        if (written)
            emit message(tr("Saved %1").arg(file));
        else
            emit failed(QString::fromStdString(written.error().message()));
    });
    dialog->open();
}

void ComparePane::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        arrange();
    }
}

} // namespace rankscope::ui
