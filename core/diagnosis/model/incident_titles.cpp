// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/model/incident_titles.h"

#include <array>

namespace rankscope::diagnosis {

Message causeTitle(Cause cause) {
    static const std::array<Message, static_cast<std::size_t>(Cause::Count)> kTitles{{
        {"Unknown"},
        {"Data loading"},
        {"Preprocessing"},
        {"Long batch"},
        {"Uneven batches"},
        {"Mismatched collective"},
        {"Configuration differs"},
        {"Never joined"},
        {"Stopped"},
        {"Rank died"},
        {"Slow compute"},
        {"Checkpoint or disk"},
        {"Not finite"},
        {"Empty batch"},
        {"Inside the collective"},
        {"Asked to leave"},
        {"Paused"},
        {"Uneven calls"},
        {"Grown buffer"},
        {"Loader worker died"},
        {"Memory runs out"},
    }};
    const auto index = static_cast<std::size_t>(cause);
    return kTitles[index < kTitles.size() ? index : 0];
}

Message closeReasonTitle(CloseReason reason) {
    switch (reason) {
    case CloseReason::Recovered:
        return "Recovered";
    case CloseReason::RunEnded:
        return "Open at end of run";
    case CloseReason::StoppedByUser:
        return "Stopped by the user";
    case CloseReason::Open:
        break;
    }
    return "Open";
}

} // namespace rankscope::diagnosis
