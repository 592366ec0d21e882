// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/compare/compare_plot.h"

#include "widgets/models/text/text_format.h"
#include "widgets/plots/axes/plot_style.h"
#include "widgets/plots/axes/ticks.h"
#include "widgets/plots/export/page_export.h"
#include "widgets/plots/plot/plot_readout.h"
#include "widgets/theme/accessible.h"
#include "widgets/theme/theme.h"

#include <QFileInfo>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {
constexpr double kHalfLife = 12;       ///< steps
constexpr std::size_t kMostCells = 24; ///< cells of the box under the pointer

void give(QCPGraph* graph, const QVector<QCPGraphData>& data) {
    auto container = QSharedPointer<QCPGraphDataContainer>::create();
    container->set(data, true);
    graph->setData(container);
}
} // namespace

ComparePlot::ComparePlot(QWidget* parent)
    : QCustomPlot(parent), m_xTicker(QSharedPointer<PlotTicker>::create()),
      m_yTicker(QSharedPointer<PlotTicker>::create()), m_rebuild(new QTimer(this)) {
    setAccessibleRole(this, QAccessible::Chart);
    setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    axisRect()->setRangeDrag(Qt::Horizontal);
    axisRect()->setRangeZoom(Qt::Horizontal);
    setAutoAddPlottableToLegend(false);
    setMouseTracking(true);
    setNoAntialiasingOnDrag(true);
    setMinimumSize(160, 120);
    addLayer(QStringLiteral("bands"), layer(QStringLiteral("main")), limBelow);
    m_frame = new PlotFrameItem(this, m_noSpans);
    m_frame->setLayer(QStringLiteral("axes"));
    m_readout = new ReadoutItem(this);
    m_readout->setLayer(QStringLiteral("overlay"));
    xAxis->setTicker(m_xTicker);
    yAxis->setTicker(m_yTicker);
    prepareAxes(this);
    m_rebuild->setSingleShot(true);
    connect(m_rebuild, &QTimer::timeout, this, &ComparePlot::rebuild);
    connect(this, &QCustomPlot::afterReplot, this, [this] { m_pending = false; });
    connect(xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this](const QCPRange& range) {
        if (m_setting)
            return;
        const PlotRange all = limits(), wanted = clamped({range.lower, range.upper}, all, all.width() * 1e-6);
        m_setting = true;
        xAxis->setRange(wanted.lo, wanted.hi);
        m_setting = false;
        m_whole = wanted == all;
        rebuildLater();
    });
    connect(&Theme::instance(), &Theme::changed, this, &ComparePlot::applyTheme);
    applyTheme();
}

void ComparePlot::applyTheme() {
    styleAxes(this);
    setPlotMargins(this, true);
    rebuildLater();
}

void ComparePlot::setLines(std::vector<CompareLine> lines) {
    m_lines = std::move(lines);
    while (m_graphs.size() < m_lines.size()) {
        Graphs graphs{addGraph(), addGraph(), addGraph()};
        for (auto* graph : {graphs.lower, graphs.upper, graphs.line})
            graph->setSelectable(QCP::stNone);
        graphs.lower->setLayer(QStringLiteral("bands"));
        graphs.upper->setLayer(QStringLiteral("bands"));
        graphs.upper->setChannelFillGraph(graphs.lower);
        m_graphs.push_back(graphs);
    }
    rebuildLater();
}

void ComparePlot::setHidden(int line, bool hidden) {
    m_lines[static_cast<std::size_t>(line)].hidden = hidden;
    rebuildLater();
}

void ComparePlot::setMetric(const QString& title, const QString& unit, CurveAxis axis) {
    m_whole = m_whole || axis != m_axis;
    m_title = title;
    m_unit = unit;
    m_axis = axis;
    setAccessibleName(title);
    rebuildLater();
}

void ComparePlot::setLogScale(bool on) {
    m_log = on;
    rebuildLater();
}

void ComparePlot::setSmoothing(bool on) {
    m_smooth = on;
    rebuildLater();
}

void ComparePlot::setBand(bool on) {
    m_band = on;
    rebuildLater();
}

void ComparePlot::showAll() {
    m_whole = true;
    rebuildLater();
}

PlotRange ComparePlot::limits() const {
    Extent extent;
    for (const auto& line : m_lines)
        if (!line.samples.empty() && !line.hidden) {
            extent.add(line.samples.front().x);
            extent.add(line.samples.back().x);
        }
    if (!extent.any)
        return {0, 1};
    return extent.hi > extent.lo ? PlotRange{extent.lo, extent.hi} : PlotRange{extent.lo - 0.5, extent.lo + 0.5};
}

void ComparePlot::rebuildLater() {
    if (!m_rebuild->isActive())
        m_rebuild->start(0);
}

void ComparePlot::rebuild() {
    m_rebuild->stop();
    const PlotRange all = limits();
    m_setting = true;
    if (m_whole)
        xAxis->setRange(all.lo, all.hi);
    m_setting = false;
    const PlotRange range{xAxis->range().lower, xAxis->range().upper};
    const int pixels = std::max(1, axisRect()->width());
    std::vector<Samples> shown;
    for (const auto& line : m_lines) {
        Samples samples = line.hidden ? Samples() : reduceToPixels(line.samples, range, pixels);
        shown.push_back(std::move(samples));
    }
    fitY(shown);
    const double floor = m_log ? yAxis->range().lower : -std::numeric_limits<double>::infinity();
    m_frame->notFinite.clear();
    for (std::size_t i = 0; i < m_graphs.size(); ++i) {
        for (auto* graph : {m_graphs[i].lower, m_graphs[i].upper, m_graphs[i].line})
            graph->setVisible(i < m_lines.size() && !m_lines[i].hidden);
        if (i < m_lines.size())
            draw(m_graphs[i], m_lines[i], shown[i], floor);
        else
            for (auto* graph : {m_graphs[i].lower, m_graphs[i].upper, m_graphs[i].line})
                graph->data()->clear();
        for (const Sample& s : i < shown.size() ? shown[i] : Samples())
            if (s.notFinite > 0)
                m_frame->notFinite.push_back(s.x);
    }
    std::sort(m_frame->notFinite.begin(), m_frame->notFinite.end());
    applyTicks();
    m_pending = true;
    replot(rpQueuedReplot);
}

void ComparePlot::draw(const Graphs& graphs, const CompareLine& line, const Samples& samples, double floor) const {
    QVector<QCPGraphData> low, high, mean;
    if (m_band)
        for (const Sample& s : samples)
            if (!s.isGap()) {
                low.append(QCPGraphData(s.x, std::max(s.min, floor)));
                high.append(QCPGraphData(s.x, std::max(s.max, floor)));
            }
    const Samples centre = m_smooth ? smoothed(samples, kHalfLife) : samples;
    for (const Sample& s : centre)
        mean.append(QCPGraphData(s.x, s.isGap() ? qQNaN() : std::max(s.mean, floor)));
    give(graphs.lower, low);
    give(graphs.upper, high);
    give(graphs.line, mean);
    QColor fill = line.pen.color();
    fill.setAlphaF(0.13F);
    graphs.lower->setPen(Qt::NoPen);
    graphs.upper->setPen(Qt::NoPen);
    graphs.upper->setBrush(fill);
    graphs.line->setPen(line.pen);
    const bool few = mean.size() * 14 < axisRect()->width();
    graphs.line->setScatterStyle(few ? QCPScatterStyle(QCPScatterStyle::ssDisc, line.pen.color(), 4)
                                     : QCPScatterStyle(QCPScatterStyle::ssNone));
}

void ComparePlot::fitY(const std::vector<Samples>& shown) {
    const PlotRange range{xAxis->range().lower, xAxis->range().upper};
    Extent extent;
    for (Samples samples : shown) {
        if (!m_band) { // the range is fitted to the line alone
            samples = m_smooth ? smoothed(samples, kHalfLife) : samples;
            for (Sample& s : samples)
                s.min = s.max = s.mean;
        }
        extent.add(extentOf(samples, range, m_log));
    }
    yAxis->setScaleType(m_log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    if (!extent.any) {
        yAxis->setRange(m_log ? 0.1 : 0, 1);
    } else if (m_log) {
        const double hi = std::max(extent.hi, 1e-12), lo = std::min(std::max(extent.lo, hi * 1e-6), hi / 1.2);
        const double pad = std::pow(hi / lo, 0.06);
        yAxis->setRange(lo / pad, hi * pad);
    } else {
        const double pad =
            extent.hi > extent.lo ? (extent.hi - extent.lo) * 0.06 : std::max(std::abs(extent.hi) * 0.1, 1e-3);
        yAxis->setRange(extent.lo - pad, extent.hi + pad);
    }
}

void ComparePlot::applyTicks() {
    const bool duration = m_unit == QLatin1String("s");
    const QFontMetrics metrics(font());
    m_yTicker->setMost(std::clamp(axisRect()->height() / 22, 2, 6));
    m_xTicker->setMost(
        std::clamp(axisRect()->width() / std::max(1, metrics.horizontalAdvance(QStringLiteral("8,888,888  "))), 2, 6));
    m_xTicker->setKind(m_axis == CurveAxis::Time ? PlotTicker::TickKind::Time : PlotTicker::TickKind::Whole);
    m_yTicker->setKind(m_log ? PlotTicker::TickKind::Log : PlotTicker::TickKind::Value);
    const DurationUnit unit = durationUnit(yAxis->range().upper);
    m_yTicker->setFactor(duration ? unit.perSecond : 1);
    m_yTicker->setOwnUnits(duration && m_log);
    m_frame->title = m_title;
    m_frame->unit = !duration ? m_unit : m_log ? QString() : QString::fromUtf8(unit.name);
    QStringList remarks;
    if (m_log)
        remarks << tr("log scale");
    if (m_smooth)
        remarks << tr("smoothed");
    m_frame->remark = remarks.join(QStringLiteral(", "));
    xAxis->setLabel(m_axis == CurveAxis::Step          ? tr("step")
                    : m_axis == CurveAxis::SampleCount ? tr("samples over all ranks")
                                                       : tr("time since start"));
}

QString ComparePlot::valueText(const CompareLine& line, const Sample& s) const {
    const auto one = [this](double v) {
        if (m_unit == QLatin1String("s"))
            return durationText(static_cast<std::int64_t>(std::llround(std::clamp(v, -9e9, 9e9) * 1e9)));
        return QString::number(v, 'g', 5);
    };
    if (s.isGap())
        return s.notFinite ? tr("not finite") : QStringLiteral("–");
    const QString text =
        s.min == s.max ? one(s.mean) : QStringLiteral("%1  (%2 – %3)").arg(one(s.mean), one(s.min), one(s.max));
    return line.runs > 1 && s.count < line.runs ? tr("%1, %2 of %3 runs").arg(text).arg(s.count).arg(line.runs) : text;
}

QString ComparePlot::placeText(double x) const {
    switch (m_axis) {
    case CurveAxis::Step:
        return tr("step %1").arg(countText(std::llround(x)));
    case CurveAxis::SampleCount:
        return tr("%1 samples").arg(countText(std::llround(x)));
    case CurveAxis::Time:
        break;
    }
    return durationText(static_cast<std::int64_t>(x * 1e9));
}

void ComparePlot::setHover(std::optional<double> x) {
    m_readout->x = x;
    m_readout->cells.clear();
    if (x) {
        m_readout->header = placeText(*x);
        for (const auto& line : m_lines) {
            if (line.hidden || static_cast<std::size_t>(m_readout->cells.size()) >= kMostCells)
                continue;
            const bool inside = !line.samples.empty() && *x >= line.samples.front().x && *x <= line.samples.back().x;
            const Sample* s = inside ? nearest(line.samples, *x) : nullptr;
            std::optional<double> y;
            if (s && !s->isGap() && !m_smooth)
                y = s->mean;
            m_readout->cells.append({line.name.whole, s ? valueText(line, *s) : QStringLiteral("–"), line.pen, y});
        }
    }
    layer(QStringLiteral("overlay"))->replot();
}

void ComparePlot::mouseMoveEvent(QMouseEvent* event) {
    QCustomPlot::mouseMoveEvent(event);
    if (axisRect()->rect().contains(event->position().toPoint()) && event->buttons() == Qt::NoButton)
        setHover(xAxis->pixelToCoord(event->position().x()));
    else if (m_readout->x)
        setHover(std::nullopt);
}

void ComparePlot::mouseDoubleClickEvent(QMouseEvent*) {
    showAll();
}

void ComparePlot::leaveEvent(QEvent* event) {
    QCustomPlot::leaveEvent(event);
    if (m_readout->x)
        setHover(std::nullopt);
}

void ComparePlot::resizeEvent(QResizeEvent* event) {
    QCustomPlot::resizeEvent(event);
    rebuildLater();
}

QString ComparePlot::csv(QChar separator) const {
    const auto number = [](double v) { return QString::number(v, 'g', 9); };
    const auto quoted = [](QString text) {
        return QStringLiteral("\"%1\"").arg(text.replace(QLatin1Char('"'), QStringLiteral("\"\"")));
    };
    const char* x = m_axis == CurveAxis::Step ? "step" : m_axis == CurveAxis::Time ? "time_s" : "samples";
    const QStringList head{"run", "series", "unit", x,        "first_step", "last_step",
                           "min", "mean",   "max",  "values", "not_finite"};
    QString text = head.join(separator) + QLatin1Char('\n');
    for (const auto& line : m_lines) {
        if (line.hidden)
            continue;
        for (const Sample& s : line.samples) {
            QStringList row{
                quoted(line.name.whole),    quoted(m_title), m_unit, number(s.x), QString::number(s.firstStep),
                QString::number(s.lastStep)};
            for (const double v : {s.min, s.mean, s.max})
                row << (s.isGap() ? QString() : number(v));
            row << QString::number(s.count) << QString::number(s.notFinite);
            text += row.join(separator) + QLatin1Char('\n');
        }
    }
    return text;
}

Result<void> ComparePlot::exportTo(const QString& file, const QString& title) {
    if (QFileInfo(file).suffix().toLower() == QLatin1String("csv"))
        return writeTextFile(csv(), file);
    PlotPage page;
    page.title = title;
    for (const auto& line : m_lines)
        if (!line.hidden)
            page.legend.append({line.pen, line.name.whole});
    page.draw = [this, &page](QCPPainter& painter) { toPainter(&painter, PlotPage::kWidth, page.height); };
    return writePage(page, file);
}

} // namespace rankscope::ui
