// SPDX-License-Identifier: Apache-2.0
#include "core/launch/stacks/native_stack.h"

#include "core/base/files/file.h"
#include "core/base/values/result.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>

namespace rankscope::launch {
namespace {

/// Registers and stack of one thread at one moment, as machine words.
struct ThreadImage {
    static constexpr std::size_t kRegisters = 17; ///< as DWARF numbers them on x86-64: rsp is 7, the address 16
    NativeThread thread;
    std::uint64_t registers[kRegisters] = {};
    std::vector<std::uint64_t> stack; ///< from the stack pointer on, upwards
    bool taken = false;
};

} // namespace

static constexpr std::size_t kMostStackBytes = 256 << 10; ///< copied per thread
static constexpr int kPatienceMs = 100; ///< for one thread to stop; a thread inside a disk driver does not stop

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
    // the main thread trains; its number is the process's number
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
        return systemError("inspect", where, why);
    if (const int tracer = tracerOf(pid); tracer != 0)
        return {Errc::Busy, fmt::format("a debugger is already attached to it (process {})", tracer), where};
    const std::string scope = line("/proc/sys/kernel/yama/ptrace_scope");
    if (scope == "1")
        return {
            Errc::Permission,
            "the kernel lets only a rank's own supervisor inspect it (kernel.yama.ptrace_scope is 1). The supervisor "
            "takes the stacks of an incident: see 'rankscopectl diagnose'. For this command, use sudo or set "
            "kernel.yama.ptrace_scope=0",
            where};
    if (scope == "2" || scope == "3")
        return {Errc::Permission,
                fmt::format("the kernel forbids it (kernel.yama.ptrace_scope is {}); an administrator may set it to 1",
                            scope),
                where};
    return {
        Errc::Permission,
        "the system does not allow inspecting it: it belongs to another user, or a container forbids ptrace (give it "
        "the capability SYS_PTRACE)",
        where};
}

/// Waits until the thread has stopped; false if it does not stop in time or is gone. `signal`: a signal that the thread
/// was about to receive, to be passed on.
static bool rests(int tid, int& signal) {
    for (int tries = 0; tries < kPatienceMs * 4; ++tries) {
        int status = 0;
        const pid_t seen = ::waitpid(tid, &status, __WALL | WNOHANG);
        if (seen == tid) {
            if (!WIFSTOPPED(status))
                return false;
            signal = status >> 16 ? 0 : WSTOPSIG(status); // our own event, or a signal about to be delivered
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
    // one piece per page: the end of the stack then only ends the copy, and does not make all of it fail
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

/// Copies the images of all threads, at most `limits.threads`. The error Permission says what forbids it and what to
/// do.
static Result<std::vector<ThreadImage>> copyThreads(pid_t pid, const StackLimits& limits, int& leftOut) {
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
        // SEIZE, unlike ATTACH, sends no signal: a stopped process stays stopped, and if we die the kernel releases it
        if (::ptrace(PTRACE_SEIZE, tid, nullptr, nullptr) != 0) {
            if (errno == ESRCH)
                continue; // it has ended meanwhile
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

using Clock = std::chrono::steady_clock;

static constexpr int kFramePointer = 6; ///< in DWARF's numbers for x86-64
static constexpr int kStackPointer = 7;
static constexpr int kAddress = 16;
static constexpr std::size_t kWordsSearched = 16384; ///< of a stack whose innermost frame cannot be unwound
static constexpr std::size_t kSavedWords = 8;        ///< below a return address, where registers are saved
static constexpr int kSearches = 64;
static constexpr std::size_t kLongestName = 300;

namespace {

struct CloseDwfl {
    void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

/// The process as libdwfl sees it: one image at a time, whose stack is the copy; everything else is read from the
/// process.
struct TracedProcess {
    pid_t pid = 0;
    Clock::time_point until;
    const ThreadImage* image = nullptr;
    std::map<std::uint64_t, std::string> names; ///< of addresses that were looked up before: idle threads look alike
};

struct StackWalk {
    TracedProcess* target = nullptr;
    struct Frame {
        std::uint64_t pc = 0;    ///< inside the call, not after it
        bool tables = false;     ///< there are unwind tables for it
        std::uint64_t stack = 0; ///< its stack pointer; 0: unknown
    };
    std::vector<Frame> frames;
    std::size_t most = 0;
    bool strayed = false; ///< the last step led to no code
    bool ended = false;   ///< at the thread's start
    bool late = false;
};

bool readWord(const TracedProcess& target, std::uint64_t address, std::uint64_t& word) {
    const ThreadImage& image = *target.image;
    const std::uint64_t base = image.registers[kStackPointer];
    if (address >= base && address - base + sizeof word <= image.stack.size() * sizeof word) {
        std::memcpy(&word, reinterpret_cast<const char*>(image.stack.data()) + (address - base), sizeof word);
        return true;
    }
    const iovec here{&word, sizeof word};
    const iovec there{reinterpret_cast<void*>(address), sizeof word};
    return ::process_vm_readv(target.pid, &here, 1, &there, 1, 0) == static_cast<ssize_t>(sizeof word);
}

pid_t nextThread(Dwfl*, void* arg, void** thread) {
    if (*thread)
        return 0;
    *thread = arg;
    return static_cast<TracedProcess*>(arg)->image->thread.tid;
}

bool getThread(Dwfl*, pid_t, void* arg, void** thread) {
    *thread = arg;
    return true;
}

bool readMemory(Dwfl*, Dwarf_Addr address, Dwarf_Word* result, void* arg) {
    std::uint64_t word = 0;
    if (!readWord(*static_cast<TracedProcess*>(arg), address, word))
        return false;
    *result = word;
    return true;
}

bool setRegisters(Dwfl_Thread* thread, void* arg) {
    Dwarf_Word words[ThreadImage::kRegisters];
    const ThreadImage& image = *static_cast<TracedProcess*>(arg)->image;
    std::copy(std::begin(image.registers), std::end(image.registers), words);
    return dwfl_thread_state_registers(thread, 0, ThreadImage::kRegisters, words);
}

constexpr Dwfl_Thread_Callbacks kThreads{nextThread, getThread, readMemory, setRegisters, nullptr, nullptr};

bool covered(Dwarf_CFI* cfi, Dwarf_Addr address) {
    Dwarf_Frame* frame = nullptr;
    if (!cfi || dwarf_cfi_addrframe(cfi, address, &frame) != 0)
        return false;
    std::free(frame);
    return true;
}

bool hasTables(Dwfl* dwfl, std::uint64_t pc) {
    Dwfl_Module* module = dwfl_addrmodule(dwfl, pc);
    if (!module)
        return false;
    Dwarf_Addr bias = 0;
    Dwarf_CFI* cfi = dwfl_module_eh_cfi(module, &bias);
    if (covered(cfi, pc - bias))
        return true;
    cfi = dwfl_module_dwarf_cfi(module, &bias);
    return covered(cfi, pc - bias);
}

int takeFrame(Dwfl_Frame* state, void* arg) {
    StackWalk& walk = *static_cast<StackWalk*>(arg);
    Dwarf_Addr pc = 0;
    bool exact = false;
    if (!dwfl_frame_pc(state, &pc, &exact) || pc == 0)
        return DWARF_CB_ABORT;
    pc -= exact ? 0 : 1;
    Dwfl* dwfl = dwfl_thread_dwfl(dwfl_frame_thread(state));
    if (!dwfl_addrmodule(dwfl, pc)) {
        walk.strayed = true;
        return DWARF_CB_ABORT;
    }
    Dwarf_Word stack = 0;
    if (dwfl_frame_reg(state, kStackPointer, &stack) != 0)
        stack = 0;
    walk.frames.push_back({pc, hasTables(dwfl, pc), stack});
    walk.late = Clock::now() >= walk.target->until;
    return walk.late || walk.frames.size() >= walk.most ? DWARF_CB_ABORT : DWARF_CB_OK;
}

std::string demangled(const std::string& versioned) {
    const std::string symbol = versioned.substr(0, versioned.find('@')); // read@GLIBC_2.2.5
    int status = -1;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    std::string name = status == 0 && text ? text.get() : symbol;
    for (char& c : name)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f)
            c = '?';
    if (name.size() > kLongestName)
        name = name.substr(0, kLongestName) + "...";
    return name;
}

std::string fileName(const char* path) {
    const std::string text = path ? path : "?";
    const auto slash = text.rfind('/');
    return slash == std::string::npos ? text : text.substr(slash + 1);
}

std::string nameOf(Dwfl* dwfl, TracedProcess& target, std::uint64_t pc) {
    const auto known = target.names.find(pc);
    if (known != target.names.end())
        return known->second;
    Dwfl_Module* module = dwfl_addrmodule(dwfl, pc);
    Dwarf_Addr start = 0;
    const std::string file =
        fileName(dwfl_module_info(module, nullptr, &start, nullptr, nullptr, nullptr, nullptr, nullptr));
    GElf_Off offset = 0;
    GElf_Sym symbol{};
    const char* name = nullptr;
    if (Clock::now() < target.until) // a lookup goes through all of a library's symbols
        name = dwfl_module_addrinfo(module, pc, &offset, &symbol, nullptr, nullptr, nullptr);
    std::string text = name && *name ? fmt::format("{}+{:#x} ({})", demangled(name), offset, file)
                                     : fmt::format("{}+{:#x}", file, pc - start);
    return target.names.emplace(pc, std::move(text)).first->second;
}

struct CallBefore {
    bool is = false;          ///< there is a call before the address: a function may return to it
    std::uint64_t target = 0; ///< of a direct one; 0: it goes through a register or a table
};

CallBefore callBefore(pid_t pid, std::uint64_t address) {
    unsigned char bytes[8] = {};
    const iovec here{bytes + 1, 7};
    const iovec there{reinterpret_cast<void*>(address - 7), 7};
    if (address < 4096 || ::process_vm_readv(pid, &here, 1, &there, 1, 0) != 7)
        return {};
    if (bytes[3] == 0xe8) { // call rel32
        std::int32_t offset = 0;
        std::memcpy(&offset, bytes + 4, sizeof offset);
        return {true, address + static_cast<std::uint64_t>(std::int64_t{offset})};
    }
    for (int length = 2; length <= 7; ++length) // call r/m64: ff /2
        if (bytes[8 - length] == 0xff && ((bytes[9 - length] >> 3) & 7) == 2)
            return {true, 0};
    return {};
}

class Unwinder {
public:
    Unwinder(Dwfl* dwfl, pid_t pid, const StackLimits& limits, Clock::time_point until)
        : m_dwfl(dwfl), m_target{pid, until, nullptr, {}}, m_limits(limits) {}
    /// libdwfl keeps the address: hand it over before the first image is unwound.
    TracedProcess& target() { return m_target; }

    void unwind(ThreadImage& image) {
        const StackWalk direct = walk(image);
        std::vector<StackWalk::Frame> frames = direct.frames;
        const std::size_t bare = firstWithoutTables(frames);
        std::string& remark = image.thread.remark;
        if (frames.empty()) {
            remark = "its address is in no library";
        } else if (bare < frames.size() && !direct.late && (direct.strayed || !frames.back().tables)) {
            frames.resize(bare + 1);
            const auto more = search(image, frames.back());
            frames.insert(frames.end(), more.begin(), more.end());
            remark = remarkOf(frames[bare].pc, !more.empty());
        } else if (bare < frames.size()) {
            remark = fmt::format("{} has no unwind tables there: the frames below it were found by frame pointers",
                                 moduleOf(frames[bare].pc));
        }
        if (direct.late)
            remark = "cut short: it took too long";
        for (const auto& frame : frames)
            image.thread.frames.push_back(nameOf(m_dwfl, m_target, frame.pc));
    }

private:
    StackWalk walk(const ThreadImage& image) {
        m_target.image = &image;
        StackWalk walk;
        walk.target = &m_target;
        walk.most = static_cast<std::size_t>(std::max(1, m_limits.frames));
        walk.ended = dwfl_getthread_frames(m_dwfl, image.thread.tid, takeFrame, &walk) == 0;
        return walk;
    }
    static std::size_t firstWithoutTables(const std::vector<StackWalk::Frame>& frames) {
        const auto at = std::find_if(frames.begin(), frames.end(), [](const auto& f) { return !f.tables; });
        return static_cast<std::size_t>(at - frames.begin());
    }
    std::string moduleOf(std::uint64_t pc) const {
        return fileName(dwfl_module_info(dwfl_addrmodule(m_dwfl, pc), nullptr, nullptr, nullptr, nullptr, nullptr,
                                         nullptr, nullptr));
    }
    std::string remarkOf(std::uint64_t pc, bool found) const {
        return fmt::format(
            "{} has no unwind tables at that address: {}", moduleOf(pc),
            found ? "the frames below it were found by searching the stack for return addresses, and may be of an "
                    "earlier call"
                  : "its callers are not known; see the next thread");
    }
    /// Returns the frames from the return address at `index` of the stack on; none if they do not lead to the thread's
    /// start. `framePointer` 0: the current one.
    std::vector<StackWalk::Frame> walkFrom(const ThreadImage& image, std::size_t index, std::uint64_t framePointer) {
        ThreadImage from = image;
        from.stack.erase(from.stack.begin(), from.stack.begin() + static_cast<std::ptrdiff_t>(index) + 1);
        from.registers[kStackPointer] = image.registers[kStackPointer] + (index + 1) * sizeof(std::uint64_t);
        from.registers[kAddress] = image.stack[index] - 1;
        if (framePointer != 0)
            from.registers[kFramePointer] = framePointer;
        const StackWalk candidate = walk(from);
        return candidate.ended ? candidate.frames : std::vector<StackWalk::Frame>{};
    }
    /// For a called function that uses the frame pointer itself and saved the caller's at its beginning.
    std::vector<StackWalk::Frame> walkSaved(const ThreadImage& image, std::size_t index) {
        const std::uint64_t here = image.registers[kStackPointer] + index * sizeof(std::uint64_t);
        const std::uint64_t end = image.registers[kStackPointer] + image.stack.size() * sizeof(std::uint64_t);
        for (std::size_t back = 1; back <= std::min(index, kSavedWords); ++back) {
            const std::uint64_t saved = image.stack[index - back];
            if (saved <= here || saved >= end)
                continue;
            if (auto frames = walkFrom(image, index, saved); !frames.empty())
                return frames;
        }
        return {};
    }
    /// A called function that has tables would have its own frame, so the call is left over from an earlier one. Among
    /// the other calls, those that called `start`, the function without tables, are preferred (`exactly`).
    bool mayHaveCalled(const CallBefore& call, std::uint64_t start, bool exactly) const {
        if (!call.is)
            return false;
        return exactly ? call.target != 0 && call.target == start : call.target == 0 || !hasTables(m_dwfl, call.target);
    }
    std::uint64_t startOf(std::uint64_t pc) const {
        GElf_Off offset = 0;
        GElf_Sym symbol{};
        const char* name =
            dwfl_module_addrinfo(dwfl_addrmodule(m_dwfl, pc), pc, &offset, &symbol, nullptr, nullptr, nullptr);
        return name ? pc - offset : 0;
    }
    /// Continues after a frame that leads nowhere: at the first word on the stack above it that is a return address
    /// with unwind tables and leads to the thread's start.
    std::vector<StackWalk::Frame> search(const ThreadImage& image, const StackWalk::Frame& frame) {
        const std::uint64_t base = image.registers[kStackPointer];
        const std::size_t first = frame.stack > base ? (frame.stack - base) / sizeof(std::uint64_t) : 0;
        const std::size_t end = std::min(image.stack.size(), std::min(first, image.stack.size()) + kWordsSearched);
        const std::uint64_t start = startOf(frame.pc);
        for (const bool exactly : {true, false}) {
            int tries = 0;
            for (std::size_t i = first; i < end && tries < kSearches && Clock::now() < m_target.until; ++i) {
                const std::uint64_t address = image.stack[i];
                if (!dwfl_addrmodule(m_dwfl, address) || !hasTables(m_dwfl, address - 1) ||
                    !mayHaveCalled(callBefore(m_target.pid, address), start, exactly))
                    continue;
                ++tries;
                auto frames = walkFrom(image, i, 0);
                if (frames.empty())
                    frames = walkSaved(image, i);
                if (!frames.empty())
                    return frames;
            }
        }
        return {};
    }

    Dwfl* m_dwfl;
    TracedProcess m_target;
    StackLimits m_limits;
};

} // namespace

/// Fills in the images' frames.
static Result<void> unwindThreads(pid_t pid, const StackLimits& limits, std::vector<ThreadImage>& images) {
    ::unsetenv("DEBUGINFOD_URLS"); // libdwfl would ask the network for debug information
    static constexpr Dwfl_Callbacks kFiles{dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo, nullptr, nullptr};
    const std::unique_ptr<Dwfl, CloseDwfl> dwfl(dwfl_begin(&kFiles));
    const std::string where = fmt::format("process {}", pid);
    const auto problem = [&](const char* what) {
        const char* why = dwfl_errmsg(-1);
        return fail(Errc::Io, {"{}: {}", what, why ? why : "libdwfl does not say why"}, where);
    };
    if (!dwfl)
        return problem("cannot unwind");
    const int reported = dwfl_linux_proc_report(dwfl.get(), pid);
    if (reported > 0)
        return tl::unexpected(systemError("read the libraries of", where, reported));
    if (reported < 0 || dwfl_report_end(dwfl.get(), nullptr, nullptr) != 0)
        return problem("cannot read its libraries");
    const auto until =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds / 2));
    Unwinder unwinder(dwfl.get(), pid, limits, until);
    if (!dwfl_attach_state(dwfl.get(), nullptr, pid, &kThreads, &unwinder.target()))
        return problem("cannot unwind");
    for (ThreadImage& image : images) {
        if (!image.taken)
            continue;
        if (Clock::now() < until)
            unwinder.unwind(image);
        else
            image.thread.remark = "left out: there was no time left";
    }
    return {};
}

Result<NativeStacks> takeNativeStacks(pid_t pid, const StackLimits& limits) {
#ifndef __x86_64__
    return fail(Errc::Unsupported, "native stacks can be read only on x86-64", fmt::format("process {}", pid));
#endif
    NativeStacks stacks;
    RS_TRY_ASSIGN(auto images, copyThreads(pid, limits, stacks.threadsLeftOut));
    RS_TRY(unwindThreads(pid, limits, images));
    for (ThreadImage& image : images)
        stacks.threads.push_back(std::move(image.thread));
    return stacks;
}

LinkedLibrary elfutilsLinked() {
    return {"elfutils", dwfl_version(nullptr)};
}

} // namespace rankscope::launch
