// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/training_verdict.h"

#include "core/base/values/result.h"
#include "core/launch/run/launch_spec.h"
#include "core/store/read/run_reader.h"

#include <algorithm>

namespace rankscope::launch {

using store::NotFiniteTail;

/// By then a loss scale that is halved with each skipped step has reached a usable value.
static constexpr std::int64_t kMostSkipped = 20;

/// Returns what makes the training useless; `since` is negative if it is sound.
static NotFiniteTail uselessTail(std::span<const NotFiniteTail> tails) {
    NotFiniteTail all;
    for (const NotFiniteTail& tail : tails) {
        if (!tail.weights && tail.steps <= kMostSkipped)
            continue;
        all.since = all.since < 0 ? tail.since : std::min(all.since, tail.since);
        all.loss |= tail.loss;
        all.weights |= tail.weights;
    }
    return all;
}

Message notFiniteText(std::span<const NotFiniteTail> tails) {
    const NotFiniteTail all = uselessTail(tails);
    if (all.since < 0)
        return {};
    if (!all.loss)
        return {"the weights have been NaN since step {} and are useless", all.since};
    return all.weights ? Message("the loss has been NaN since step {}, and the weights are useless", all.since)
                       : Message("the loss has been NaN since step {}, and nothing has been learned since", all.since);
}

EndReason notFiniteReason(std::span<const NotFiniteTail> tails) {
    return {EndKind::NotFinite, -1, uselessTail(tails).since};
}

void judgeTraining(RunInfo& info, std::span<const NotFiniteTail> tails) {
    if (info.state != RunState::Finished && info.state != RunState::Stopped)
        return;
    const Message text = notFiniteText(tails);
    if (text.empty())
        return;
    info.cause = info.state == RunState::Stopped ? Message("{}; {}", text, info.cause) : text;
    info.reason = notFiniteReason(tails);
    info.state = RunState::Failed;
    info.exitCode = kRankFailed;
}

Result<void> judgeTraining(RunInfo& info, store::RunReader& reader) {
    if (info.state != RunState::Finished && info.state != RunState::Stopped)
        return {};
    RS_TRY_ASSIGN(const auto tails, store::notFiniteTails(reader));
    judgeTraining(info, tails);
    return {};
}

} // namespace rankscope::launch
