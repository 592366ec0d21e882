// SPDX-License-Identifier: Apache-2.0
#include "core/launch/stacks/native_threads.h"

#include "core/base/files/file.h"
#include "core/base/values/result.h"

#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>

namespace rankscope::launch {

namespace fs = std::filesystem;

static constexpr std::size_t kMostStackBytes = 256 << 10; ///< copied of each thread
static constexpr int kPatienceMs = 100; ///< for one thread to stop; one inside a disk's driver does not

static std::string line(const std::string& path) {
    auto text = readFile(path, 1 << 16);
    if (!text)
        return {};
    std::string kept;
    for (const char c : text->substr(0, text->find('\n')))
        kept += static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f ? c : '?';
    return kept;
}

static Result<std::vector<int>> threadsOf(pid_t pid) {
    std::error_code ec;
    std::vector<int> tids;
    for (const auto& entry : entriesOf(fmt::format("/proc/{}/task", pid), ec)) {
        const std::string name = entry.path().filename().string();
        int tid = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), tid).ec == std::errc{})
            tids.push_back(tid);
    }
    if (tids.empty())
        return fail(Errc::NotFound, "there is no such process", fmt::format("process {}", pid));
    // the main thread trains; it bears the process's number
    std::sort(tids.begin(), tids.end(), [&](int a, int b) { return std::pair(a != pid, a) < std::pair(b != pid, b); });
    return tids;
}

static std::string doingOf(const std::string& task) {
    const std::string stat = line(task + "/stat");
    const auto bracket = stat.rfind(')');
    const char state = bracket == std::string::npos || bracket + 2 >= stat.size() ? '?' : stat[bracket + 2];
    const std::string where = line(task + "/wchan");
    const std::string in = where.empty() || where == "0" ? "" : " in " + where;
    switch (state) {
    case 'R':
        return "runs";
    case 'S':
        return "sleeps" + in;
    case 'D':
        return "waits in the kernel" + (in.empty() ? " (disk or network)" : in);
    case 'T':
        return "stopped";
    case 't':
        return "held by a debugger";
    default:
        return fmt::format("state {}", state);
    }
}

static int tracerOf(pid_t pid) {
    const std::string status = readFile(fmt::format("/proc/{}/status", pid), 1 << 16).value_or(std::string());
    const auto at = status.find("TracerPid:\t");
    int tracer = 0;
    if (at != std::string::npos)
        std::from_chars(status.data() + at + 11, status.data() + status.size(), tracer);
    return tracer;
}

static Error refused(pid_t pid, int why) {
    const std::string where = fmt::format("process {}", pid);
    if (why != EPERM && why != EACCES)
        return systemError("look into", where, why);
    if (const int tracer = tracerOf(pid); tracer != 0)
        return {Errc::Busy, fmt::format("a debugger holds it already (process {})", tracer), where};
    const std::string scope = line("/proc/sys/kernel/yama/ptrace_scope");
    if (scope == "1")
        return {Errc::Permission,
                "the kernel lets only a rank's own supervisor look into it (kernel.yama.ptrace_scope is 1): the stacks "
                "of an incident are taken by it, see 'rankscopectl diagnose'; for this command use sudo, or set "
                "kernel.yama.ptrace_scope=0",
                where};
    if (scope == "2" || scope == "3")
        return {Errc::Permission,
                fmt::format("the kernel forbids it (kernel.yama.ptrace_scope is {}); an administrator may set it to 1",
                            scope),
                where};
    return {
        Errc::Permission,
        "the system refuses to look into it: it belongs to somebody else, or a container forbids ptrace (give it the "
        "capability SYS_PTRACE)",
        where};
}

/// Until the thread has come to rest; false when it does not in time or is gone. `signal`: one that it was about to
/// take, to be handed on.
static bool rests(int tid, int& signal) {
    for (int tries = 0; tries < kPatienceMs * 4; ++tries) {
        int status = 0;
        const pid_t seen = ::waitpid(tid, &status, __WALL | WNOHANG);
        if (seen == tid) {
            if (!WIFSTOPPED(status))
                return false;
            signal = status >> 16 ? 0 : WSTOPSIG(status); // an event of ours, or a signal on its way
            return true;
        }
        if (seen < 0 && errno != EINTR)
            return false;
        const timespec pause{0, 250'000};
        ::nanosleep(&pause, nullptr);
    }
    return false;
}

static void copy(pid_t pid, int tid, ThreadImage& image) {
#ifdef __x86_64__
    user_regs_struct regs{};
    if (::ptrace(PTRACE_GETREGS, tid, nullptr, &regs) != 0)
        return;
    const std::uint64_t inDwarfOrder[ThreadImage::kRegisters] = {
        regs.rax, regs.rdx, regs.rcx, regs.rbx, regs.rsi, regs.rdi, regs.rbp, regs.rsp, regs.r8,
        regs.r9,  regs.r10, regs.r11, regs.r12, regs.r13, regs.r14, regs.r15, regs.rip};
    std::copy(std::begin(inDwarfOrder), std::end(inDwarfOrder), image.registers);
    image.stack.resize(kMostStackBytes / sizeof(std::uint64_t));
    // one piece a page: what lies beyond the end of the stack ends the copy, not the whole of it
    constexpr std::size_t kPage = 4096;
    std::size_t done = 0;
    while (done < kMostStackBytes) {
        const std::uint64_t from = regs.rsp + done;
        const std::size_t size = std::min(kMostStackBytes - done, kPage - from % kPage);
        const iovec here{reinterpret_cast<char*>(image.stack.data()) + done, size};
        const iovec there{reinterpret_cast<void*>(from), size};
        const ssize_t n = ::process_vm_readv(pid, &here, 1, &there, 1, 0);
        if (n <= 0)
            break;
        done += static_cast<std::size_t>(n);
    }
    image.stack.resize(done / sizeof(std::uint64_t));
    image.taken = true;
#else
    (void)pid, (void)tid, (void)image; // takeNativeStacks() refuses such machines
#endif
}

Result<std::vector<ThreadImage>> copyThreads(pid_t pid, const StackLimits& limits, int& leftOut) {
    RS_TRY_ASSIGN(const auto tids, threadsOf(pid));
    const auto most = static_cast<std::size_t>(std::max(1, limits.threads));
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(limits.seconds / 2);
    std::vector<ThreadImage> images;
    for (const int tid : tids) {
        if (images.size() == most || std::chrono::steady_clock::now() >= until)
            break;
        ThreadImage image;
        const std::string task = fmt::format("/proc/{}/task/{}", pid, tid);
        image.thread.tid = tid;
        image.thread.name = line(task + "/comm");
        image.thread.doing = doingOf(task);
        // SEIZE, unlike ATTACH, sends no signal: a stopped process stays stopped, and dying here lets go of it
        if (::ptrace(PTRACE_SEIZE, tid, nullptr, nullptr) != 0) {
            if (errno == ESRCH)
                continue; // it ended meanwhile
            if (tid == pid)
                return tl::unexpected(refused(pid, errno));
            image.thread.remark = refused(tid, errno).message();
            images.push_back(std::move(image));
            continue;
        }
        int signal = 0;
        if (::ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr) == 0 && rests(tid, signal)) {
            copy(pid, tid, image);
            ::ptrace(PTRACE_DETACH, tid, nullptr, reinterpret_cast<void*>(static_cast<std::intptr_t>(signal)));
        } else {
            image.thread.remark = "could not be held: it is inside the kernel";
        }
        images.push_back(std::move(image));
    }
    leftOut = static_cast<int>(tids.size() - std::min(tids.size(), images.size()));
    return images;
}

} // namespace rankscope::launch
