// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/series/open_values.h"

#include <algorithm>
#include <string_view>

namespace rankscope::ui {

using store::Metric;

namespace {

constexpr std::int64_t kShownPhaseNs = 1'000'000'000; ///< shorter ones are soon in the curve

Metric waitMetric(std::string_view tag) {
    const std::string_view family = tag.substr(0, tag.find(':'));
    return family == "sync_max_audio_length" ? Metric::WaitLengthSync
           : family == "gradient"            ? Metric::WaitGradient
           : family == "sync_batchnorm"      ? Metric::WaitSyncBatchNorm
           : family == "barrier"             ? Metric::WaitBarrier
           : family == "metrics"             ? Metric::WaitMetrics
                                             : Metric::WaitOther;
}

double seconds(std::int64_t ns) {
    return static_cast<double>(std::max<std::int64_t>(0, ns)) * 1e-9;
}

} // namespace

std::vector<OpenValue> openValues(Metric metric, const RunView& view,
                                  const std::function<double(std::int64_t step)>& placeOf) {
    std::vector<OpenValue> values;
    if (metric >= Metric::WaitTotal && metric <= Metric::ExposedWait) {
        for (const auto& wait : view.openWaits)
            if (metric == Metric::WaitTotal || metric == Metric::ExposedWait ||
                metric == waitMetric(wait.collective.tag))
                values.push_back({wait.rank, placeOf(wait.step), seconds(view.nowNs - wait.sinceNs)});
        return values;
    }
    for (const auto& tile : view.ranks) {
        const bool trains = launch::isLive(view.info.state) && tile.step >= 0 && tile.phaseSinceNs > 0 &&
                            store::phaseMetric(tile.phase) == metric;
        if (trains && view.nowNs - tile.phaseSinceNs >= kShownPhaseNs)
            values.push_back({tile.rank, placeOf(tile.step), seconds(view.nowNs - tile.phaseSinceNs)});
    }
    return values;
}

} // namespace rankscope::ui
