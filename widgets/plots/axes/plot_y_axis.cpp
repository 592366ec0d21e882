// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/axes/plot_y_axis.h"

#include "widgets/plots/axes/plot_style.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr std::size_t kFewValues = 10;      ///< among fewer values, none is an outlier
constexpr std::size_t kMostValues = 20'000; ///< examined at most; of more, every n-th
/// share of the values on either side of the middle; distance of outliers beyond the middle, in widths of the middle
constexpr double kOuterShare = 0.1, kFence = 1.5;
/// width assumed for a middle of equal values, relative to their size
constexpr double kFlatShare = 0.05;
constexpr double kNarrowest = 1e-9; ///< width of a range, relative to the size of its values
constexpr double kWidest = 1e15;
constexpr double kLeastLog = 1e-300;

template <class F> void eachInside(const Samples& samples, PlotRange window, F take) {
    for (auto it = std::ranges::lower_bound(samples, window.lo, {}, &Sample::x);
         it != samples.end() && it->x <= window.hi; ++it)
        if (!it->isGap())
            take(*it);
}

/// Largest and smallest value of each sample, as positions on the scale.
struct FitValues {
    std::vector<double> low, high;

    void add(const Sample& s, bool log) {
        const auto place = [log](double v) { return log ? std::log(v) : v; };
        if (std::isfinite(place(s.min)))
            low.push_back(place(s.min));
        if (std::isfinite(place(s.max)))
            high.push_back(place(s.max));
    }
};

double quantile(std::vector<double>& values, double share) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

} // namespace

Extent typicalExtent(std::span<const Samples* const> curves, PlotRange window, bool log) {
    FitValues values;
    std::size_t total = 0, seen = 0;
    for (const Samples* curve : curves)
        total += curve->size();
    const std::size_t every = total / kMostValues + 1;
    for (const Samples* curve : curves)
        eachInside(*curve, window, [&](const Sample& s) {
            if (seen++ % every == 0)
                values.add(s, log);
        });
    Extent extent;
    const bool few = values.low.size() < kFewValues || values.high.size() < kFewValues;
    double lowest = -HUGE_VAL, highest = HUGE_VAL;
    if (!few) {
        const double foot = quantile(values.low, kOuterShare), top = quantile(values.high, 1 - kOuterShare);
        double width = top - foot;
        if (width <= 0)
            width = log ? kFlatShare : kFlatShare * std::abs(top);
        if (width > 0) {
            lowest = foot - kFence * width;
            highest = top + kFence * width;
        }
    }
    for (const Samples* curve : curves)
        eachInside(*curve, window, [&](const Sample& s) {
            for (const double v : {s.min, s.mean, s.max})
                if (const double place = log ? std::log(v) : v; place >= lowest && place <= highest)
                    extent.add(v);
        });
    return extent;
}

std::vector<CutPeak> cutPeaks(const Samples& samples, PlotRange window, PlotRange y) {
    std::vector<CutPeak> peaks;
    bool above = false, below = false;
    const auto note = [&](bool isBeyond, bool& wasBeyond, const CutPeak& peak) {
        const bool goesOn = isBeyond && wasBeyond;
        wasBeyond = isBeyond;
        if (!isBeyond)
            return;
        const auto mine =
            goesOn ? std::find_if(peaks.rbegin(), peaks.rend(), [&](const CutPeak& p) { return p.above == peak.above; })
                   : peaks.rend();
        if (mine == peaks.rend())
            peaks.push_back(peak);
        else if (peak.above ? peak.y > mine->y : peak.y < mine->y)
            *mine = peak;
    };
    eachInside(samples, window, [&](const Sample& s) {
        note(s.max > y.hi, above, {s.x, s.max, true});
        note(s.min < y.lo, below, {s.x, s.min, false});
    });
    return peaks;
}

PlotRange zoomedY(PlotRange y, double centre, double factor, bool log) {
    if (log) {
        const PlotRange in = zoomedY({std::log(std::max(y.lo, kLeastLog)), std::log(std::max(y.hi, kLeastLog))},
                                     std::log(std::max(centre, kLeastLog)), factor, false);
        return {std::exp(std::clamp(in.lo, -600.0, 600.0)), std::exp(std::clamp(in.hi, -600.0, 600.0))};
    }
    centre = std::clamp(centre, y.lo, y.hi);
    const PlotRange next{centre - (centre - y.lo) * factor, centre + (y.hi - centre) * factor};
    const double size = std::max(std::abs(next.lo), std::abs(next.hi));
    return next.width() <= kNarrowest * std::max(size, 1e-12) || size > kWidest ? y : next;
}

PlotRange movedY(PlotRange y, double from, double to, bool log) {
    if (!log)
        return {y.lo + from - to, y.hi + from - to};
    const double factor = std::max(from, kLeastLog) / std::max(to, kLeastLog);
    const PlotRange next{y.lo * factor, y.hi * factor};
    return next.lo > kLeastLog && std::isfinite(next.hi) ? next : y;
}

namespace {
constexpr double kMarkWidth = 9, kMarkHeight = 6, kLeastDrag = 4; ///< pixels
constexpr double kWheelStep = 0.8, kKeyStep = 0.5;
/// lower end relative to the top, for a log axis whose manual range has no positive lower end
constexpr double kLogSpan = 1e-6;
constexpr int kResetSize = 18;
} // namespace

void OffscaleMarks::draw(QCPPainter* painter) {
    const QRectF rect = mParentPlot->axisRect()->rect();
    painter->setAntialiasing(true);
    painter->setPen(QPen(Theme::instance().palette().panel, 1));
    double last[2] = {-1e9, -1e9};
    for (const OffscaleMark& mark : marks) {
        const double x = mParentPlot->xAxis->coordToPixel(mark.peak.x);
        double& before = last[mark.peak.above];
        if (x < rect.left() - 1 || x > rect.right() + 1 || (x >= before && x - before < kMarkWidth))
            continue;
        before = x;
        const double tip = mark.peak.above ? rect.top() + 1 : rect.bottom() - 1;
        const double foot = mark.peak.above ? tip + kMarkHeight : tip - kMarkHeight;
        painter->setBrush(mark.colour);
        painter->drawPolygon(
            QPolygonF{QPointF(x, tip), QPointF(x + kMarkWidth / 2, foot), QPointF(x - kMarkWidth / 2, foot)});
    }
    if (!dragged)
        return;
    const double top = mParentPlot->yAxis->coordToPixel(dragged->hi);
    const double bottom = mParentPlot->yAxis->coordToPixel(dragged->lo);
    const QColor accent = Theme::instance().palette().accent;
    const QRectF box = QRectF(QPointF(rect.left(), top), QPointF(rect.right() + 1, bottom)) & rect;
    painter->setPen(QPen(accent, 1));
    painter->drawLine(QLineF(box.topLeft(), box.topRight()));
    painter->drawLine(QLineF(box.bottomLeft(), box.bottomRight()));
    painter->fillRect(box, withAlpha(accent, 0.15F));
}

PlotYAxis::PlotYAxis(QCustomPlot* plot)
    : QObject(plot), m_plot(plot), m_decor(new OffscaleMarks(plot)), m_reset(new QToolButton(plot)) {
    m_decor->setLayer(QStringLiteral("axes"));
    m_reset->setObjectName(QStringLiteral("resetY"));
    m_reset->setAutoRaise(true);
    m_reset->setFocusPolicy(Qt::NoFocus); // Ctrl+Home does the same from the plot
    m_reset->setFixedSize(kResetSize, kResetSize);
    m_reset->setCursor(Qt::ArrowCursor);
    m_reset->hide();
    connect(m_reset, &QToolButton::clicked, this, &PlotYAxis::undo);
    m_reset->setIcon(Theme::instance().icon(QStringLiteral("undo")));
    m_plot->installEventFilter(this);
}

bool PlotYAxis::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_plot && event->type() == QEvent::Resize)
        placeReset();
    else if (watched == m_plot && event->type() == QEvent::LanguageChange)
        updateReset();
    return QObject::eventFilter(watched, event);
}

void PlotYAxis::placeReset() {
    m_reset->move(m_plot->width() - kPlotRightMargin - kResetSize, (kPlotTopMargin - kResetSize) / 2);
}

void PlotYAxis::updateReset() {
    m_reset->setVisible(isCut());
    const QString tip = m_byHand ? tr("Fit the y axis to the visible data again (double-click the axis)")
                                 : tr("Show outliers in full again");
    m_reset->setToolTip(tip);
    m_reset->setAccessibleName(tip);
    placeReset();
    emit changed();
}

int PlotYAxis::resetWidth() const {
    return isCut() ? kResetSize + 4 : 0;
}

bool PlotYAxis::isCut() const {
    return m_byHand || (m_ignoresOutliers && !m_decor->marks.empty());
}

void PlotYAxis::undo() {
    if (m_byHand)
        return setByHand(std::nullopt);
    setIgnoreOutliers(false);
    emit ignoreOutliersChanged(false);
}

void PlotYAxis::setIgnoreOutliers(bool on) {
    if (on == m_ignoresOutliers)
        return;
    m_ignoresOutliers = on;
    updateReset();
}

void PlotYAxis::setByHand(std::optional<PlotRange> range) {
    if (range == m_byHand)
        return;
    m_byHand = range;
    updateReset();
}

Extent PlotYAxis::reach(const Extent& all, std::span<const AxisCurve> curves, PlotRange window, bool log) const {
    if (!m_ignoresOutliers)
        return all;
    std::vector<const Samples*> samples;
    for (const AxisCurve& curve : curves)
        samples.push_back(curve.samples);
    const Extent most = typicalExtent(samples, window, log);
    return most.any ? most : all;
}

void PlotYAxis::applyByHand(bool log) {
    if (!m_byHand || (log && m_byHand->hi <= 0))
        return;
    const double foot = log && m_byHand->lo <= 0 ? m_byHand->hi * kLogSpan : m_byHand->lo;
    m_plot->yAxis->setRange(foot, m_byHand->hi);
}

void PlotYAxis::showCuts(std::span<const AxisCurve> curves, PlotRange window) {
    m_decor->marks.clear();
    if (m_byHand || m_ignoresOutliers)
        for (const AxisCurve& curve : curves)
            for (const CutPeak& peak : cutPeaks(*curve.samples, window, shown()))
                m_decor->marks.push_back({peak, curve.colour});
    m_reset->setVisible(isCut());
}

QStringList PlotYAxis::remarks() const {
    QStringList remarks;
    if (m_byHand)
        remarks << tr("y zoomed");
    if (isCut() && !m_byHand)
        remarks << tr("outliers ignored");
    return remarks;
}

bool PlotYAxis::covers(QPointF at) const {
    const QRect rect = m_plot->axisRect()->rect();
    return at.x() >= 0 && at.x() < rect.left() && at.y() >= rect.top() && at.y() <= rect.bottom();
}

QString PlotYAxis::toolTip() const {
    return m_byHand
               ? tr("Wheel zooms y, drag shows an interval, Shift+drag moves. Double-click fits the visible data again")
               : tr("Wheel zooms y, drag shows an interval, Shift+drag moves");
}

double PlotYAxis::valueAt(double pixel) const {
    const QRect rect = m_plot->axisRect()->rect();
    return m_plot->yAxis->pixelToCoord(std::clamp<double>(pixel, rect.top(), rect.bottom() + 1));
}

void PlotYAxis::zoom(double factor) {
    const QRect rect = m_plot->axisRect()->rect();
    setByHand(zoomedY(shown(), valueAt(rect.center().y()), factor, isLog()));
}

bool PlotYAxis::wheel(const QWheelEvent& event) {
    const int delta = event.angleDelta().y();
    const bool here = covers(event.position());
    if (!here && !(event.modifiers() & Qt::ControlModifier))
        return false;
    if (delta != 0)
        setByHand(zoomedY(shown(), valueAt(event.position().y()), std::pow(kWheelStep, delta / 120.0), isLog()));
    return true;
}

bool PlotYAxis::press(const QMouseEvent& event) {
    if (!covers(event.position()))
        return false;
    m_drag = event.modifiers() & Qt::ShiftModifier ? AxisDrag::Move : AxisDrag::Interval;
    m_from = event.position().y();
    return true;
}

bool PlotYAxis::move(const QMouseEvent& event) {
    const double y = event.position().y();
    if (m_drag == AxisDrag::Move) {
        setByHand(movedY(shown(), m_plot->yAxis->pixelToCoord(m_from), m_plot->yAxis->pixelToCoord(y), isLog()));
        applyByHand(isLog()); // another move may happen before the plot is fitted again
        m_from = y;
    } else if (m_drag == AxisDrag::Interval) {
        const double a = valueAt(m_from), b = valueAt(y);
        m_decor->dragged = PlotRange{std::min(a, b), std::max(a, b)};
        m_plot->replot(QCustomPlot::rpQueuedReplot);
    }
    return m_drag != AxisDrag::None;
}

bool PlotYAxis::release(const QMouseEvent& event) {
    const AxisDrag drag = std::exchange(m_drag, AxisDrag::None);
    const auto dragged = std::exchange(m_decor->dragged, std::nullopt);
    if (drag == AxisDrag::Interval && dragged && std::abs(event.position().y() - m_from) >= kLeastDrag)
        setByHand(dragged);
    if (drag != AxisDrag::None)
        emit changed();
    return drag != AxisDrag::None;
}

bool PlotYAxis::doubleClick(const QMouseEvent& event) {
    if (!covers(event.position()))
        return false;
    m_drag = AxisDrag::None;
    setByHand(std::nullopt);
    return true;
}

bool PlotYAxis::key(const QKeyEvent& event) {
    if (!(event.modifiers() & Qt::ControlModifier))
        return false;
    switch (event.key()) {
    case Qt::Key_Up:
        return zoom(kKeyStep), true;
    case Qt::Key_Down:
        return zoom(1 / kKeyStep), true;
    case Qt::Key_Home:
        setByHand(std::nullopt);
        return true;
    default:
        return false;
    }
}

} // namespace rankscope::ui
