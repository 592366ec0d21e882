// SPDX-License-Identifier: Apache-2.0
// Measures what board and journal cost a training step: per record, and as a share of a step of given length.
//
//   bench_overhead [--step-ms 200] [--layers 2] [--buckets 4] [--batch 8] [--steps 300] [--records 100000] [--run DIR]
//
// --run takes the step's length and the number of records from a run that was trained on this machine.
#include "core/base/values/clock.h"
#include "core/store/read/run_reader.h"
#include "core/telemetry/board/board.h"
#include "core/telemetry/journal/journal_writer.h"
#include "tests/bench/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using namespace rankscope;
using namespace rankscope::telemetry;
using bench::Arguments;
using bench::Folder;

namespace fs = std::filesystem;

namespace {

JournalWriter makeJournal(const fs::path& dir, std::uint32_t slots) {
    fs::create_directories(dir);
    auto writer = JournalWriter::create(dir, {slots});
    if (!writer) {
        fmt::print(stderr, "{}\n", writer.error().message());
        std::exit(1);
    }
    return std::move(*writer);
}

double appendNs(const fs::path& dir, int threads, std::int64_t records) {
    // one segment with room for all records: this measures appending, not dropping
    auto writer = makeJournal(dir, static_cast<std::uint32_t>(std::min<std::int64_t>(records * threads + 1, 1 << 20)));
    const std::int64_t begin = monotonicNs();
    std::vector<std::thread> pool;
    for (int t = 0; t < threads; ++t)
        pool.emplace_back([&] {
            CollectiveRecord record;
            putText(record.tag, sizeof record.tag, "sync_batchnorm:encoder.layers.0.conv.batch_norm");
            for (std::int64_t i = 0; i < records; ++i) {
                record.sequence = static_cast<std::uint64_t>(i);
                writer.append(record);
            }
        });
    for (auto& thread : pool)
        thread.join();
    const double ns = static_cast<double>(monotonicNs() - begin) / static_cast<double>(records);
    if (writer.dropped() != 0)
        fmt::print("  ({} records were dropped)\n", writer.dropped());
    return ns;
}

double boardNs(BoardWriter& board, std::int64_t updates) {
    const std::int64_t begin = monotonicNs();
    for (std::int64_t i = 0; i < updates; ++i)
        board.phase(i % 2 ? Phase::Forward : Phase::Backward, begin + i);
    return static_cast<double>(monotonicNs() - begin) / static_cast<double>(updates);
}

/// Writes the records that one step of a small model writes, and counts them.
class Step {
public:
    Step(BoardWriter& board, JournalWriter& journal, const Arguments& a) : m_board(board), m_journal(journal), m_a(a) {}
    std::int64_t records = 0, updates = 0;

    void run(std::int64_t step) {
        m_step = step;
        m_board.step(step, 0), ++updates;
        for (std::int64_t i = 0; i < m_a.at("--batch"); ++i)
            m_board.reading("/data/speech/train/speaker-0001/chapter-01/utterance-000001.wav", step), ++updates;
        m_board.queue(2, 4), m_board.queue(3, 4), updates += 2;
        phase(Phase::DataWait);
        BatchRecord batch;
        append(batch);
        m_board.batch(8, 320000, 2000), m_board.inputShape({8, 80, 2000, 0}), updates += 2;
        for (const Phase p : {Phase::ToDevice, Phase::Preprocess, Phase::Augment})
            phase(p);
        collective("sync_max_audio_length");
        for (std::int64_t layer = 0; layer < m_a.at("--layers"); ++layer) {
            m_board.place(ForwardSite::Layer, static_cast<int>(layer)), ++updates;
            collective("sync_batchnorm:encoder.layers.0.conv.batch_norm");
        }
        phase(Phase::Forward);
        phase(Phase::Loss);
        for (std::int64_t layer = 0; layer < m_a.at("--layers"); ++layer)
            collective("sync_batchnorm:encoder.layers.0.conv.batch_norm");
        for (std::int64_t bucket = 0; bucket < m_a.at("--buckets"); ++bucket)
            collective("gradient:3");
        phase(Phase::Backward);
        phase(Phase::Optimizer);
        collective("metrics");
        phase(Phase::Barrier);
        StepRecord record;
        append(record);
    }

private:
    template <class R> void append(R& record) {
        record.header.step = m_step;
        m_journal.append(record);
        ++records;
    }
    void phase(Phase phase) {
        PhaseRecord record;
        record.phase = phase;
        record.beginNs = monotonicNs();
        m_board.phase(phase, record.beginNs), ++updates;
        record.endNs = monotonicNs();
        append(record);
    }
    void collective(std::string_view tag) {
        CollectiveRecord record;
        record.arrivedNs = monotonicNs();
        record.sequence = m_sequence++;
        putText(record.tag, sizeof record.tag, tag);
        m_board.arrived(0, record.sequence, CollectiveOp::AllReduce, 6, 1024, tag, record.arrivedNs), ++updates;
        record.doneNs = monotonicNs();
        m_board.done(0, m_sequence, record.doneNs), ++updates;
        append(record);
    }

    BoardWriter& m_board;
    JournalWriter& m_journal;
    const Arguments& m_a;
    std::int64_t m_step = 0;
    std::uint64_t m_sequence = 0;
};

/// A trained run: how many records its rank 0 wrote per step, and how long its steps took.
struct Trained {
    double stepMs = 0, records = 0;
};

Result<Trained> readRun(const fs::path& dir) {
    auto reader = store::RunReader::open(dir / "run.sqlite");
    if (!reader)
        return tl::unexpected(reader.error());
    const auto ranks = reader->ranks();
    const auto counters = reader->counters();
    if (!ranks || !counters)
        return tl::unexpected(ranks ? counters.error() : ranks.error());
    if (ranks->empty() || ranks->front().lastStep <= ranks->front().firstStep || ranks->front().firstStep < 0)
        return fail(Errc::Malformed, "has no steps yet", dir.string());
    const auto& rank = ranks->front();
    const auto first = reader->phases(rank.firstStep, rank.firstStep, 1);
    if (!first)
        return tl::unexpected(first.error());
    Trained trained;
    const double steps = static_cast<double>(rank.lastStep - rank.firstStep + 1);
    const std::int64_t began = first->empty() ? 0 : first->front().beginNs;
    trained.stepMs = static_cast<double>(rank.lastNs - began) / 1e6 / steps;
    for (const auto& counter : *counters)
        if (counter.name == "records" && counter.rank == rank.rank)
            trained.records = static_cast<double>(counter.value) / steps;
    return trained;
}

/// Returns false if the share is one percent or more.
bool printShare(double costUs, double stepMs, const std::string& of) {
    const double percent = costUs / 10 / stepMs;
    fmt::print("share    {:8.4f} % of {}\n", percent, of);
    return percent < 1.0;
}

} // namespace

int main(int argc, char** argv) {
    Arguments a{{"--step-ms", 200}, {"--layers", 2},  {"--buckets", 4},
                {"--batch", 8},     {"--steps", 300}, {"--records", 100000}};
    std::string run;
    if (!bench::parse(argc, argv, a, &run)) {
        fmt::print(stderr, "usage: bench_overhead [--step-ms N] [--layers N] [--buckets N] [--batch N] [--steps N] "
                           "[--records N] [--run DIR]\n");
        return 2;
    }
    const Folder folder;
    auto board = BoardWriter::create(folder.path / "board");
    if (!board) {
        fmt::print(stderr, "{}\n", board.error().message());
        return 1;
    }
    fmt::print("board    {:8.0f} ns per update\n", boardNs(*board, a["--records"]));
    for (const int threads : {1, 2, 4})
        fmt::print("journal  {:8.0f} ns per record and thread, {} thread{}\n",
                   appendNs(folder.path / std::to_string(threads), threads, a["--records"]), threads,
                   threads > 1 ? "s" : "");

    auto journal = makeJournal(folder.path / "step", 4096);
    Step step(*board, journal, a);
    std::vector<std::int64_t> spent;
    for (std::int64_t i = 0; i < a["--steps"]; ++i) {
        const std::int64_t begin = monotonicNs();
        step.run(i);
        spent.push_back(monotonicNs() - begin);
        std::this_thread::sleep_for(std::chrono::milliseconds(2)); // stands for the step's computation: caches go cold
    }
    std::sort(spent.begin(), spent.end());
    const auto steps = std::max<std::int64_t>(a["--steps"], 1);
    const double medianUs = spent.empty() ? 0 : static_cast<double>(spent[spent.size() / 2]) / 1e3;
    const double worstUs = spent.empty() ? 0 : static_cast<double>(spent.back()) / 1e3;
    fmt::print("step     {:8.1f} us median, {:.1f} us worst, for {} records and {} board updates; {} dropped\n",
               medianUs, worstUs, step.records / steps, step.updates / steps, journal.dropped());
    bool fine = journal.dropped() == 0;
    if (run.empty()) {
        fine =
            printShare(medianUs, static_cast<double>(a["--step-ms"]), fmt::format("a step of {} ms", a["--step-ms"])) &&
            fine;
    } else {
        const auto trained = readRun(run);
        if (!trained) {
            fmt::print(stderr, "bench_overhead: {}\n", trained.error().message());
            return 2;
        }
        const double scale = trained->records * static_cast<double>(steps) / static_cast<double>(step.records);
        const double costUs = medianUs * scale, worst = worstUs * scale;
        const std::string of =
            fmt::format("a step of {:.1f} ms with {:.1f} records, as in {}", trained->stepMs, trained->records, run);
        fine = printShare(costUs, trained->stepMs, of) && fine;
        fmt::print("         {:8.4f} % had every step cost what the worst did\n", worst / 10 / trained->stepMs);
    }
    return fine ? 0 : 1;
}
