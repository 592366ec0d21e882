// SPDX-License-Identifier: Apache-2.0
// A signal that asks a rank to leave, and who sent it. The rank shows it on its board at once, from inside the signal's
// handler: its training thread may sit in a collective for long, and the sender may be gone a moment later.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope::telemetry {

class BoardWriter;

/// As the kernel delivered it. Also the bytes of it on a board (docs/telemetry.md).
struct LeaveRequest {
    enum class Sender : std::uint8_t { Kernel, Process, Timer, Count };

    std::int64_t atNs = 0;   ///< by the handler
    std::int32_t signal = 0; ///< 0: nobody asked
    std::int32_t pid = 0;    ///< of a sending process; 0: it is in another PID namespace
    std::uint32_t user = 0;  ///< that the sending process belongs to, by number
    Sender sender = Sender::Kernel;
    std::uint8_t reserved[3] = {};
    char program[32] = {}; ///< name of the sending process; empty: it was gone, or may not be seen

    std::string_view programName() const;
    bool operator==(const LeaveRequest&) const = default;
};

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
