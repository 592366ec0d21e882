// SPDX-License-Identifier: GPL-3.0-or-later
// What is shown, kept and exported of the review page.
#include "widgets/models/words.h"
#include "widgets/review/review_impl.h"

#include <QMenu>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

void ReviewPage::Impl::setPaneShown(int pane, bool on) {
    shown[static_cast<std::size_t>(pane)] = on;
    switch (pane) {
    case ReviewLayout::BoardPane:
        board->setVisible(on);
        break;
    case ReviewLayout::OverviewPane:
        strip->setVisible(on);
        break;
    case ReviewLayout::WhoWaitsPane:
        whoWaits->setVisible(on);
        break;
    default:
        plots[static_cast<std::size_t>(pane - ReviewLayout::LossPane)]->setVisible(on);
        updateBottom();
    }
    auto* action = toolbar->panes()->actions().at(pane);
    action->setChecked(on);
}

/// What is seen of the run; whole steps.
void ReviewPage::Impl::askWaits() {
    if (!session || !controller.hasSteps())
        return whoWaits->clear();
    const PlotRange w = controller.window();
    const double scale = controller.byTime() ? 1e9 : 1;
    const auto whole = [](double value) { return static_cast<std::int64_t>(std::clamp(value, -1.0, 9e18)); };
    whoWaits->setRequest(
        {session->run().store(), controller.byTime(), whole(std::ceil(w.lo * scale)), whole(std::floor(w.hi * scale))});
}

ReviewLayout ReviewPage::Impl::layout() const {
    ReviewLayout layout;
    layout.shown = shown;
    layout.plotHeights = splitter->sizes();
    layout.smooth = smooth;
    layout.log = log;
    layout.time = controller.byTime();
    return layout;
}

void ReviewPage::Impl::setLayout(const ReviewLayout& layout) {
    for (int i = 0; i < ReviewLayout::PaneCount; ++i)
        setPaneShown(i, layout.shown[static_cast<std::size_t>(i)]);
    if (layout.plotHeights.size() == splitter->count())
        splitter->setSizes(layout.plotHeights);
    setSmoothing(layout.smooth);
    setLogScale(layout.log);
    setTimeAxis(layout.time);
}

ExportJob ReviewPage::Impl::exportJob() const {
    ExportJob job;
    for (std::size_t i = 0; i < plots.size(); ++i)
        if (shown[ReviewLayout::LossPane + i])
            job.plots.append(plots[i]);
    job.range = controller.window();
    job.byTime = controller.byTime();
    if (session) {
        const auto& info = session->view().info;
        job.title = QStringLiteral("%1  %2").arg(toQString(info.name.empty() ? info.id : info.name), rangeText());
        job.ranks = chooseLines(choice, session->view(), RankPlot::kMaxLines).ranks;
    }
    return job;
}

} // namespace rankscope::ui
