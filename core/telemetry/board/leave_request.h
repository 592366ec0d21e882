// SPDX-License-Identifier: Apache-2.0
// A signal that asks a rank to leave, and who sent it. The rank writes it to its board immediately, inside the signal
// handler: its training thread may be in a collective for a long time, and the sender may be gone a moment later.
#pragma once

#include "core/telemetry/board/board_snapshot.h"

#include <cstdint>

namespace rankscope::telemetry {

class BoardWriter;

/// Treats SIGTERM and SIGINT as requests to leave, unless they were ignored when the process began. `led`: the process
/// was started by a supervisor, which sees requests on the board; then SIGHUP, SIGUSR1, SIGUSR2, SIGALRM and SIGXCPU
/// are requests as well. Clears an earlier request.
void installLeaveSignals(bool led);

/// Returns the first request; its signal is 0 if there was none.
LeaveRequest leaveRequest();
/// Returns when the first request arrived, by the handler; 0 if there was none.
std::int64_t leaveRequestedAtNs();

/// While this object exists, a request is shown on its board, even an earlier one. At most one per process at a time.
class LeaveRequestOnBoard {
public:
    explicit LeaveRequestOnBoard(BoardWriter& board);
    ~LeaveRequestOnBoard();
    LeaveRequestOnBoard(const LeaveRequestOnBoard&) = delete;
    LeaveRequestOnBoard& operator=(const LeaveRequestOnBoard&) = delete;
};

} // namespace rankscope::telemetry
