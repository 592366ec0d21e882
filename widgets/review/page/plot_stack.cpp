// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/page/plot_stack.h"

#include "widgets/theme/theme.h"

#include <QEvent>
#include <QPainter>
#include <QSplitter>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rankscope::ui {

namespace {

constexpr int kLeastPlotHeight = 80, kAxisHeight = 40; ///< minimum for a readable curve; the x axis of the last plot
constexpr int kFoldedHeight = 48;

/// A line across the plots, with a knob at either end.
class InsertionMark final : public QWidget {
public:
    static constexpr int kHeight = 8;

    explicit InsertionMark(QWidget* parent) : QWidget(parent) {
        setObjectName(QStringLiteral("insertionMark"));
        setAttribute(Qt::WA_TransparentForMouseEvents);
        hide();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(Theme::instance().palette().accent);
        const QRectF box(rect());
        painter.drawRoundedRect(QRectF(4, box.center().y() - 1.5, box.width() - 8, 3), 1.5, 1.5);
        for (const double x : {4.0, box.width() - 4})
            painter.drawEllipse(QPointF(x, box.center().y()), 4, 4);
    }
};

/// Returns the place nearest to `to` that the plot at `from` may have; places are counted without it.
qsizetype allowedPlace(const QList<bool>& pinned, qsizetype from, qsizetype to) {
    const qsizetype above = pinned.count(true) - pinned[from];
    return pinned[from] ? std::clamp<qsizetype>(to, 0, above) : std::clamp<qsizetype>(to, above, pinned.size() - 1);
}

/// Does the same for gaps: returns the index of the plot before which it would be dropped, counting all plots.
qsizetype allowedGap(const QList<bool>& pinned, qsizetype from, qsizetype gap) {
    const qsizetype above = pinned.count(true);
    return pinned[from] ? std::clamp<qsizetype>(gap, 0, above) : std::clamp<qsizetype>(gap, above, pinned.size());
}

QString paneName(const PlotSeries& series) {
    if (series.isTag())
        return QStringLiteral("tagPlot");
    if (series.isLoss())
        return QStringLiteral("lossPlot");
    if (series.isMetric() && series.metric == store::Metric::FramesMax)
        return QStringLiteral("lengthPlot");
    if (series.isMetric() && series.metric == store::Metric::WaitTotal)
        return QStringLiteral("waitPlot");
    return series.key() + QStringLiteral("Plot");
}

} // namespace

PlotStack::PlotStack(QWidget* parent) : QScrollArea(parent), m_splitter(new QSplitter(Qt::Vertical)) {
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(5);
    m_splitter->installEventFilter(this);
    setObjectName(QStringLiteral("plotsArea"));
    setWidget(m_splitter); // a small window scrolls instead of squashing its plots
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

bool PlotStack::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_splitter && event->type() == QEvent::Resize)
        emit resized();
    return QScrollArea::eventFilter(watched, event);
}

int PlotStack::plotsWidth() const {
    return m_splitter->width();
}

QList<RankPlot*> PlotStack::plots() const {
    QList<RankPlot*> all;
    for (const Pane& pane : m_panes)
        all << pane.plot;
    return all;
}

std::vector<PlotStack::Pane>::iterator PlotStack::find(const RankPlot* plot) {
    return std::ranges::find(m_panes, plot, &Pane::plot);
}

const PlotStack::Pane* PlotStack::paneOf(const RankPlot* plot) const {
    const auto it = std::ranges::find(m_panes, plot, &Pane::plot);
    return it == m_panes.end() ? nullptr : &*it;
}

bool PlotStack::has(const PlotSeries& series) const {
    return std::any_of(m_panes.begin(), m_panes.end(), [&](const Pane& p) { return p.series == series; });
}

bool PlotStack::isDrawn() const {
    return std::all_of(m_panes.begin(), m_panes.end(),
                       [](const Pane& p) { return p.plot->isHidden() || p.plot->isDrawn(); });
}

RankPlot* PlotStack::makePane(const PlotSeries& series, bool logScale) {
    auto* plot = new RankPlot(series.spec());
    plot->setObjectName(paneName(series));
    plot->setAccessibleName(series.title());
    plot->setSmoothing(m_smooth);
    plot->setSmoothingHalfLife(m_halfLife);
    plot->setLogScale(logScale);
    connect(plot->y(), &PlotYAxis::ignoreOutliersChanged, this, &PlotStack::outliersChanged);
    const auto* gestures = plot->gestures();
    connect(gestures, &PlotGestures::moveRequested, this, [this, plot](int by) { movePlot(plot, by); });
    connect(gestures, &PlotGestures::titleDragged, this,
            [this, plot](QPoint at, PlotGestures::TitleDrag phase) { dragPlot(plot, at, phase); });
    connect(gestures, &PlotGestures::removeRequested, this, [this, plot] { removePlot(plot); });
    emit added(plot, series);
    m_splitter->addWidget(plot);
    m_splitter->setStretchFactor(m_splitter->count() - 1, 1);
    plot->show();
    m_panes.push_back({series, plot, logScale});
    return plot;
}

/// Gives the uppermost plot the flags and the lowest one the labels of the x axis.
void PlotStack::updateEnds() {
    for (const Pane& pane : m_panes) {
        pane.plot->setTop(&pane == &m_panes.front());
        const bool bottom = &pane == &m_panes.back();
        pane.plot->setBottom(bottom);
        const int axis = bottom ? kAxisHeight : 0;
        pane.plot->setMinimumHeight((pane.unfoldedHeight > 0 ? kFoldedHeight : kLeastPlotHeight) + axis);
        pane.plot->setMaximumHeight(pane.unfoldedHeight > 0 ? kFoldedHeight + axis : QWIDGETSIZE_MAX);
    }
}

bool PlotStack::addPlot(const PlotSeries& series) {
    const auto same = std::find_if(m_panes.begin(), m_panes.end(), [&](const Pane& p) { return p.series == series; });
    if (same != m_panes.end()) {
        same->plot->setFocus(Qt::TabFocusReason);
        emit message(tr("%1 is already on the page").arg(series.title()));
        return false;
    }
    if (std::ssize(m_panes) >= ReviewLayout::kMostPlots) {
        emit message(tr("Only %n plots fit; remove one first", nullptr, ReviewLayout::kMostPlots));
        return false;
    }
    QList<int> heights = m_splitter->sizes();
    const bool ignoring = std::ranges::all_of(m_panes, [](const Pane& p) { return p.plot->y()->ignoresOutliers(); });
    makePane(series, m_log)->y()->setIgnoreOutliers(ignoring);
    heights << (heights.isEmpty() ? 100 : heights.back());
    m_splitter->setSizes(heights);
    updateEnds();
    emit changed();
    return true;
}

void PlotStack::removePlot(RankPlot* plot) {
    if (m_panes.size() <= 1)
        return emit message(tr("The last plot cannot be removed"));
    const auto it = find(plot);
    if (it == m_panes.end())
        return;
    emit message(tr("%1 was removed; it can be added again from the menu of panes").arg(it->series.title()));
    m_panes.erase(it);
    emit removed(plot);
    emit outliersChanged();
    plot->hide();
    plot->setParent(nullptr);
    plot->deleteLater(); // deleted later, because its own menu or key may have requested it
    updateEnds();
    emit changed();
}

void PlotStack::setPlotLog(RankPlot* plot, bool on) {
    if (const auto pane = find(plot); pane != m_panes.end()) {
        pane->log = on;
        plot->setLogScale(on);
    }
}

void PlotStack::setLogScale(bool on) {
    m_log = on;
    for (Pane& pane : m_panes) {
        pane.log = on;
        pane.plot->setLogScale(on);
    }
}

void PlotStack::setSmoothing(bool on) {
    m_smooth = on;
    for (const Pane& pane : m_panes)
        pane.plot->setSmoothing(on);
}

void PlotStack::setSmoothingHalfLife(double steps) {
    m_halfLife = steps;
    for (const Pane& pane : m_panes)
        pane.plot->setSmoothingHalfLife(steps);
}

bool PlotStack::ignoresOutliers() const {
    return std::ranges::any_of(m_panes, [](const Pane& p) { return p.plot->y()->ignoresOutliers(); });
}

void PlotStack::setIgnoreOutliers(bool on) {
    for (const Pane& pane : m_panes)
        pane.plot->y()->setIgnoreOutliers(on);
    emit outliersChanged();
}

void PlotStack::setPlotIgnoresOutliers(RankPlot* plot, bool on) {
    plot->y()->setIgnoreOutliers(on);
    emit outliersChanged();
}

void PlotStack::movePlot(RankPlot* plot, int by) {
    if (const auto it = find(plot); it != m_panes.end())
        movePlotTo(plot, it - m_panes.begin() + by);
}

qsizetype PlotStack::placeAfterMove(const RankPlot* plot, int by) const {
    const qsizetype place = paneOf(plot) - m_panes.data();
    return allowedPlace(pinnedPlots(), place, place + by);
}

/// Moves a plot; the others close up, and each keeps its height.
void PlotStack::movePlotTo(const RankPlot* plot, qsizetype to) {
    const auto it = find(plot);
    if (it == m_panes.end())
        return;
    const auto from = it - m_panes.begin();
    to = allowedPlace(pinnedPlots(), from, to);
    if (to == from)
        return;
    QList<int> heights = m_splitter->sizes();
    const Pane moved = *it;
    m_panes.erase(it);
    m_panes.insert(m_panes.begin() + to, moved);
    heights.move(from, to);
    m_splitter->insertWidget(static_cast<int>(to), moved.plot);
    m_splitter->setSizes(heights);
    updateEnds();
    emit changed();
}

QList<bool> PlotStack::pinnedPlots() const {
    QList<bool> pinned;
    for (const Pane& pane : m_panes)
        pinned << pane.pinned;
    return pinned;
}

/// Moves a pinned plot to the top; one that is no longer pinned becomes the first of the others.
void PlotStack::setPinned(RankPlot* plot, bool on) {
    const auto pane = find(plot);
    if (pane == m_panes.end() || pane->pinned == on)
        return;
    pane->pinned = on;
    plot->setPinned(on);
    movePlotTo(plot, 0); // as far up as allowed
}

void PlotStack::setFolded(RankPlot* plot, bool on) {
    const auto pane = find(plot);
    if (pane == m_panes.end() || on == (pane->unfoldedHeight > 0))
        return;
    QList<int> heights = m_splitter->sizes();
    const qsizetype index = pane - m_panes.begin();
    const int before = heights[index];
    if (!on) { // the others give back what they had got
        const double others = std::accumulate(heights.begin(), heights.end(), 0.0) - before;
        const double kept = others > 0 ? 1 - (pane->unfoldedHeight - before) / others : 1;
        for (int& height : heights)
            height = static_cast<int>(std::lround(std::max(0.0, kept) * height));
        heights[index] = pane->unfoldedHeight;
    }
    pane->unfoldedHeight = on ? std::max(before, kLeastPlotHeight) : 0;
    updateEnds();
    m_splitter->setSizes(heights);
}

/// Returns the index of the plot before which a plot dropped here goes; the number of plots if it goes last.
qsizetype PlotStack::gapAt(QPoint globalPos) const {
    const int y = m_splitter->mapFromGlobal(globalPos).y();
    return std::count_if(m_panes.begin(), m_panes.end(),
                         [y](const Pane& p) { return p.plot->geometry().center().y() < y; });
}

void PlotStack::markGap(qsizetype gap) {
    if (!m_insertion)
        m_insertion = new InsertionMark(m_splitter->parentWidget());
    const auto last = std::ssize(m_panes);
    const int middle = gap == 0      ? 0
                       : gap == last ? m_splitter->height()
                                     : (m_panes[static_cast<std::size_t>(gap) - 1].plot->geometry().bottom() +
                                        m_panes[static_cast<std::size_t>(gap)].plot->geometry().top() + 1) /
                                           2;
    const QRect box = m_splitter->geometry();
    const int half = InsertionMark::kHeight / 2;
    m_insertion->setGeometry(box.left() + 4, box.top() + std::clamp(middle - half, 0, box.height() - 2 * half),
                             box.width() - 8, 2 * half);
    m_insertion->show();
    m_insertion->raise();
}

void PlotStack::dragPlot(const RankPlot* plot, QPoint globalPos, PlotGestures::TitleDrag phase) {
    const auto it = find(plot);
    const auto from = it - m_panes.begin();
    const bool inside = phase != PlotGestures::TitleDrag::Cancel &&
                        m_splitter->rect().adjusted(-40, -40, 40, 40).contains(m_splitter->mapFromGlobal(globalPos));
    const auto gap = inside && it != m_panes.end() ? allowedGap(pinnedPlots(), from, gapAt(globalPos)) : from;
    const bool moves = it != m_panes.end() && gap != from && gap != from + 1;
    if (phase == PlotGestures::TitleDrag::Over && moves)
        return markGap(gap);
    if (m_insertion)
        m_insertion->hide();
    if (phase == PlotGestures::TitleDrag::Drop && moves)
        movePlotTo(plot, gap > from ? gap - 1 : gap);
}

void PlotStack::saveTo(ReviewLayout& layout) const {
    layout.plots.clear();
    for (const Pane& pane : m_panes)
        layout.plots.append({pane.series.key(), pane.log, pane.plot->y()->ignoresOutliers(), pane.pinned});
    layout.plotHeights = m_splitter->sizes();
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        if (m_panes[i].unfoldedHeight > 0)
            layout.plotHeights[static_cast<qsizetype>(i)] = m_panes[i].unfoldedHeight;
    layout.smooth = m_smooth;
    layout.smoothHalfLife = m_halfLife;
    layout.log = m_log;
}

void PlotStack::restore(const ReviewLayout& layout) {
    for (const Pane& pane : m_panes) {
        emit removed(pane.plot);
        delete pane.plot;
    }
    m_panes.clear();
    m_smooth = layout.smooth;
    m_halfLife = layout.smoothHalfLife;
    m_log = layout.log;
    for (const auto& plot : layout.plots)
        if (const auto series = PlotSeries::fromKey(plot.series)) {
            makePane(*series, plot.log)->y()->setIgnoreOutliers(plot.ignoresOutliers);
            m_panes.back().pinned = plot.pinned;
            m_panes.back().plot->setPinned(plot.pinned);
        }
    if (m_panes.empty()) // there is no layout, or it is from a newer version
        makePane({}, layout.log);
    updateEnds();
    emit changed();
    emit outliersChanged();
    if (layout.plotHeights.size() == m_splitter->count())
        m_splitter->setSizes(layout.plotHeights);
}

} // namespace rankscope::ui
