// SPDX-License-Identifier: GPL-3.0-or-later
// What was read for the plots, when it is shown, and over which axis.
#include "widgets/models/run/run_session.h"
#include "widgets/review/series/lineage_series.h"
#include "widgets/review/page/review_impl.h"

namespace rankscope::ui {

static constexpr int kHeldMs = 30; ///< when no frame comes that would show it

void ReviewPage::Impl::takeWindow(const SeriesReply& reply) {
    held.clear();
    for (std::size_t m = 0; m < reply.points.size() && m < reply.request.metrics.size(); ++m)
        held.emplace_back(reply.request.metrics[m], samplesOfChain(reply, m));
    if (!controller.isMoving() || !windowDrawn)
        showHeld();
    else if (!heldTimer.isActive())
        heldTimer.start(kHeldMs);
}

void ReviewPage::Impl::showHeld() {
    heldTimer.stop();
    if (rangesHeld)
        applyRanges();
    if (held.empty())
        return;
    for (auto& [metric, ranks] : std::exchange(held, {}))
        for (const PlotPane& pane : panes)
            if (pane.series.isMetric() && pane.series.metric == metric)
                pane.plot->setSeries(ranks);
    showNothingText();
    windowDrawn = true;
    updateSpans();
    if (controller.axis() == CurveAxis::SampleCount)
        updateValidations(); // where they stand may be known better
    resources.place();
    applyFilter();
    updateMarks();
}

void ReviewPage::Impl::showNothingText() {
    const PlotRange window = controller.window(), whole = controller.whole();
    const bool part = window.lo > whole.lo || window.hi < whole.hi;
    const bool live = session && launch::isLive(session->view().info.state);
    const QString text = part   ? ReviewPage::tr("Nothing recorded in this part of the run")
                         : live ? ReviewPage::tr("Nothing recorded so far")
                                : ReviewPage::tr("Not recorded in this run");
    for (const PlotPane& pane : panes)
        if (pane.series.isMetric())
            pane.plot->setNothingText(text);
}

void ReviewPage::Impl::dropHeld() {
    heldTimer.stop();
    held.clear();
}

void ReviewPage::Impl::takeOverview(const SeriesReply& reply) {
    if (reply.points.empty())
        return;
    const std::vector<Samples> ranks = samplesOfChain(reply, 0);
    std::vector<const Samples*> all;
    for (const auto& samples : ranks)
        all.push_back(&samples);
    strip->setBand(bandAcross(all));
    updateSpans();
}

bool ReviewPage::Impl::hasAxis(CurveAxis axis) const {
    // of a run without steps nothing is known yet
    return axis != CurveAxis::SampleCount || !controller.hasSteps() || session->view().hasBatchSizes;
}

void ReviewPage::Impl::setAxis(CurveAxis axis) {
    wantedAxis = axis;
    if (!hasAxis(axis))
        emit page->message(ReviewToolbar::noSamplesText());
    applyAxis();
}

/// What is wanted, where the run has it.
void ReviewPage::Impl::applyAxis() {
    const CurveAxis axis = hasAxis(wantedAxis) ? wantedAxis : CurveAxis::Step;
    toolbar->setSamplesEnabled(hasAxis(CurveAxis::SampleCount));
    toolbar->setAxis(axis);
    if (axis == controller.axis())
        return;
    for (auto* plot : plots()) {
        plot->setSeries({}); // steps on an axis of seconds would be nonsense until the answer is there
        plot->setAxis(axis);
    }
    resources.clear();
    strip->setBand({});
    strip->setAxis(axis);
    dropHeld();
    windowDrawn = false;
    controller.setAxis(axis);
    updateChain();
    updateValidations();
    applyFilter();
    updateMarks();
    emit page->switchesChanged();
}

} // namespace rankscope::ui
