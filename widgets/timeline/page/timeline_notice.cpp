// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/page/timeline_notice.h"

#include "widgets/models/text/text_format.h"
#include "widgets/theme/theme.h"

#include <algorithm>

namespace rankscope::ui {

namespace {

/// What a reply has in the window, apart from individual phases.
struct Recorded {
    bool sums = false, steps = false;
};

Recorded recordedIn(PlotRange window, const TimelineReply* reply) {
    Recorded found;
    static const std::vector<TimelineLane> none;
    for (const auto& lane : reply ? reply->lanes : none) {
        const auto inView = [&](const auto& part) {
            return static_cast<double>(part.endNs) >= window.lo && static_cast<double>(part.beginNs) <= window.hi;
        };
        found.sums |= std::any_of(lane.sums.begin(), lane.sums.end(),
                                  [&](const TimelineSum& sum) { return sum.knowsPhases() && inView(sum); });
        found.steps |= std::any_of(lane.steps.begin(), lane.steps.end(), inView);
    }
    return found;
}

} // namespace

TimelineNotice::TimelineNotice(QWidget* parent) : QLabel(parent) {
    setFont(secondaryFont());
    setWordWrap(true);
    setContentsMargins(8, 4, 8, 2);
    setForegroundRole(QPalette::PlaceholderText);
    setObjectName(QStringLiteral("timelineNotice"));
}

QString TimelineNotice::textFor(const TimelineScene& scene, const Context& context) {
    const TimelineReply* reply = scene.best();
    const PlotRange w = scene.scale.window;
    const Recorded recorded = recordedIn(w, reply);
    QStringList parts;
    if (!context.problem.isEmpty())
        parts << context.problem;
    if (recorded.sums && reply->tooMany)
        parts << tr("Too many steps are in view to show individual phases: a column's colours show each phase's share "
                    "of the time, not the order. Zoom in for individual phases.");
    else if (recorded.sums)
        parts << tr("Individual phases are kept from step %1 on and around incidents. Elsewhere you see each step's "
                    "sums: colours show the phases' shares, not their order.")
                     .arg(countText(reply->singleFrom));
    if (reply && scene.isServed() && recorded.steps && !context.hasPhases)
        parts << tr("No phases are recorded for this part of the run; grey blocks are steps.");
    const bool showsNow = context.live && w.hi >= scene.limits.hi - 1e9; // dashed boxes show what is in progress
    if (reply && scene.isServed() && !recorded.steps && !context.hasPhases && !showsNow)
        parts << tr("Nothing was recorded in this part of the run: it has no steps or phases.");
    return parts.join(u' ');
}

void TimelineNotice::setScene(const TimelineScene& scene, const Context& context) {
    const QString text = textFor(scene, context);
    setText(text);
    setVisible(!text.isEmpty());
}

} // namespace rankscope::ui
