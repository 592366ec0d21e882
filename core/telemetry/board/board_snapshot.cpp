// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/board/board_snapshot.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rankscope::telemetry {

static constexpr std::pair<EndCause, RankStage> kEnds[] = {{EndCause::Finished, RankStage::Finished},
                                                           {EndCause::Stopped, RankStage::Stopped},
                                                           {EndCause::Failed, RankStage::Failed}};

RankStage stageAfter(EndCause cause) {
    const auto end = std::ranges::find(kEnds, cause, &std::pair<EndCause, RankStage>::first);
    return end == std::end(kEnds) ? RankStage::Failed : end->second;
}

std::optional<EndCause> endCauseOf(RankStage stage) {
    const auto end = std::ranges::find(kEnds, stage, &std::pair<EndCause, RankStage>::second);
    return end == std::end(kEnds) ? std::nullopt : std::optional(end->first);
}

std::string_view LeaveRequest::programName() const {
    return getText(program, sizeof program);
}

} // namespace rankscope::telemetry
