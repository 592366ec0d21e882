// SPDX-License-Identifier: Apache-2.0
// A signal that asks a rank to leave, and who sent it. The rank shows it on its board at once, from inside the signal's
// handler: its training thread may sit in a collective for long, and the sender may be gone a moment later.
#pragma once

#include "core/telemetry/board/board_snapshot.h"

#include <cstdint>

namespace rankscope::telemetry {

class BoardWriter;

/// Takes SIGTERM and SIGINT for requests to leave, unless they were ignored when the process began. `led`: a supervisor
/// started it, which hears of requests by the board: then SIGHUP, SIGUSR1, SIGUSR2, SIGALRM and SIGXCPU are requests as
/// well. Forgets an earlier request.
void takeLeaveSignals(bool led);

/// The first request; its signal is 0 while there was none.
LeaveRequest leaveRequest();
/// 0: there was none.
std::int64_t leaveRequestedAtNs();

/// While it lives, a request is shown on this board, one that came before as well. One at a time in a process.
class LeaveRequestOnBoard {
public:
    explicit LeaveRequestOnBoard(BoardWriter& board);
    ~LeaveRequestOnBoard();
    LeaveRequestOnBoard(const LeaveRequestOnBoard&) = delete;
    LeaveRequestOnBoard& operator=(const LeaveRequestOnBoard&) = delete;
};

} // namespace rankscope::telemetry
