// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/plot/rank_plot.h"

#include "core/base/text/unit_format.h"
#include "widgets/models/text/text_format.h"
#include "widgets/plots/axes/ticks.h"
#include "widgets/plots/plot/plot_readout.h"
#include "widgets/theme/accessible.h"
#include "widgets/theme/theme.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {
constexpr double kLogReach = 1e-6; ///< lowest value of a log axis, relative to its top

QCPRange padded(double lo, double hi, double share) {
    const double pad = hi > lo ? (hi - lo) * share : std::max(std::abs(hi) * 0.1, 1e-3);
    return {lo - pad, hi + pad};
}
} // namespace

RankPlot::RankPlot(PlotSpec spec, QWidget* parent)
    : QCustomPlot(parent), m_spec(std::move(spec)), m_xTicker(QSharedPointer<PlotTicker>::create()),
      m_yTicker(QSharedPointer<PlotTicker>::create()) {
    setInteractions(QCP::iNone);
    setAutoAddPlottableToLegend(false);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(72);
    setNoAntialiasingOnDrag(true);
    setPlottingHint(QCP::phImmediateRefresh, false); // linked plots must reach the screen together, not one by one
    addLayer(QStringLiteral("spans"), layer(QStringLiteral("background")), limAbove);
    addLayer(QStringLiteral("behind"), layer(QStringLiteral("main")), limBelow);
    setAccessibleRole(this, QAccessible::Chart, [this] { return spokenReadout(); });
    m_canvas = new CurveCanvas(this);
    m_canvas->setLayer(QStringLiteral("main"));
    (new IncidentSpanItem(this, m_spans))->setLayer(QStringLiteral("spans"));
    m_unwatched = new UnwatchedBands(this);
    m_unwatched->setLayer(QStringLiteral("spans"));
    m_joints = new ResumeMarksItem(this);
    m_joints->setLayer(QStringLiteral("axes"));
    m_marks = new MarksItem(this);
    m_marks->setLayer(QStringLiteral("axes"));
    m_frame = new PlotFrameItem(this, m_spans);
    m_frame->setLayer(QStringLiteral("axes"));
    m_readout = new ReadoutItem(this);
    m_readout->setLayer(QStringLiteral("overlay")); // buffered on its own: hovering repaints nothing else
    m_band = std::make_unique<BandCurves>(this, m_canvas);
    m_referenceCurve = std::make_unique<ReferenceCurve>(this);
    m_y = new PlotYAxis(this);
    connect(m_y, &PlotYAxis::changed, this, &RankPlot::rebuildLater);
    m_gestures = new PlotGestures(this, {m_frame, m_marks, m_joints, m_readout, m_y}, m_range);
    m_openEnds = new OngoingMarks(this);
    m_openEnds->setLayer(QStringLiteral("main"));
    xAxis->setTicker(m_xTicker);
    yAxis->setTicker(m_yTicker);
    prepareAxes(this);
    xAxis->grid()->setVisible(true);
    xAxis->setTickLabelPadding(static_cast<int>(PlotFrameItem::kMarkPx) + 2); // leaves room for the marks of incidents
    m_frame->title = m_spec.title;
    connect(this, &QCustomPlot::afterReplot, this, [this] { m_replotPending = false; });
    connect(&Theme::instance(), &Theme::changed, this, &RankPlot::applyTheme);
    applyTheme();
}

void RankPlot::applyTheme() {
    styleAxes(this);
    applyMargins();
    rebuildLater();
}

void RankPlot::applyMargins() {
    setPlotMargins(this, m_bottom);
}

int RankPlot::plotHeight() const {
    const QMargins margins = axisRect()->margins();
    return std::max(1, height() - margins.top() - margins.bottom());
}

void RankPlot::setBottom(bool bottom) {
    m_bottom = bottom;
    m_frame->showMarks = bottom;
    m_marks->showAxisMarks = bottom;
    applyMargins();
    rebuildLater();
}

void RankPlot::setTitle(const QString& title, const QString& unit) {
    m_spec.title = title;
    m_spec.unit = unit;
    m_frame->title = title;
    setAccessibleName(title);
    rebuildLater();
}

void RankPlot::setTop(bool top) {
    m_marks->showFlags = top;
    m_joints->showLabels = top;
    rebuildLater();
}

void RankPlot::setSeries(std::vector<Samples> ranks) {
    if (ranks == m_series)
        return; // new data of a live run is often for other plots only
    m_series = std::move(ranks);
    m_series.empty() ? m_smoothing.clear() : m_smoothing.forget();
    rebuildLater();
}

void RankPlot::setReference(QString name, Samples samples) {
    set(m_referenceName, std::move(name));
    set(m_reference, std::move(samples));
}

void RankPlot::setSmoothingHalfLife(double steps) {
    if (m_smoothing.setHalfLife(steps) && m_smooth)
        rebuildLater();
}

void RankPlot::setLines(std::vector<int> ranks, bool band) {
    set(m_lines, std::move(ranks));
    set(m_withBand, band);
}

void RankPlot::setSpans(QList<IncidentSpan> spans, qint64 selected) {
    set(m_spans, std::move(spans));
    set(m_frame->selectedSpan, selected);
}

void RankPlot::setUnwatched(std::vector<PlotRange> ranges) {
    set(m_unwatched->label, plotSignText(PlotSign::Unwatched));
    set(m_unwatched->ranges, std::move(ranges));
}

void RankPlot::rebuildLater() {
    // a posted event comes before the window's next update, so that one frame shows all changes
    if (!std::exchange(m_rebuildPosted, true))
        QMetaObject::invokeMethod(
            this, [this] { m_rebuildPosted ? rebuild() : void(); }, Qt::QueuedConnection);
}

void RankPlot::rebuild() {
    m_rebuildPosted = m_resized = false;
    const int pixels = plotWidth();
    m_shown.clear();
    for (const auto& samples : m_series)
        m_shown.push_back(reduceToPixels(samples, m_range, pixels));
    xAxis->setRange(m_range.lo, m_range.hi);
    fitY();
    showNothing();
    while (m_curves.size() < m_lines.size())
        m_curves.emplace_back(this, m_canvas);
    m_frame->notFinite.clear();
    for (const auto& samples : m_shown)
        for (const auto& s : samples)
            if (s.notFinite > 0)
                m_frame->notFinite.push_back(s.x);
    std::sort(m_frame->notFinite.begin(), m_frame->notFinite.end());
    const double floor = m_log ? m_floor : -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < m_curves.size(); ++i) {
        const auto rank = i < m_lines.size() ? static_cast<std::size_t>(m_lines[i]) : m_shown.size();
        if (rank >= m_shown.size()) {
            m_curves[i].hide();
            continue;
        }
        const auto& samples = m_shown[rank];
        const auto inView =
            std::count_if(samples.begin(), samples.end(), [this](const Sample& s) { return m_range.contains(s.x); });
        const CurveStyle style{m_frame->linePen(static_cast<int>(rank)), floor, inView * 14 < pixels};
        if (m_smooth)
            m_curves[i].showSmoothed(samples, reduceToPixels(m_smoothing.of(rank, m_series[rank]), m_range, pixels),
                                     style);
        else
            m_curves[i].show(samples, style);
    }
    if (m_withBand) {
        std::vector<const Samples*> all;
        for (const auto& samples : m_shown)
            all.push_back(&samples);
        Samples band = bandAcross(all);
        m_band->show(reduceToPixels(band, m_range, pixels), floor, true);
    } else {
        m_band->hide();
    }
    m_referenceCurve->show(m_reference, floor);
    showOpenEnds();
    showCuts();
    applyTicks();
    fillReadout();
    m_replotPending = true;
    replot(rpQueuedRefresh);
}

static bool hasValue(const Samples& samples) {
    return std::any_of(samples.begin(), samples.end(), [](const Sample& s) { return !s.isGap() || s.notFinite; });
}

bool RankPlot::hasValues() const {
    return !m_open.empty() || std::any_of(m_series.begin(), m_series.end(), hasValue) || hasValue(m_reference);
}

/// Shows a plot without values, which has no scale either.
void RankPlot::showNothing() {
    const bool any = !m_open.empty() || std::any_of(m_shown.begin(), m_shown.end(), hasValue) || hasValue(m_reference);
    m_frame->nothing = any || m_series.empty() ? QString() : m_nothingText;
    yAxis->setTickLabels(any);
    yAxis->grid()->setVisible(any);
}

bool RankPlot::isDrawnAsLine(int rank) const {
    return std::find(m_lines.begin(), m_lines.end(), rank) != m_lines.end();
}

void RankPlot::showOpenEnds() {
    m_openEnds->ends.clear();
    for (const OngoingValue& value : m_open) {
        if (!isDrawnAsLine(value.rank) || !m_range.contains(value.x))
            continue;
        const auto at = [this](double x, double y) { return QPointF(x, m_log ? std::max(y, m_floor) : y); };
        OngoingMarks::OngoingMark end{std::nullopt, at(value.x, value.y), Theme::instance().rankPen(value.rank)};
        if (static_cast<std::size_t>(value.rank) < m_shown.size())
            if (const Sample* last = lastUntil(m_shown[static_cast<std::size_t>(value.rank)], value.x);
                last && !last->isGap())
                end.from = at(last->x, last->mean);
        m_openEnds->ends.push_back(std::move(end));
    }
}

/// Returns the curves to which the y axis is fitted.
std::vector<PlotYAxis::AxisCurve> RankPlot::drawnCurves() const {
    std::vector<PlotYAxis::AxisCurve> curves;
    for (std::size_t r = 0; r < m_shown.size(); ++r) {
        const int rank = static_cast<int>(r);
        if (isDrawnAsLine(rank))
            curves.push_back({&m_shown[r], lineColour(rank)});
        else if (m_withBand)
            curves.push_back({&m_shown[r], Theme::instance().palette().secondary});
    }
    return curves;
}

void RankPlot::showCuts() {
    std::vector<Samples> open;
    open.reserve(m_open.size());
    std::vector<PlotYAxis::AxisCurve> curves = drawnCurves();
    for (const OngoingValue& value : m_open) {
        if (!isDrawnAsLine(value.rank))
            continue;
        open.push_back({{.x = value.x, .min = value.y, .mean = value.y, .max = value.y, .count = 1}});
        curves.push_back({&open.back(), lineColour(value.rank)});
    }
    m_y->showCuts(curves, m_range);
}

void RankPlot::fitY() {
    Extent extent;
    for (std::size_t r = 0; r < m_shown.size(); ++r)
        if (m_withBand || isDrawnAsLine(static_cast<int>(r)))
            extent.add(extentOf(m_shown[r], m_range, m_log));
    for (const OngoingValue& value : m_open)
        if (isDrawnAsLine(value.rank) && m_range.contains(value.x))
            extent.add(value.y);
    extent = m_y->reach(extent, drawnCurves(), m_range, m_log);
    extent.add(extentOf(m_reference, m_range, m_log)); // it has few values, none of which counts as an outlier
    yAxis->setScaleType(m_log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    if (m_log) {
        const double hi = extent.any ? std::max(extent.hi, m_spec.logFloor * 10) : 1;
        double lo = extent.any ? std::max({extent.lo, m_spec.logFloor, hi * kLogReach}) : 0.1;
        lo = std::min(lo, hi / 1.2);
        const double pad = std::pow(hi / lo, 0.06);
        m_floor = lo / pad;
        yAxis->setRange(m_floor, hi * pad);
        m_y->applyByHand(true);
        m_floor = std::min(m_floor, yAxis->range().lower);
        return;
    }
    if (!extent.any) {
        yAxis->setRange(0, 1);
    } else if (m_spec.fromZero) {
        // a little below 0, so that the axis does not hide the holder's line of zeros
        const double top = std::max(extent.hi * 1.06, m_spec.duration ? 1e-6 : 1e-3);
        yAxis->setRange(-0.025 * top, top);
    } else {
        yAxis->setRange(padded(extent.lo, extent.hi, 0.06));
    }
    m_y->applyByHand(false);
}

void RankPlot::applyTicks() {
    m_yTicker->setMost(std::clamp(plotHeight() / 22, 2, 6));
    const int labels = QFontMetrics(font()).horizontalAdvance(
        m_axis == CurveAxis::SampleCount ? QStringLiteral("8,888,888,888  ") : QStringLiteral("888,888  "));
    m_xTicker->setMost(std::clamp(plotWidth() / std::max(1, labels), 2, 6));
    m_xTicker->setKind(m_axis == CurveAxis::Time ? PlotTicker::TickKind::Time : PlotTicker::TickKind::Whole);
    m_yTicker->setKind(m_log          ? PlotTicker::TickKind::Log
                       : m_spec.whole ? PlotTicker::TickKind::Whole
                                      : PlotTicker::TickKind::Value);
    m_yTicker->setFactor(m_spec.duration ? durationUnit(yAxis->range().upper).perSecond : 1);
    m_yTicker->setOwnUnits(m_spec.duration && m_log);
    m_frame->unit = unitText();
    QStringList remarks;
    if (m_reference.size() > 1) // a single value has no line
        remarks << tr("dashed: %1").arg(m_referenceName);
    if (m_log)
        remarks << tr("log scale");
    if (m_smooth)
        remarks << tr("smoothed, half-life %1 steps").arg(countText(std::llround(m_smoothing.halfLife())));
    remarks << m_y->remarks();
    m_frame->remarkInset = m_y->resetWidth();
    m_frame->remark = remarks.join(QStringLiteral(", "));
    QString x;
    if (m_bottom)
        x = m_axis == CurveAxis::Step          ? tr("step")
            : m_axis == CurveAxis::SampleCount ? tr("samples over all ranks")
            : m_range.hi < 120                 ? tr("time since start (s)")
            : m_range.hi < 3600                ? tr("time since start (min:s)")
                                               : tr("time since start (h:min:s)");
    xAxis->setLabel(x);
}

QString RankPlot::unitText() const {
    if (m_spec.duration && m_log)
        return {}; // the tick labels have their own units
    return m_spec.duration ? QString::fromUtf8(durationUnit(yAxis->range().upper).name) : m_spec.unit;
}

QString RankPlot::valueText(const Sample& s) const {
    const auto one = [this](double v) {
        if (m_spec.duration)
            return durationText(static_cast<std::int64_t>(std::llround(std::clamp(v, -9e9, 9e9) * 1e9)));
        if (m_spec.whole)
            return countText(std::llround(v));
        return QString::number(v, 'f', std::abs(v) < 10 ? 4 : 2);
    };
    if (s.isGap())
        return s.notFinite ? tr("not finite") : QStringLiteral("–");
    const QString low = one(s.min), high = one(s.max);
    return low == high ? one(s.mean) : QStringLiteral("%1 – %2").arg(low, high);
}

void RankPlot::setCrosshair(std::optional<double> x, bool withBox) {
    if (!x && !m_readout->x)
        return;
    m_readout->x = x;
    m_withBox = withBox;
    fillReadout();
    layer(QStringLiteral("overlay"))->replot();
}

std::optional<double> RankPlot::crosshair() const {
    return m_readout->x;
}

void RankPlot::fillReadout() {
    m_readout->cells.clear();
    m_readout->showBox = m_withBox;
    if (!m_readout->x)
        return;
    const Sample* at = nullptr;
    for (const int rank : m_lines) {
        if (static_cast<std::size_t>(rank) >= m_shown.size() || m_readout->cells.size() >= qsizetype{2} * kMaxLines)
            continue;
        const Sample* s = nearest(m_shown[static_cast<std::size_t>(rank)], *m_readout->x);
        if (!s)
            continue;
        at = at ? at : s;
        std::optional<double> y;
        if (!s->isGap())
            y = m_log ? std::max(s->mean, m_floor) : s->mean;
        m_readout->cells.append(
            {tr("rank %1").arg(rank), valueText(*s), Theme::instance().rankPen(rank), m_smooth ? std::nullopt : y});
    }
    for (const OngoingValue& value : m_open)
        if (at && isDrawnAsLine(value.rank) && m_series.size() > static_cast<std::size_t>(value.rank) &&
            !m_series[static_cast<std::size_t>(value.rank)].empty() &&
            at->lastStep == m_series[static_cast<std::size_t>(value.rank)].back().lastStep)
            m_readout->cells.append({tr("rank %1, so far").arg(value.rank),
                                     durationText(static_cast<std::int64_t>(value.y * 1e9)),
                                     Theme::instance().rankPen(value.rank), std::nullopt});
    if (const auto cell = at ? referenceCell(*at) : std::nullopt)
        m_readout->cells.append(*cell);
    if (!at)
        return m_readout->x.reset();
    m_readout->x = at->x;
    const QString step = at->firstStep == at->lastStep
                             ? tr("step %1").arg(countText(at->firstStep))
                             : tr("steps %1 – %2").arg(countText(at->firstStep), countText(at->lastStep));
    const QString where =
        m_axis == CurveAxis::SampleCount ? tr("%1, %2 samples").arg(step, countText(std::llround(at->x))) : step;
    m_readout->header = tr("%1, %2", "step, time since start").arg(where, durationText(at->timeNs));
    if (const QString run = m_joints->runAt(at->x); !run.isEmpty())
        m_readout->header = tr("%1, %2", "step and time, run").arg(m_readout->header, run);
}

/// Returns the reference's value at these steps. Between two of its values it returns both, because the line between
/// them is drawn there.
std::optional<ReadoutCell> RankPlot::referenceCell(const Sample& at) const {
    const auto after = std::upper_bound(m_reference.begin(), m_reference.end(), at.lastStep,
                                        [](std::int64_t step, const Sample& s) { return step < s.lastStep; });
    if (after == m_reference.begin())
        return std::nullopt;
    const Sample& last = *std::prev(after);
    ReadoutCell cell{tr("%1, step %2", "name of a curve").arg(m_referenceName, countText(last.lastStep)),
                     valueText(last), ReferenceCurve::pen(), std::nullopt};
    const bool between = last.lastStep < at.firstStep && after != m_reference.end();
    if (between && !last.isGap() && !after->isGap()) {
        cell.name = tr("%1, steps %2 and %3", "name of a curve")
                        .arg(m_referenceName, countText(last.lastStep), countText(after->lastStep));
        cell.value = QStringLiteral("%1 → %2").arg(valueText(last), valueText(*after));
        const double share = std::clamp((at.x - last.x) / std::max(after->x - last.x, 1e-12), 0.0, 1.0);
        const double from = std::max(last.mean, m_log ? m_floor : last.mean);
        const double to = std::max(after->mean, m_log ? m_floor : after->mean);
        cell.y = m_log ? from * std::pow(to / from, share) : from + (to - from) * share;
    } else if (last.x == at.x && !last.isGap()) {
        cell.y = m_log ? std::max(last.mean, m_floor) : last.mean;
    }
    return cell;
}

/// Returns the box's figures as text for screen readers.
QString RankPlot::spokenReadout() const {
    if (!m_readout->x)
        return m_frame->nothing;
    QStringList said{m_readout->header};
    for (const ReadoutCell& cell : m_readout->cells)
        said << cell.name + u' ' + cell.value;
    return said.join(QStringLiteral("; "));
}

QColor RankPlot::lineColour(int rank) const {
    return Theme::instance().rankPen(rank).color();
}

const RankCurves* RankPlot::curves(int rank) const {
    const auto it = std::find(m_lines.begin(), m_lines.end(), rank);
    const auto i = static_cast<std::size_t>(it - m_lines.begin());
    return i < m_curves.size() && i < m_lines.size() ? &m_curves[i] : nullptr;
}

const QCPGraph* RankPlot::line(int rank) const {
    const RankCurves* mine = curves(rank);
    return mine ? mine->line() : nullptr;
}

void RankPlot::keyPressEvent(QKeyEvent* event) {
    if (!m_gestures->key(event))
        QCustomPlot::keyPressEvent(event);
}

void RankPlot::focusInEvent(QFocusEvent* event) {
    QCustomPlot::focusInEvent(event);
    m_frame->focused = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    rebuildLater();
}

void RankPlot::focusOutEvent(QFocusEvent* event) {
    QCustomPlot::focusOutEvent(event);
    m_frame->focused = false;
    rebuildLater();
}

PlotSigns RankPlot::signs() const {
    PlotSigns signs{};
    const auto put = [&](PlotSign sign, bool on) { signs[static_cast<std::size_t>(sign)] = on; };
    const auto inRange = [this](const Sample& s) { return !s.isGap() && m_range.contains(s.x); };
    using Kind = PlotMark::PlotMarkKind;
    put(PlotSign::Band, m_withBand);
    for (const IncidentSpan& span : m_spans)
        if (spanPixels(span, *xAxis))
            put(span.pause ? PlotSign::Pause : PlotSign::Incident, true);
    put(PlotSign::Unwatched, m_unwatched->isInSight());
    put(PlotSign::Checkpoint, m_marks->shows(Kind::Checkpoint));
    put(PlotSign::Validation, m_marks->shows(Kind::Validation) || std::ranges::any_of(m_reference, inRange));
    put(PlotSign::Annotation, m_marks->shows(Kind::Annotation));
    put(PlotSign::InProgress, !m_openEnds->ends.empty());
    put(PlotSign::CutOff, m_y->hasCuts());
    put(PlotSign::NotFinite, std::ranges::any_of(m_frame->notFinite, [this](double x) { return m_range.contains(x); }));
    return signs;
}

/// Only stores the size, because a layout may change it several times before the next frame.
void RankPlot::resizeEvent(QResizeEvent*) {
    setViewport(rect());
    m_resized = true;
    rebuildLater();
}

void RankPlot::paintEvent(QPaintEvent* event) {
    if (m_resized)
        rebuild(); // an exposed window is painted before posted events are handled
    QCustomPlot::paintEvent(event);
}

} // namespace rankscope::ui
