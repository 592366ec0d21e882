// SPDX-License-Identifier: GPL-3.0-or-later
// The order of the plots: by key a place at a time, by dragging a title anywhere.
#include "widgets/review/page/plot_order.h"
#include "widgets/review/page/review_impl.h"
#include "widgets/theme/theme.h"

#include <QPainter>

#include <algorithm>

namespace rankscope::ui {

namespace {

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

} // namespace

void ReviewPage::Impl::movePlot(RankPlot* plot, int by) {
    const auto it = std::find_if(panes.begin(), panes.end(), [plot](const PlotPane& p) { return p.plot == plot; });
    if (it != panes.end())
        movePlotTo(plot, it - panes.begin() + by);
}

/// The others close up; each keeps its height.
void ReviewPage::Impl::movePlotTo(const RankPlot* plot, qsizetype to) {
    const auto it = std::find_if(panes.begin(), panes.end(), [plot](const PlotPane& p) { return p.plot == plot; });
    if (it == panes.end())
        return;
    const auto from = it - panes.begin();
    to = allowedPlace(pinnedPlots(), from, to);
    if (to == from)
        return;
    QList<int> heights = splitter->sizes();
    const PlotPane moved = *it;
    panes.erase(it);
    panes.insert(panes.begin() + to, moved);
    heights.move(from, to);
    splitter->insertWidget(static_cast<int>(to), moved.plot);
    splitter->setSizes(heights);
    seriesChanged();
}

QList<bool> ReviewPage::Impl::pinnedPlots() const {
    QList<bool> pinned;
    for (const PlotPane& pane : panes)
        pinned << pane.pinned;
    return pinned;
}

/// It goes to the top, and stays above all that are not pinned; let go, it is the first of those.
void ReviewPage::Impl::setPinned(RankPlot* plot, bool on) {
    PlotPane* pane = paneOf(plot);
    if (!pane || pane->pinned == on)
        return;
    pane->pinned = on;
    plot->setPinned(on);
    movePlotTo(plot, 0); // as far up as it may go
}

/// Before which plot something dropped here goes; their number: behind all.
qsizetype ReviewPage::Impl::gapAt(QPoint globalPos) const {
    const int y = splitter->mapFromGlobal(globalPos).y();
    return std::count_if(panes.begin(), panes.end(),
                         [y](const PlotPane& p) { return p.plot->geometry().center().y() < y; });
}

void ReviewPage::Impl::markGap(qsizetype gap) {
    if (!insertion)
        insertion = new InsertionMark(splitter->parentWidget());
    const auto last = std::ssize(panes);
    const int middle = gap == 0      ? 0
                       : gap == last ? splitter->height()
                                     : (panes[static_cast<std::size_t>(gap) - 1].plot->geometry().bottom() +
                                        panes[static_cast<std::size_t>(gap)].plot->geometry().top() + 1) /
                                           2;
    const QRect box = splitter->geometry();
    const int half = InsertionMark::kHeight / 2;
    insertion->setGeometry(box.left() + 4, box.top() + std::clamp(middle - half, 0, box.height() - 2 * half),
                           box.width() - 8, 2 * half);
    insertion->show();
    insertion->raise();
}

void ReviewPage::Impl::dragPlot(const RankPlot* plot, QPoint globalPos, RankPlot::TitleDrag phase) {
    const auto it = std::find_if(panes.begin(), panes.end(), [plot](const PlotPane& p) { return p.plot == plot; });
    const auto from = it - panes.begin();
    const bool inside = phase != RankPlot::TitleDrag::Cancel &&
                        splitter->rect().adjusted(-40, -40, 40, 40).contains(splitter->mapFromGlobal(globalPos));
    const auto gap = inside && it != panes.end() ? allowedGap(pinnedPlots(), from, gapAt(globalPos)) : from;
    const bool moves = it != panes.end() && gap != from && gap != from + 1;
    if (phase == RankPlot::TitleDrag::Over && moves)
        return markGap(gap);
    if (insertion)
        insertion->hide();
    if (phase == RankPlot::TitleDrag::Drop && moves)
        movePlotTo(plot, gap > from ? gap - 1 : gap);
}

} // namespace rankscope::ui
