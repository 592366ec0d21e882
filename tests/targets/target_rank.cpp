// SPDX-License-Identifier: Apache-2.0
// A rank that trains nothing and misbehaves on demand. It keeps board and journal as a trainer does, and meets the
// other ranks once per step through a file. RANKSCOPE_TARGET holds "key=value" words:
//   steps=30 ms=5     how long it goes on
//   burn=0            milliseconds of processor time that each step takes besides
//   do=… rank=1 at=10 what goes wrong, on which rank (-1: all) and in which step; see misbehave()
//   workers=1         a child like a loader's worker: in its own session, deaf to SIGTERM
//   python=1          writes Python stacks when it is asked to, as faulthandler does
//   signals=plain     SIGTERM ends it, as it ends a program without a handler
//   epoch=0           steps of an epoch, as the board says; 0: it does not
//   seconds=3 code=7  figures for it
#include "core/base/files/guarded_folder.h"
#include "core/base/values/clock.h"
#include "core/telemetry/board/board.h"
#include "core/telemetry/board/control_page.h"
#include "core/telemetry/board/leave_request.h"
#include "core/telemetry/journal/journal_writer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

using namespace rankscope;
using namespace rankscope::telemetry;

namespace {

constexpr int kMostRanks = 64;

/// RUN/target: where the ranks meet, and what each has appended; outlives every process.
struct Shared {
    std::atomic<std::int64_t> arrived[kMostRanks];
    std::atomic<std::int64_t> begun[kMostRanks];    ///< appends, before the call
    std::atomic<std::int64_t> appended[kMostRanks]; ///< after it
    std::atomic<std::int32_t> pid[kMostRanks];
};

Shared& shared(const std::filesystem::path& run) {
    const int fd = ::open((run / "target").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ::ftruncate(fd, sizeof(Shared)) != 0)
        std::exit(90);
    return *static_cast<Shared*>(::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
}

int number(const char* name) {
    const char* text = std::getenv(name);
    if (!text)
        std::exit(91);
    return std::atoi(text);
}

/// What cannot be had in a folder that was replaced ends it, as it ends a trainer.
template <class T> T made(Result<T> result) {
    if (!result) {
        std::fprintf(stderr, "%s\n", result.error().message().c_str());
        std::exit(92);
    }
    return std::move(*result);
}

class Rank {
public:
    explicit Rank(const std::filesystem::path& run)
        : m_run(run), m_rank(number("RANK")), m_world(number("WORLD_SIZE")), m_shared(shared(run)),
          m_board(made(BoardWriter::create(madeRankDir() / "board"))),
          m_journal(made(JournalWriter::create(rankDir()))), m_control(made(ControlPage::open(run / "control"))) {
        std::istringstream words(std::getenv("RANKSCOPE_TARGET") ? std::getenv("RANKSCOPE_TARGET") : "");
        for (std::string word; words >> word;)
            m_words[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    }

    int train() {
        const int steps = integer("steps", 30);
        m_board.identify(m_rank, m_world, 1, "cpu", steps, integer("epoch", 0));
        introduce();
        if (integer("python", 0) > 0)
            offerPythonStacks();
        if (integer("workers", 0) > 0)
            startWorker();
        if (word("do") == "never_joins" && mine())
            return integer("code", 7);
        m_shared.pid[m_rank] = ::getpid();
        m_board.stage(RankStage::Running);
        for (m_step = 0; m_step < steps && m_step < m_control.stopAtStep(); ++m_step) {
            step();
            if (m_left)
                return m_code;
        }
        const bool stopped = m_step < steps;
        if (word("do") == "silent" && mine())
            return 0;
        finish(stopped ? EndCause::Stopped : EndCause::Finished);
        if (word("do") == "lingers" && mine())
            sleepFor(1000);
        return 0;
    }

private:
    /// A supervisor that only watches has not made it.
    std::filesystem::path madeRankDir() const {
        const auto ranks = made(made(GuardedFolder::open(m_run)).makeFolder("ranks"));
        return made(ranks.makeFolder(std::to_string(m_rank))).path();
    }
    std::filesystem::path rankDir() const { return m_run / "ranks" / std::to_string(m_rank); }
    std::string word(const std::string& key) const {
        const auto at = m_words.find(key);
        return at == m_words.end() ? "" : at->second;
    }
    int integer(const std::string& key, int otherwise) const {
        return m_words.contains(key) ? std::stoi(m_words.at(key)) : otherwise;
    }
    bool mine() const { return integer("rank", 1) == m_rank || integer("rank", 1) == -1; }
    static void sleepFor(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

    static void burn(double seconds) {
        const auto end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
        while (std::clock() < end) {
        }
    }

    template <class R> void append(R record) {
        record.header.step = m_step;
        ++m_shared.begun[m_rank];
        if (m_journal.append(record))
            ++m_shared.appended[m_rank];
    }
    template <class Body> void phase(Phase phase, Body&& body) {
        PhaseRecord record;
        record.phase = phase;
        record.beginNs = monotonicNs();
        m_board.phase(phase, record.beginNs);
        body();
        record.endNs = monotonicNs();
        append(record);
    }

    void introduce() {
        AnchorRecord anchor;
        anchor.monotonicNs = monotonicNs();
        anchor.realtimeNs = realtimeNs();
        anchor.rank = m_rank;
        anchor.worldSize = m_world;
        anchor.localRank = m_rank;
        anchor.pid = ::getpid();
        putText(anchor.host, sizeof anchor.host, "here");
        putText(anchor.device, sizeof anchor.device, "cpu");
        append(anchor);
    }

    void offerPythonStacks() {
        static int file = ::open((rankDir() / "pystacks.txt").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        struct sigaction writes {};
        writes.sa_handler = [](int) {
            constexpr std::string_view text = "Thread 0x00007f01 (most recent call first):\n"
                                              "  File \"/lib/queue.py\", line 5 in get\n\n"
                                              "Current thread 0x00007f02 (most recent call first):\n"
                                              "  File \"/home/me/train.py\", line 88 in train_step\n";
            [[maybe_unused]] const ssize_t n = ::write(file, text.data(), text.size());
        };
        ::sigaction(SIGRTMIN + 7, &writes, nullptr);
        SoftwareRecord software;
        putText(software.name, sizeof software.name, "faulthandler");
        putText(software.version, sizeof software.version, std::to_string(SIGRTMIN + 7));
        append(software);
        putText(software.name, sizeof software.name, "torch");
        putText(software.version, sizeof software.version, "2.11.0+cpu");
        append(software);
    }

    static void startWorker() {
        if (::fork() != 0)
            return;
        ::setsid();
        ::signal(SIGTERM, SIG_IGN);
        for (;;)
            ::pause();
    }

    void step() {
        const std::int64_t begin = monotonicNs();
        m_board.step(m_step, 0);
        phase(Phase::DataWait, [&] { misbehave("stall"); });
        m_board.batch(4, 16000, 100);
        BatchRecord batch;
        batch.size = 4;
        batch.framesMin = batch.framesMax = 100;
        batch.framesSum = 400;
        batch.samplesMin = batch.samplesMax = 16000;
        append(batch);
        phase(Phase::Forward, [&] {
            sleepFor(integer("ms", 5) * 1e-3);
            burn(integer("burn", 0) * 1e-3);
            misbehave("");
        });
        if (m_left)
            return;
        phase(Phase::Backward, [&] { meet(); });
        if (m_left)
            return;
        StepRecord record;
        record.loss = 5.0 / (1.0 + static_cast<double>(m_step));
        record.learningRate = 1e-3;
        record.beginNs = begin;
        record.endNs = monotonicNs();
        record.samplesPerSecond = 4 * 16000 * 1e9 / static_cast<double>(record.endNs - begin);
        append(record);
    }

    /// The step's all-reduce: nobody passes before all are there.
    void meet() {
        CollectiveRecord c;
        c.op = CollectiveOp::AllReduce;
        c.sequence = static_cast<std::uint64_t>(m_step);
        c.count = 1000;
        c.phase = Phase::Backward;
        c.arrivedNs = c.startedNs = monotonicNs();
        putText(c.tag, sizeof c.tag, "gradient:0");
        m_board.arrived(0, c.sequence, c.op, 6, c.count, "gradient:0", c.arrivedNs);
        m_shared.arrived[m_rank] = m_step + 1;
        for (int r = 0; r < m_world; ++r)
            while (m_shared.arrived[r] <= m_step) {
                const int pid = m_shared.pid[r];
                if (word("peers") == "notice" && pid != 0 && ::kill(pid, 0) != 0)
                    return loseThePeer(c);
                sleepFor(0.001);
            }
        c.doneNs = monotonicNs();
        c.exposedNs = c.doneNs - c.arrivedNs;
        m_board.done(0, c.sequence + 1, c.doneNs);
        append(c);
    }
    void loseThePeer(CollectiveRecord c) {
        c.failed = 1;
        c.doneNs = monotonicNs();
        append(c);
        std::fprintf(stderr, "connection closed by peer\n");
        finish(EndCause::Failed, "all-reduce failed: connection closed by peer", 3);
        leave(3);
    }
    void leave(int code) {
        m_left = true;
        m_code = code;
    }

    void misbehave(const std::string& only) {
        const std::string what = word("do");
        if (!mine() || m_step != integer("at", 10) || (what == "stall") != (only == "stall"))
            return;
        const double seconds = word("seconds").empty() ? 3 : std::stod(word("seconds"));
        if (what == "stall") {
            m_board.reading("/data/utt_0412.flac", monotonicNs());
            sleepFor(seconds);
        } else if (what == "kill") {
            std::raise(SIGKILL);
        } else if (what == "crash") {
            std::fprintf(stderr, "about to crash\n");
            std::signal(SIGSEGV, SIG_DFL);
            std::raise(SIGSEGV);
        } else if (what == "exit") {
            std::fprintf(stderr, "\033[31mout of luck\033[0m\n");
            ::_exit(integer("code", 7));
        } else if (what == "fails") {
            finish(EndCause::Failed, "utt_7.wav: no samples", integer("code", 1));
            leave(integer("code", 1));
        } else if (what == "stop_itself") {
            std::raise(SIGSTOP);
        } else if (what == "deaf") {
            for (;;)
                sleepFor(1000);
        } else if (what == "flood") {
            for (int i = 0; i < integer("records", 50'000); ++i)
                append(ResourceRecord{});
        } else if (what == "lie") {
            lie();
        }
    }
    /// Records that no honest rank writes, and bytes that are none.
    void lie() {
        StepRecord wild;
        wild.loss = std::numeric_limits<double>::infinity();
        wild.beginNs = INT64_MAX;
        wild.endNs = INT64_MIN;
        append(wild);
        CollectiveRecord odd;
        odd.op = static_cast<CollectiveOp>(250);
        odd.phase = static_cast<Phase>(251);
        odd.group = 4'000'000'000u;
        odd.sequence = UINT64_MAX;
        odd.count = INT64_MIN;
        std::memset(odd.tag, 0xff, sizeof odd.tag);
        append(odd);
        NoteRecord note;
        std::memset(note.text, 0xc3, sizeof note.text);
        append(note);
        m_board.phase(static_cast<Phase>(252), INT64_MAX);
        m_board.step(INT64_MAX, INT32_MIN);
        m_board.arrived(0, UINT64_MAX, static_cast<CollectiveOp>(99), 255, INT64_MIN, "\xff\xfe", INT64_MAX);
    }
    void finish(EndCause cause, const char* text = "", int code = 0) {
        EndRecord end;
        end.cause = cause;
        end.exitCode = code;
        end.weightsHash = word("do") == "diverges" && mine() ? 2 : 1;
        putText(end.text, sizeof end.text, text);
        append(end);
        m_board.stage(stageAfter(cause));
    }

    std::filesystem::path m_run;
    int m_rank, m_world;
    Shared& m_shared;
    BoardWriter m_board;
    LeaveRequestOnBoard m_asked{m_board};
    JournalWriter m_journal;
    ControlPage m_control;
    std::map<std::string, std::string> m_words;
    std::int64_t m_step = -1;
    bool m_left = false;
    int m_code = 0;
};

} // namespace

int main(int argc, char** argv) {
    // like the trainer: a signal alone ends nobody, all leave after the step that the control page names
    const char* words = std::getenv("RANKSCOPE_TARGET");
    if (!words || !std::strstr(words, "signals=plain"))
        installLeaveSignals(true);
    std::string run;
    for (int i = 1; i + 1 < argc; ++i)
        if (std::strcmp(argv[i], "--run") == 0)
            run = argv[i + 1];
    if (run.empty())
        return 92;
    return Rank(run).train();
}
