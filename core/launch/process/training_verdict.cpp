// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/training_verdict.h"

#include "core/base/values/result.h"
#include "core/launch/run/launch_spec.h"
#include "core/store/read/run_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::launch {

using store::NotFiniteTail;

static constexpr std::string_view kLossSince = "the loss has been NaN since step ";
static constexpr std::string_view kWeightsSince = "the weights have been NaN since step ";

/// By then a loss scale that is halved with each skipped step has reached a usable value.
static constexpr std::int64_t kMostSkipped = 20;

std::string notFiniteText(std::span<const NotFiniteTail> tails) {
    NotFiniteTail all;
    for (const NotFiniteTail& tail : tails) {
        if (!tail.weights && tail.steps <= kMostSkipped)
            continue;
        all.since = all.since < 0 ? tail.since : std::min(all.since, tail.since);
        all.loss |= tail.loss;
        all.weights |= tail.weights;
    }
    if (all.since < 0)
        return {};
    if (!all.loss)
        return fmt::format("{}{} and are useless", kWeightsSince, all.since);
    return fmt::format("{}{}, and {}", kLossSince, all.since,
                       all.weights ? "the weights are useless" : "nothing has been learned since");
}

bool isNotFiniteCause(std::string_view cause) {
    return cause.starts_with(kLossSince) || cause.starts_with(kWeightsSince);
}

void judgeTraining(RunInfo& info, std::span<const NotFiniteTail> tails) {
    if (info.state != RunState::Finished && info.state != RunState::Stopped)
        return;
    std::string text = notFiniteText(tails);
    if (text.empty())
        return;
    if (info.state == RunState::Stopped)
        text += "; " + info.cause;
    info.cause = std::move(text);
    info.state = RunState::Failed;
    info.exitCode = kRankFailed;
}

Result<void> judgeTraining(RunInfo& info, store::RunReader& reader) {
    if (info.state != RunState::Finished && info.state != RunState::Stopped)
        return {};
    RS_TRY_ASSIGN(const auto tails, store::notFiniteTails(reader.source()));
    judgeTraining(info, tails);
    return {};
}

} // namespace rankscope::launch
