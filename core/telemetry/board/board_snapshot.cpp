// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/board/board_snapshot.h"

namespace rankscope::telemetry {

RankStage stageAfter(EndCause cause) {
    switch (cause) {
    case EndCause::Finished:
        return RankStage::Finished;
    case EndCause::Stopped:
        return RankStage::Stopped;
    case EndCause::Failed:
        break;
    }
    return RankStage::Failed;
}

std::optional<EndCause> endCauseOf(RankStage stage) {
    switch (stage) {
    case RankStage::Finished:
        return EndCause::Finished;
    case RankStage::Stopped:
        return EndCause::Stopped;
    case RankStage::Failed:
        return EndCause::Failed;
    default:
        return std::nullopt;
    }
}

std::string_view LeaveRequest::programName() const {
    return getText(program, sizeof program);
}

} // namespace rankscope::telemetry
