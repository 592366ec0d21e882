// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/overview/overview_strip.h"

#include "widgets/models/text/text_format.h"
#include "widgets/plots/axes/plot_style.h"
#include "widgets/plots/axes/ticks.h"
#include "widgets/plots/curves/column_raster.h"
#include "widgets/theme/accessible.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

double BrushGeometry::toPixel(double x) const {
    return whole.width() > 0 ? left + (x - whole.lo) / whole.width() * (right - left) : left;
}

double BrushGeometry::toX(double pixel) const {
    return right > left ? whole.lo + (pixel - left) / (right - left) * whole.width() : whole.lo;
}

double BrushGeometry::windowLeft() const {
    const double a = toPixel(window.lo), b = toPixel(window.hi);
    const double grown = b - a >= kMinWindowPx ? a : (a + b - kMinWindowPx) / 2;
    return std::clamp(grown, left, std::max(left, right - kMinWindowPx));
}

double BrushGeometry::windowRight() const {
    const double a = toPixel(window.lo), b = toPixel(window.hi);
    return std::min(right,
                    std::max(windowLeft() + kMinWindowPx, b - a >= kMinWindowPx ? b : (a + b + kMinWindowPx) / 2));
}

BrushGeometry::BrushPart BrushGeometry::partAt(double pixel) const {
    const double l = windowLeft(), r = windowRight();
    const bool all = window.lo <= whole.lo && window.hi >= whole.hi;
    if (std::abs(pixel - l) <= kHandlePx && std::abs(pixel - l) <= std::abs(pixel - r))
        return BrushPart::Left;
    if (std::abs(pixel - r) <= kHandlePx)
        return BrushPart::Right;
    if (pixel > l && pixel < r)
        return all ? BrushPart::Outside : BrushPart::Window; // nothing to move: a drag brushes a new window
    return pixel >= left - kHandlePx && pixel <= right + kHandlePx ? BrushPart::Outside : BrushPart::None;
}

PlotRange BrushGeometry::dragged(BrushPart part, PlotRange start, double from, double to, double minWidth) const {
    const double delta = toX(to) - toX(from);
    switch (part) {
    case BrushPart::Left:
        return clamped({std::clamp(start.lo + delta, whole.lo, std::max(whole.lo, start.hi - minWidth)), start.hi},
                       whole, minWidth);
    case BrushPart::Right:
        return clamped({start.lo, std::clamp(start.hi + delta, std::min(whole.hi, start.lo + minWidth), whole.hi)},
                       whole, minWidth);
    case BrushPart::Window:
        return panned(start, delta, whole);
    case BrushPart::Outside: {
        const double a = std::clamp(toX(from), whole.lo, whole.hi);
        const double b = std::clamp(toX(to), whole.lo, whole.hi);
        return clamped({std::min(a, b), std::max(a, b)}, whole, minWidth);
    }
    case BrushPart::None:
        break;
    }
    return start;
}

namespace {
constexpr double kMarkStrip = 6; ///< height of the marks above the curve
constexpr double kLabelStrip = 14;
} // namespace

OverviewStrip::OverviewStrip(QWidget* parent) : QWidget(parent) {
    setAccessibleRole(this, QAccessible::Chart);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setFixedHeight(52);
    retranslate();
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        m_curve = {};
        update();
    });
    onLanguageChange(this, [this] { retranslate(); });
}

void OverviewStrip::retranslate() {
    setToolTip(tr("The whole run. Drag to choose what the plots show; double-click to show all."));
    setAccessibleName(tr("Overview of the whole run"));
    update();
}

void OverviewStrip::setBand(Samples band) {
    m_band = std::move(band);
    m_curve = {};
    update();
}

void OverviewStrip::setRanges(PlotRange whole, PlotRange window, double minWidth) {
    m_whole = whole;
    m_window = window;
    m_minWidth = minWidth;
    update();
}

void OverviewStrip::setSpans(QList<IncidentSpan> spans, qint64 selected) {
    set(m_spans, std::move(spans));
    set(m_selected, selected);
}

QRectF OverviewStrip::content() const {
    QFont small = font();
    small.setPointSizeF(9);
    const double left = plotLeftMargin(small);
    return {left, 3 + kMarkStrip, std::max(1.0, width() - left - kPlotRightMargin),
            std::max(1.0, height() - 5 - kMarkStrip - kLabelStrip)};
}

BrushGeometry OverviewStrip::geometryNow() const {
    const QRectF box = content();
    return {box.left(), box.right(), m_whole, m_window};
}

void OverviewStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const auto& palette = Theme::instance().palette();
    painter.fillRect(rect(), palette.panel);
    painter.fillRect(content(), palette.window);
    drawSpans(painter);
    drawCurve(painter);
    drawJoints(painter);
    drawWindow(painter);
    drawLabels(painter);
}

/// Draws the curve from an image: the window moves over it in every frame, but the curve changes at most once per step.
void OverviewStrip::drawCurve(QPainter& painter) {
    const qreal scale = devicePixelRatioF();
    const QRectF box = content();
    const QSize size = (box.size() * scale).toSize();
    if (m_curve.size() != size || m_curveOf != m_whole) {
        m_curve = QImage(size, QImage::Format_ARGB32_Premultiplied);
        m_curve.setDevicePixelRatio(scale);
        m_curveOf = m_whole;
        paintCurve(m_curve);
    }
    painter.drawImage(box.topLeft(), m_curve); // not stretched to the box, whose size may be fractional
}

/// Paints the minimum and maximum of each column as an area, with the mean as a line over it.
void OverviewStrip::paintCurve(QImage& image) const {
    const Samples samples = reduceToPixels(m_band, m_whole, static_cast<int>(content().width()));
    const Extent extent = extentOf(samples, m_whole);
    const auto geometry = geometryNow();
    const double scale = devicePixelRatioF(), left = content().left(), height = image.height(), edge = 2 * scale;
    const double perY = (height - 2 * edge) / std::max(extent.hi - extent.lo, 1e-12);
    const auto point = [&](double x, double v) {
        return RasterPoint{(geometry.toPixel(x) - left) * scale, height - edge - (v - extent.lo) * perY};
    };
    std::vector<RasterPoint> upper, lower, line;
    for (const auto& s : samples) {
        if (s.isGap())
            continue;
        upper.push_back(point(s.x, s.max));
        lower.push_back(point(s.x, s.min));
        line.push_back(point(s.x, s.mean));
    }
    std::vector<std::uint32_t> columns;
    ColumnRaster raster(image.size(), columns);
    const QColor ink = Theme::instance().palette().secondary;
    raster.fill(upper, lower, withAlpha(ink, 0.45F));
    raster.stroke(line, {ink, 1.2 * scale, true, {}});
    raster.copyTo(image);
}

void OverviewStrip::drawSpans(QPainter& painter) const {
    const auto& palette = Theme::instance().palette();
    const QRectF box = content();
    const auto geometry = geometryNow();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const auto& span : m_spans) {
        const double a = std::max(geometry.toPixel(span.lo), box.left());
        const double b = std::min(std::max(a + 2, geometry.toPixel(span.hi)), box.right());
        if (b <= a)
            continue;
        const QColor colour = palette.incidentSign(span.pause);
        painter.fillRect(QRectF(a, box.top(), b - a, box.height()), withAlpha(colour, 0.25F));
        const QPointF tip((a + b) / 2, box.top());
        painter.setBrush(colour);
        painter.setPen(span.id == m_selected ? QPen(palette.text, 1.2) : QPen(Qt::NoPen));
        painter.drawPolygon(QPolygonF{tip, tip + QPointF(4, -kMarkStrip), tip + QPointF(-4, -kMarkStrip)});
    }
    painter.restore();
}

void OverviewStrip::drawJoints(QPainter& painter) const {
    const QRectF box = content();
    const auto geometry = geometryNow();
    QPen pen(Theme::instance().palette().secondary, 1);
    pen.setDashPattern({3, 2});
    painter.setPen(pen);
    for (const double joint : m_joints)
        if (m_whole.contains(joint)) {
            const double x = std::round(geometry.toPixel(joint));
            painter.drawLine(QLineF(x, box.top(), x, box.bottom()));
        }
}

void OverviewStrip::drawWindow(QPainter& painter) const {
    const auto& palette = Theme::instance().palette();
    const QRectF box = content();
    const auto geometry = geometryNow();
    const double l = geometry.windowLeft(), r = geometry.windowRight();
    const QColor shade = withAlpha(palette.panel, 0.62F);
    painter.fillRect(QRectF(QPointF(box.left(), box.top()), QPointF(l, box.bottom())), shade);
    painter.fillRect(QRectF(QPointF(r, box.top()), QPointF(box.right(), box.bottom())), shade);
    if (m_filter) { // a bar along the bottom, so that it is not mistaken for the window's frame
        const double a = std::clamp(geometry.toPixel(m_filter->lo), box.left(), box.right());
        const double b = std::clamp(geometry.toPixel(m_filter->hi), a + 2, box.right() + 2);
        painter.fillRect(QRectF(a, box.bottom() - 3, b - a, 3), palette.accent);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(hasFocus() ? palette.accent : withAlpha(palette.accent, 0.75F), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(QPointF(l, box.top()), QPointF(r, box.bottom())).adjusted(0.5, 0.5, -0.5, -0.5));
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette.accent);
    const double middle = box.center().y(), half = std::min(7.0, box.height() / 3);
    for (const double x : {l, r})
        painter.drawRoundedRect(QRectF(x - 2.5, middle - half, 5, 2 * half), 2, 2);
}

QString OverviewStrip::label(double x) const {
    if (m_axis == CurveAxis::Time)
        return durationText(static_cast<std::int64_t>(std::max(0.0, x) * 1e9));
    if (m_axis == CurveAxis::SampleCount)
        return tr("%1 samples").arg(countText(std::llround(std::max(0.0, x))));
    return tr("step %1").arg(countText(std::llround(std::max(0.0, x))));
}

void OverviewStrip::drawLabels(QPainter& painter) const {
    const QRectF box = content();
    QFont small = font();
    small.setPointSizeF(8.5);
    painter.setFont(small);
    painter.setPen(Theme::instance().palette().secondary);
    const QRectF strip(box.left(), box.bottom() + 1, box.width(), kLabelStrip);
    const QString from = label(m_axis == CurveAxis::Time ? m_window.lo : std::ceil(m_window.lo));
    const QString to = label(m_axis == CurveAxis::Time ? m_window.hi : std::floor(m_window.hi));
    const QFontMetricsF metrics(small);
    const auto geometry = geometryNow();
    // the labels are below the window's edges, do not overlap and stay in the strip
    const double fromWidth = metrics.horizontalAdvance(from), toWidth = metrics.horizontalAdvance(to);
    double a = std::clamp(geometry.windowLeft(), strip.left(), strip.right() - fromWidth - toWidth - 12);
    double b = std::clamp(geometry.windowRight() - toWidth, a + fromWidth + 12, strip.right() - toWidth);
    painter.drawText(QRectF(a, strip.top(), fromWidth + 2, strip.height()), Qt::AlignLeft | Qt::AlignVCenter, from);
    painter.drawText(QRectF(b, strip.top(), toWidth + 2, strip.height()), Qt::AlignLeft | Qt::AlignVCenter, to);
}

const IncidentSpan* OverviewStrip::markAt(const QPointF& pixel) const {
    if (pixel.y() > content().top())
        return nullptr;
    const auto geometry = geometryNow();
    const IncidentSpan* best = nullptr;
    double bestDistance = 6;
    for (const auto& span : m_spans) {
        const double distance = std::abs(geometry.toPixel((span.lo + span.hi) / 2) - pixel.x());
        if (distance < bestDistance) {
            best = &span;
            bestDistance = distance;
        }
    }
    return best;
}

void OverviewStrip::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    if (const auto* span = markAt(event->position()))
        return emit incidentClicked(span->id);
    m_part = geometryNow().partAt(event->position().x());
    m_start = m_window;
    m_from = event->position().x();
}

void OverviewStrip::mouseMoveEvent(QMouseEvent* event) {
    const double at = event->position().x();
    if (m_part != BrushGeometry::BrushPart::None) {
        if (m_part != BrushGeometry::BrushPart::Outside || std::abs(at - m_from) > 3)
            emit windowChanged(geometryNow().dragged(m_part, m_start, m_from, at, m_minWidth));
        return;
    }
    const auto part = geometryNow().partAt(at);
    const auto* span = markAt(event->position());
    setCursor(span ? Qt::PointingHandCursor
              : part == BrushGeometry::BrushPart::Left || part == BrushGeometry::BrushPart::Right ? Qt::SizeHorCursor
              : part == BrushGeometry::BrushPart::Window                                          ? Qt::OpenHandCursor
                                                                                                  : Qt::CrossCursor);
}

void OverviewStrip::mouseReleaseEvent(QMouseEvent* event) {
    // a click outside the window moves it there
    if (m_part == BrushGeometry::BrushPart::Outside && std::abs(event->position().x() - m_from) <= 3) {
        const double x = geometryNow().toX(event->position().x());
        const double half = m_window.width() / 2;
        emit windowChanged(clamped({x - half, x + half}, m_whole, m_minWidth));
    }
    m_part = BrushGeometry::BrushPart::None;
}

void OverviewStrip::mouseDoubleClickEvent(QMouseEvent*) {
    m_part = BrushGeometry::BrushPart::None;
    emit reset();
}

void OverviewStrip::keyPressEvent(QKeyEvent* event) {
    const double tenth = m_window.width() / 10;
    switch (event->key()) {
    case Qt::Key_Left:
        emit windowChanged(panned(m_window, -tenth, m_whole));
        break;
    case Qt::Key_Right:
        emit windowChanged(panned(m_window, tenth, m_whole));
        break;
    case Qt::Key_Up:
    case Qt::Key_Down: {
        const double centre = (m_window.lo + m_window.hi) / 2;
        emit windowChanged(zoomed(m_window, centre, event->key() == Qt::Key_Up ? 0.8 : 1.25, m_whole, m_minWidth));
        break;
    }
    case Qt::Key_Home:
        emit windowChanged(clamped({m_whole.lo, m_whole.lo + m_window.width()}, m_whole, m_minWidth));
        break;
    case Qt::Key_End:
        emit windowChanged(following(m_window, m_whole));
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace rankscope::ui
