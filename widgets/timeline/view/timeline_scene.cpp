// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/view/timeline_scene.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {

constexpr int kLeastLanesPx = 150; ///< with less room for the lanes the summary is not shown

/// Returns the element at a time, or the nearest within `slack`, of a vector ascending by begin; null if there is none.
template <class T> const T* nearestAt(const std::vector<T>& all, double ns, double slack, int row = -1) {
    const auto behind = std::partition_point(all.begin(), all.end(),
                                             [&](const T& s) { return static_cast<double>(s.beginNs) <= ns + slack; });
    const T* found = nullptr;
    double least = slack;
    int looked = 0;
    for (auto at = behind; at != all.begin() && looked < 256; ++looked) {
        --at;
        if constexpr (requires { at->row; })
            if (row >= 0 && at->row != row)
                continue;
        const double before = static_cast<double>(at->beginNs) - ns, after = ns - static_cast<double>(at->endNs);
        const double away = std::max({before, after, 0.0});
        if (away < least || (away <= least && !found)) {
            least = away;
            found = &*at;
        }
        if (found && away == 0)
            break;
    }
    return found;
}

QString tagOf(const TimelineReply& reply, const TimelineSpan& span) {
    return span.collective ? reply.tag(span) : QString();
}

} // namespace

bool TimelineScene::serves(const TimelineReply* candidate) const {
    return candidate && candidate->error.isEmpty() && wouldServe(candidate->request) &&
           static_cast<double>(candidate->lastNs) >= std::min(static_cast<double>(recordedNs), scale.window.hi);
}

bool TimelineScene::wouldServe(const TimelineRequest& r) const {
    const double have = static_cast<double>(r.nsPerPixel), want = scale.nsPerPixel();
    const bool wide = static_cast<double>(r.fromNs) <= std::max(scale.window.lo, limits.lo) + want &&
                      static_cast<double>(r.toNs) >= std::min(scale.window.hi, limits.hi) - want;
    const bool lanes = r.firstRank <= firstVisibleRank() && r.lastRank >= lastVisibleRank();
    // a much finer reply shows less of sums than it could, and costs more; single spans are exact at any resolution
    return wide && lanes && have <= 1.3 * std::max(want, 1.0) && (want <= 2.5 * have || have <= 1);
}

const TimelineReply* TimelineScene::best() const {
    if (serves(reply.get()))
        return reply.get();
    if (serves(overview.get()))
        return overview.get();
    return reply ? reply.get() : overview.get();
}

const TimelineLane* TimelineScene::laneOf(int rank) const {
    const auto* shown = best();
    return shown ? shown->lane(rank) : nullptr;
}

std::vector<WaitArrow> TimelineScene::arrows() const {
    const auto* shown = best();
    return shown ? arrowsOf(*shown, scale, 14, 250) : std::vector<WaitArrow>{};
}

QRect TimelineScene::lanesRect() const {
    return {kLabelWidth, lanesTop(), std::max(size.width() - kLabelWidth, 1), std::max(size.height() - lanesTop(), 1)};
}

int TimelineScene::lanesTop() const {
    // in a very low view the lanes need all of the height
    const bool room = size.height() >= kAxisHeight + SummaryTrack::kHeight + kLeastLanesPx;
    return kAxisHeight + (room ? SummaryTrack::kHeight : 0);
}

QRect TimelineScene::trackRect() const {
    return {kLabelWidth, kAxisHeight, std::max(size.width() - kLabelWidth, 1), lanesTop() - kAxisHeight};
}

QRect TimelineScene::stepRow() const {
    return {kLabelWidth, kStepRow, std::max(size.width() - kLabelWidth, 1), kAxisHeight - kStepRow - 1};
}

int TimelineScene::firstVisibleRank() const {
    return std::clamp(scrolled / layout.height(), 0, std::max(rankCount() - 1, 0));
}

int TimelineScene::lastVisibleRank() const {
    const int bottom = scrolled + lanesRect().height() - 1;
    return std::clamp(bottom / layout.height(), 0, std::max(rankCount() - 1, 0));
}

QPoint TimelineScene::pointOf(int rank, double ns, LanePart part) const {
    const int y = part == LanePart::Collectives ? layout.collectiveTop() + layout.collectives / 2
                                                : layout.top + layout.phases / 2;
    return {kLabelWidth + static_cast<int>(std::floor(scale.x(ns))), laneTop(rank) + y};
}

std::optional<TimelinePick> TimelineScene::pickAt(const QPoint& pixel) const {
    const auto* shown = best();
    if (!shown || !lanesRect().contains(pixel))
        return std::nullopt;
    const LaneHit under = laneAt(pixel.y() - lanesTop() + scrolled, layout, rankCount());
    const auto* lane = under.rank >= 0 ? shown->lane(under.rank) : nullptr;
    if (!lane || under.part == LanePart::None)
        return std::nullopt;
    TimelinePick pick;
    pick.rank = under.rank;
    const double ns = scale.ns(pixel.x() - kLabelWidth + 0.5), slack = 2 * scale.nsPerPixel();
    const bool phases = under.part == LanePart::Phases;
    const int within = pixel.y() - laneTop(under.rank) - layout.collectiveTop();
    const int row = phases ? -1 : std::clamp(within * lane->rows / layout.collectives, 0, lane->rows - 1);
    const auto* column = nearestAt(phases ? lane->phaseColumns : lane->collectiveColumns, ns, slack / 2);
    const auto* span = nearestAt(phases ? lane->phases : lane->collectives, ns, column ? 0.0 : slack, row);
    if (span) {
        pick.span = *span;
        pick.tag = tagOf(*shown, *span);
        return pick;
    }
    if (column) {
        pick.kind = column->count == 1 ? TimelinePick::PickKind::Span : TimelinePick::PickKind::Column;
        pick.column = *column;
        pick.span = column->longest;
        pick.tag = tagOf(*shown, pick.span);
        return pick;
    }
    if (const auto* sum = nearestAt(lane->sums, ns, slack)) {
        pick.kind = TimelinePick::PickKind::Sum;
        pick.sum = *sum;
        pick.span.beginNs = sum->beginNs;
        pick.span.endNs = sum->endNs;
        pick.span.step = sum->firstStep;
        return pick;
    }
    return std::nullopt;
}

const TimelineIncident* TimelineScene::incidentAt(const QPoint& pixel) const {
    if (pixel.y() >= kAxisHeight || pixel.y() < kAxisHeight - 12)
        return nullptr;
    for (const auto& incident : incidents)
        if (std::abs(kLabelWidth + std::max(scale.x(incident.fromNs), 0.0) - pixel.x()) <= 6)
            return &incident;
    return nullptr;
}

const launch::Annotation* TimelineScene::annotationAt(const QPoint& pixel) const {
    return pixel.x() < kLabelWidth ? nullptr : flags.at(pixel - stepRow().topLeft(), scale);
}

int TimelineScene::rankAt(const QPoint& pixel) const {
    return laneAt(pixel.y() - lanesTop() + scrolled, layout, rankCount()).rank;
}

std::optional<TimelinePick> TimelineScene::neighbour(int along, int across) const {
    const auto* shown = best();
    if (!shown || !selected)
        return std::nullopt;
    const int rank = std::clamp(selected->rank + across, 0, std::max(rankCount() - 1, 0));
    const auto* lane = shown->lane(rank);
    if (!lane)
        return std::nullopt;
    const TimelineSpan& now = selected->span;
    const auto& spans = now.collective ? lane->collectives : lane->phases;
    const TimelineSpan* to = nullptr;
    if (across != 0) {
        if (now.collective) // of the same collective, if it is there
            for (const TimelineSpan& span : spans)
                if (span.group == now.group && span.sequence == now.sequence)
                    to = &span;
        if (!to)
            to = nearestAt(spans, static_cast<double>(now.beginNs + now.endNs) / 2, 1e18);
    } else {
        for (const TimelineSpan& span : spans) {
            if (along > 0 && span.beginNs > now.beginNs && (!to || span.beginNs < to->beginNs))
                to = &span;
            if (along < 0 && span.beginNs < now.beginNs && (!to || span.beginNs > to->beginNs))
                to = &span;
        }
    }
    if (!to)
        return std::nullopt;
    return TimelinePick{.rank = rank, .span = *to, .tag = tagOf(*shown, *to)};
}

} // namespace rankscope::ui
