// SPDX-License-Identifier: GPL-3.0-or-later
// What the page says in words: about nothing to show, about sums instead of single spans, about the part in view.
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/timeline/view/span_text.h"
#include "widgets/timeline/page/timeline_impl.h"

#include <algorithm>

namespace rankscope::ui {

void TimelinePage::Impl::updateEmpty() {
    const bool any = session && view->rankCount() > 0 && session->view().nowNs > 0;
    QString text;
    if (!session)
        text =
            TimelinePage::tr("<b>No run is shown</b><br><br>Choose a run on the left, open a run's folder, or launch "
                             "one from the Configure page.");
    else if (!session->view().problem.isEmpty() && !any)
        text = session->view().problem.toHtmlEscaped();
    else
        text = TimelinePage::tr("Nothing has been recorded of this run yet.");
    empty->setText(text);
    stack->setCurrentIndex(any ? 1 : 0);
}

void TimelinePage::Impl::replyShown() {
    described = view->best();
    legend->setReply(described);
    anyPhases = false;
    if (described)
        for (const auto& lane : described->lanes) {
            anyPhases |= !lane.phases.empty() || !lane.phaseColumns.empty();
            for (const auto& sum : lane.sums)
                anyPhases |= std::any_of(sum.share.begin(), sum.share.end(), [](float share) { return share > 0; });
        }
}

/// Says what is not shown singly, and why: never an empty part that looks as if nothing had happened.
void TimelinePage::Impl::updateNotice() {
    const TimelineReply* reply = session ? view->best() : nullptr;
    if (reply != described)
        replyShown();
    const PlotRange w = view->window();
    bool anySums = false, anySteps = false;
    static const std::vector<TimelineLane> none;
    for (const auto& lane : reply ? reply->lanes : none) {
        const auto inView = [&](const auto& part) {
            return static_cast<double>(part.endNs) >= w.lo && static_cast<double>(part.beginNs) <= w.hi;
        };
        anySums |= std::any_of(lane.sums.begin(), lane.sums.end(), inView);
        anySteps |= std::any_of(lane.steps.begin(), lane.steps.end(), inView);
    }
    QStringList parts;
    if (!problem.isEmpty())
        parts << problem;
    if (anySums && reply->tooMany)
        parts << TimelinePage::tr("Too many steps are in view to show single phases: a column's colours are the "
                                  "phases' shares of the time, not their order. Zoom in for single phases.");
    else if (anySums)
        parts << TimelinePage::tr("Single phases are kept from step %1 on and around incidents. Where they are not, "
                                  "each step's sums are shown: colours tell the phases' shares, not their order.")
                     .arg(countText(reply->singleFrom));
    if (reply && view->isServed() && anySteps && !anyPhases)
        parts << TimelinePage::tr("No phases are recorded of this part of the run; grey blocks are steps.");
    const bool showsNow = launch::isLive(session ? session->view().info.state : launch::RunState::Finished) &&
                          w.hi >= view->limits().hi - 1e9; // the dashed boxes say what goes on
    if (reply && view->isServed() && !anySteps && !anyPhases && !showsNow)
        parts << TimelinePage::tr("Nothing was recorded in this part of the run: it has no step and no phase.");
    notice->setText(parts.join(u' '));
    notice->setVisible(!parts.isEmpty());
}

void TimelinePage::Impl::updateRange() {
    const auto brush = view->brush();
    const PlotRange w = brush.value_or(view->window());
    const double digits = std::max(w.width() / 100, 1.0);
    const QString text = QStringLiteral("%1 – %2  (%3)")
                             .arg(momentText(w.lo, digits), momentText(w.hi, digits),
                                  durationText(static_cast<std::int64_t>(w.width())));
    const bool left = session && launch::isLive(session->view().info.state) && !view->follow();
    toolbar->setRangeText(!session ? QString()
                          : brush  ? TimelinePage::tr("selected %1").arg(text)
                          : left   ? TimelinePage::tr("%1 · not following").arg(text)
                                   : text);
}

} // namespace rankscope::ui
