// SPDX-License-Identifier: Apache-2.0
// Measures whether one core is enough for the supervisor: simulated ranks fill real journals and boards in a run's
// folder, and each round does what the supervisor does: read the boards, drain the journals, diagnose, record, store.
//
//   bench_supervisor [--seconds 20] [--ranks 0]
//
// 64 ranks at 50 steps/s and 1,024 ranks at 2 steps/s; --ranks N: only those with at most N. Time is simulated: only
// the CPU time of the thread that runs the rounds is measured.
#include "core/base/process/heap_trim.h"
#include "core/base/values/clock.h"
#include "core/diagnosis/recording/recording.h"
#include "core/launch/recording/journal_drain.h"
#include "core/telemetry/board/board.h"
#include "core/telemetry/journal/journal_segment.h"
#include "core/telemetry/journal/journal_writer.h"
#include "tests/bench/support.h"
#include "tests/core/diagnosis/simulated_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <ctime>

using namespace rankscope;
using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;
using namespace rankscope::telemetry;

namespace {

std::int64_t threadNs() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// Writes a rank's journal as JournalWriter does, but without a helper thread for each of a thousand ranks.
class SimulatedJournal {
public:
    explicit SimulatedJournal(std::filesystem::path dir) : m_dir(std::move(dir)) {}
    Result<void> append(const AnyRecord& record) {
        if (m_slot == kSlots || !m_mapping.base()) {
            auto next = createSegment(m_dir, m_segment, kSlots, 1);
            if (!next)
                return tl::unexpected(next.error());
            m_mapping = std::move(*next);
            auto* header = reinterpret_cast<std::uint64_t*>(m_mapping.base());
            std::atomic_ref(*header).store(kJournalMagic, std::memory_order_release);
            ++m_segment;
            m_slot = 0;
        }
        std::byte* slot = m_mapping.base() + (std::size_t{++m_slot}) * kSlotBytes;
        const std::uint32_t length = record.header().length;
        std::copy_n(record.bytes.data() + 4, length - 4, slot + 4);
        std::atomic_ref(*reinterpret_cast<std::uint32_t*>(slot)).store(length, std::memory_order_release);
        return {};
    }

private:
    static constexpr std::uint32_t kSlots = 1024;
    std::filesystem::path m_dir;
    Mapping m_mapping;
    std::uint64_t m_segment = 0;
    std::uint32_t m_slot = 0;
};

void mirror(const BoardSnapshot& from, BoardWriter& to) {
    to.step(from.step, 0);
    to.phase(from.phase, from.phaseSinceNs);
    to.batch(from.batchSize, from.longestSamples, from.longestFrames);
    const BoardCollective& c = from.collectives[0];
    if (c.used) {
        to.arrived(0, c.sequence, c.op, c.dtype, c.count, c.tag, c.arrivedNs);
        to.done(0, c.done, c.doneNs);
    }
}

struct Load {
    int ranks;
    double stepsPerSecond;
    FleetOptions options;
};

Result<void> run(const Load& load, double seconds) {
    const bench::Folder folder;
    const launch::RunPaths paths{folder.path};
    SimulatedFleet fleet(load.options);
    std::vector<SimulatedJournal> journals;
    std::vector<BoardWriter> boards;
    std::vector<BoardReader> readers;
    for (int r = 0; r < load.ranks; ++r) {
        std::filesystem::create_directories(paths.rank(r));
        journals.emplace_back(paths.rank(r));
        auto board = BoardWriter::create(paths.board(r));
        if (!board)
            return tl::unexpected(board.error());
        boards.push_back(std::move(*board));
        boards.back().stage(RankStage::Running);
        auto reader = BoardReader::open(paths.board(r));
        if (!reader)
            return tl::unexpected(reader.error());
        readers.push_back(std::move(*reader));
    }
    auto store = store::RunWriter::open(paths.store(), {"bench", load.ranks, fleet.nowNs(), 0, 0});
    if (!store)
        return tl::unexpected(store.error());
    auto drain = launch::Drain::open(paths, std::move(*store));
    if (!drain)
        return tl::unexpected(drain.error());
    Detector detector(load.ranks, {});
    InputRecorder recorder(load.ranks, {});
    const std::vector<bool> gone(static_cast<std::size_t>(load.ranks), false);
    std::int64_t cpu = 0, slowest = 0, records = 0, bytes = 0, rounds = 0, incidents = 0, behind = 0;
    while (fleet.step() < 5)
        (void)fleet.tick(); // the ranks have started
    const std::int64_t firstStep = fleet.step(), begin = fleet.nowNs();
    while (fleet.nowNs() < begin + static_cast<std::int64_t>(seconds * 1e9)) {
        const Observation& truth = fleet.tick();
        for (int r = 0; r < load.ranks; ++r) {
            const auto i = static_cast<std::size_t>(r);
            for (const AnyRecord& record : truth.ranks[i].records)
                if (auto appended = journals[i].append(record); !appended)
                    return appended;
            mirror(*truth.ranks[i].board, boards[i]);
        }
        const std::int64_t began = threadNs();
        Observation o;
        o.nowNs = truth.nowNs;
        const bool more = drain->read(gone);
        for (int r = 0; r < load.ranks; ++r) {
            const auto i = static_cast<std::size_t>(r);
            BoardSnapshot seen = readers[i].snapshot();
            seen.updatedNs = truth.ranks[i].board->updatedNs; // the writer used the real clock
            o.ranks.push_back({r, std::move(seen), truth.ranks[i].process, std::nullopt, drain->newRecords(r)});
            records += static_cast<std::int64_t>(o.ranks.back().records.size());
        }
        recorder.record(o, detector);
        auto transitions = detector.advance(o);
        for (const auto& t : transitions)
            incidents += t.kind == Transition::TransitionKind::Opened;
        if (auto piece = recorder.take(transitions, detector.anyOpen(), false)) {
            bytes += static_cast<std::int64_t>(piece->bytes.size());
            drain->deferRecording(std::move(*piece));
        }
        if (auto stored = drain->commit(std::move(transitions)); !stored)
            return stored;
        const std::int64_t took = threadNs() - began;
        cpu += took;
        slowest = std::max(slowest, took);
        behind += more;
        ++rounds;
    }
    const double simulated = static_cast<double>(fleet.nowNs() - begin) * 1e-9;
    const double rate = static_cast<double>(fleet.step() - firstStep) / simulated;
    fmt::print(
        "{:>5} ranks, {:>5.1f} steps/s, {:>6.0f} records/s: {:>5.1f} % of one core; slowest round {:.0f} ms of {} "
        "ms; {} of {} rounds left something; {:.0f} bytes of input recorded a second; {} incidents; {:.0f} MiB\n",
        load.ranks, rate, static_cast<double>(records) / simulated, 100 * static_cast<double>(cpu) * 1e-9 / simulated,
        static_cast<double>(slowest) / 1e6, load.options.tickNs / 1'000'000, behind, rounds,
        static_cast<double>(bytes) / simulated, incidents,
        static_cast<double>(std::filesystem::file_size(paths.store())) / (1 << 20));
    return {};
}

Load small() {
    FleetOptions o;
    o.world = 64;
    o.secondsPerSecond = 0.0001;
    o.hiccups = 0;
    o.warmUpSeconds = 0;
    o.stepsPerEpoch = 1'000'000;
    o.validateEvery = o.checkpointEvery = 0;
    return {64, 50, o};
}

Load large() {
    FleetOptions o = small().options;
    o.world = 1024;
    o.secondsPerSecond = 0.0090;
    return {1024, 2, o};
}

} // namespace

int main(int argc, char** argv) {
    bench::Arguments a{{"--seconds", 20}, {"--ranks", 0}};
    if (!bench::parse(argc, argv, a, nullptr, 0)) {
        fmt::print(stderr, "usage: bench_supervisor [--seconds S] [--ranks N]\n");
        return 2;
    }
    for (Load load : {small(), large()}) {
        const auto most = static_cast<int>(a.at("--ranks"));
        if (most > 0 && load.ranks > most) {
            if (load.ranks > 64)
                continue;
            load.ranks = load.options.world = most;
        }
        if (auto done = run(load, static_cast<double>(a.at("--seconds"))); !done) {
            fmt::print(stderr, "{}\n", done.error().message());
            return 1;
        }
    }
    return 0;
}
