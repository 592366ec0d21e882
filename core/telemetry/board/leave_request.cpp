// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/board/leave_request.h"

#include "core/base/values/clock.h"
#include "core/telemetry/board/board.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace rankscope::telemetry {

namespace {

enum class RequestState : int { None, BeingWritten, There };

constexpr std::array kAlwaysTaken{SIGTERM, SIGINT};
constexpr std::array kTakenWhenLed{SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU};

// The only data that the handler uses. It may run in any thread, and in several at the same time.
std::atomic<RequestState> g_requestState{RequestState::None};
LeaveRequest g_request; ///< written by the handler that claimed the state, read once it is There
std::atomic<BoardWriter*> g_requestBoard{nullptr};
std::atomic<int> g_handlersAtBoard{0};
static_assert(std::atomic<RequestState>::is_always_lock_free && std::atomic<BoardWriter*>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);

/// Writes "/proc/PID/comm" to `path`: a handler must not call the C library's formatting functions.
void putCommPath(std::array<char, 32>& path, std::int32_t pid) {
    constexpr std::string_view kHead = "/proc/", kTail = "/comm";
    std::array<char, 12> digits{};
    std::size_t n = 0;
    for (auto rest = static_cast<std::uint32_t>(pid); n == 0 || rest != 0; rest /= 10)
        digits[n++] = static_cast<char>('0' + rest % 10);
    char* to = std::copy(kHead.begin(), kHead.end(), path.begin());
    to = std::reverse_copy(digits.begin(), digits.begin() + n, to);
    to = std::copy(kTail.begin(), kTail.end(), to);
    *to = '\0';
}

void readProgram(LeaveRequest& request) {
    std::array<char, 32> path{};
    putCommPath(path, request.pid);
    const int fd = ::open(path.data(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    const ssize_t n = ::read(fd, request.program, sizeof request.program - 1);
    ::close(fd);
    if (n > 0 && request.program[n - 1] == '\n')
        request.program[n - 1] = '\0';
}

LeaveRequest requestOf(int number, const siginfo_t& info) {
    LeaveRequest request;
    request.atNs = monotonicNs(); // clock_gettime is async-signal-safe
    request.signal = number;
    if (info.si_code == SI_TIMER) {
        request.sender = LeaveRequest::Sender::Timer;
    } else if (info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL) {
        request.sender = LeaveRequest::Sender::Process;
        request.pid = info.si_pid;
        request.user = info.si_uid;
        if (request.pid > 0)
            readProgram(request);
    }
    return request;
}

/// Makes only async-signal-safe calls.
void onLeaveSignal(int number, siginfo_t* info, void*) {
    const int kept = errno;
    auto none = RequestState::None;
    if (g_requestState.compare_exchange_strong(none, RequestState::BeingWritten)) {
        g_request = requestOf(number, *info);
        g_requestState = RequestState::There;
        ++g_handlersAtBoard;
        if (BoardWriter* board = g_requestBoard)
            board->askedToLeave(g_request);
        --g_handlersAtBoard;
    }
    errno = kept;
}

bool isIgnored(int number) {
    struct sigaction inherited {};
    return ::sigaction(number, nullptr, &inherited) == 0 && inherited.sa_handler == SIG_IGN;
}

} // namespace

void installLeaveSignals(bool led) {
    g_requestState = RequestState::None;
    struct sigaction action {};
    action.sa_sigaction = onLeaveSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int s : kAlwaysTaken)
        sigaddset(&action.sa_mask, s);
    for (const int s : kTakenWhenLed)
        sigaddset(&action.sa_mask, s);
    for (const int s : kAlwaysTaken)
        if (led || !isIgnored(s)) // a supervisor chooses the dispositions its ranks inherit
            ::sigaction(s, &action, nullptr);
    if (led)
        for (const int s : kTakenWhenLed)
            ::sigaction(s, &action, nullptr);
}

LeaveRequest leaveRequest() {
    return g_requestState == RequestState::There ? g_request : LeaveRequest{};
}

std::int64_t leaveRequestedAtNs() {
    return leaveRequest().atNs;
}

LeaveRequestOnBoard::LeaveRequestOnBoard(BoardWriter& board) {
    g_requestBoard = &board;
    if (const LeaveRequest request = leaveRequest(); request.signal != 0)
        board.askedToLeave(request);
}

LeaveRequestOnBoard::~LeaveRequestOnBoard() {
    g_requestBoard = nullptr;
    while (g_handlersAtBoard != 0) // a handler may be using the board in another thread
        ::sched_yield();
}

} // namespace rankscope::telemetry
