// SPDX-License-Identifier: Apache-2.0
// Measures how fast the store takes in records, and how fast it answers a plot's query.
//
//   bench_store [--steps 20000] [--ranks 8] [--layers 2] [--buckets 4] [--points 1000] [--steps-per-commit 5]
//               [--readers 0] [--pause-ms 10] [--query-goal-ms 0]
//
// --readers: threads that query series while the store takes in records. Exit code 1: one of their queries met a lock
// or failed, or their 95th percentile is above the goal.
//
// 10 million rows in table step: --steps 1250000 --ranks 8 (takes a while).
#include "core/base/values/clock.h"
#include "core/store/read/run_reader.h"
#include "core/store/write/run_writer.h"
#include "tests/bench/store_readers.h"
#include "tests/bench/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

using namespace rankscope;
using namespace rankscope::store;
using namespace rankscope::telemetry;
using bench::Arguments;

namespace fs = std::filesystem;

namespace {

/// Appends the records of one rank and step: nine phases, a batch, the step, and its collectives.
void appendStep(std::vector<AnyRecord>& out, int rank, std::int64_t step, const Arguments& a, std::uint64_t& sequence) {
    const std::int64_t begin = step * 200'000'000;
    auto add = [&](auto record) {
        record.header.step = step;
        record.header.timeNs = begin;
        out.push_back(AnyRecord::of(record));
    };
    BatchRecord batch;
    batch.size = 8;
    batch.framesMax = 500 + (step * 37 + rank * 11) % 1500;
    add(batch);
    for (int p = static_cast<int>(Phase::DataWait); p <= static_cast<int>(Phase::Optimizer); ++p) {
        PhaseRecord phase;
        phase.phase = static_cast<Phase>(p);
        phase.beginNs = begin + p * 20'000'000;
        phase.endNs = phase.beginNs + 15'000'000;
        add(phase);
    }
    auto collective = [&](const char* tag) {
        CollectiveRecord c;
        c.sequence = sequence++;
        c.arrivedNs =
            begin + static_cast<std::int64_t>(c.sequence % 20) * 9'000'000 + (rank * 7919 + step * 104729) % 4'000'000;
        c.doneNs = c.arrivedNs + 100'000;
        putText(c.tag, sizeof c.tag, tag);
        add(c);
    };
    collective("sync_max_audio_length");
    for (std::int64_t i = 0; i < 2 * a.at("--layers"); ++i)
        collective("sync_batchnorm:encoder.layers.0.conv.batch_norm");
    for (std::int64_t i = 0; i < a.at("--buckets"); ++i)
        collective("gradient:0");
    collective("metrics");
    StepRecord record;
    record.loss = 10.0 / static_cast<double>(step + 1) + rank;
    record.beginNs = begin;
    record.endNs = begin + 199'000'000;
    add(record);
}

struct Ingested {
    std::int64_t records = 0, rows = 0, ns = 0, slowestNs = 0; ///< rows: inserted or changed
};

Result<Ingested> ingest(const fs::path& file, const Arguments& a, std::optional<bench::StoreReaders>& readers) {
    const int ranks = static_cast<int>(a.at("--ranks"));
    auto store = RunWriter::open(file, {"bench", ranks, 0, 0, a.at("--steps")});
    if (!store)
        return tl::unexpected(store.error());
    if (a.at("--readers") > 0)
        readers.emplace(file, static_cast<int>(a.at("--readers")), ranks, static_cast<int>(a.at("--pause-ms")));
    Ingested result;
    std::vector<std::uint64_t> sequences(static_cast<std::size_t>(ranks)), positions(static_cast<std::size_t>(ranks));
    const std::int64_t kStepsPerCommit = a.at("--steps-per-commit");
    for (std::int64_t step = 0; step < a.at("--steps"); step += kStepsPerCommit) {
        std::vector<std::vector<AnyRecord>> records(static_cast<std::size_t>(ranks));
        std::vector<RunWriter::Chunk> chunks;
        for (std::size_t r = 0; r < records.size(); ++r) {
            for (std::int64_t s = step; s < std::min(step + kStepsPerCommit, a.at("--steps")); ++s)
                appendStep(records[r], static_cast<int>(r), s, a, sequences[r]);
            positions[r] += records[r].size();
            chunks.push_back({static_cast<int>(r), records[r], {0, positions[r]}, {}});
            result.records += static_cast<std::int64_t>(records[r].size());
        }
        const std::int64_t begin = monotonicNs();
        if (auto committed = store->commit(chunks, {}); !committed)
            return tl::unexpected(committed.error());
        const std::int64_t ns = monotonicNs() - begin;
        result.ns += ns;
        result.slowestNs = std::max(result.slowestNs, ns);
        if (readers)
            readers->setStored(std::min(step + kStepsPerCommit, a.at("--steps")));
    }
    result.rows = store->rowsChanged();
    if (auto finished = store->finish(); !finished)
        return tl::unexpected(finished.error());
    auto reader = RunReader::open(file);
    auto counters = reader ? reader->counters() : tl::unexpected(reader.error());
    if (!counters)
        return tl::unexpected(counters.error());
    for (const Counter& c : *counters)
        if (c.name.starts_with("thinned_"))
            result.rows -= c.value; // these were deleted again
    return result;
}

Result<void> read(const fs::path& file, const Arguments& a) {
    auto reader = RunReader::open(file);
    if (!reader)
        return tl::unexpected(reader.error());
    const std::int64_t steps = a.at("--steps");
    for (const auto& [what, first, last] :
         {std::tuple("whole run", std::int64_t{0}, steps - 1), std::tuple("a tenth", steps / 2, steps / 2 + steps / 10),
          std::tuple("newest 500", std::max<std::int64_t>(steps - 500, 0), steps - 1)}) {
        std::int64_t slowest = 0;
        std::size_t points = 0;
        for (const Metric metric : {Metric::Loss, Metric::FramesMax, Metric::WaitTotal})
            for (int rank = 0; rank < a.at("--ranks"); ++rank) {
                const std::int64_t begin = monotonicNs();
                const auto series = reader->series(metric, rank, first, last, static_cast<int>(a.at("--points")));
                if (!series)
                    return tl::unexpected(series.error());
                slowest = std::max(slowest, monotonicNs() - begin);
                points = std::max(points, series->size());
            }
        fmt::print("series   {:8.2f} ms at worst for {} ({} points)\n", static_cast<double>(slowest) / 1e6, what,
                   points);
    }
    const std::int64_t begin = monotonicNs();
    if (auto cells = reader->waits(3, steps - 3); !cells)
        return tl::unexpected(cells.error());
    fmt::print("waits    {:8.2f} ms for the whole run\n", static_cast<double>(monotonicNs() - begin) / 1e6);
    return {};
}

/// Returns false if a reader blocked the writer, or the writer a reader.
bool report(const bench::ReadersResult& result, const Arguments& a) {
    const auto at = [&](double share) {
        const auto last = static_cast<double>(result.ns.size() - 1);
        return result.ns.empty() ? 0.0 : static_cast<double>(result.ns[static_cast<std::size_t>(share * last)]) / 1e6;
    };
    const auto goal = static_cast<double>(a.at("--query-goal-ms"));
    const bool slow = goal > 0 && at(0.95) > goal;
    fmt::print("readers  {:8} queries next to the writer: median {:.2f} ms, 95 of 100 {:.2f} ms, slowest {:.2f} ms{}\n",
               result.queries, at(0.5), at(0.95), at(1), slow ? "  MISSED" : "");
    fmt::print("         {:8} met a lock, {} failed{}{}\n", result.locked, result.failed,
               result.firstError.empty() ? "" : ": ", result.firstError);
    return result.queries > 0 && result.failed == 0 && result.locked == 0 && !slow;
}

} // namespace

int main(int argc, char** argv) {
    Arguments a{{"--steps", 20000}, {"--ranks", 8},     {"--layers", 2},
                {"--buckets", 4},   {"--points", 1000}, {"--steps-per-commit", 5},
                {"--readers", 0},   {"--pause-ms", 10}, {"--query-goal-ms", 0}};
    if (!bench::parse(argc, argv, a, nullptr, 0) || a["--steps"] < 1 || a["--ranks"] < 1 ||
        a["--steps-per-commit"] < 1) {
        fmt::print(stderr, "usage: bench_store [--steps N] [--ranks N] [--layers N] [--buckets N] [--points N] "
                           "[--steps-per-commit N] [--readers N] [--pause-ms N] [--query-goal-ms N]\n");
        return 2;
    }
    const bench::Folder folder;
    const fs::path file = folder.path / "run.sqlite";
    int code = 0;
    std::optional<bench::StoreReaders> readers;
    if (const auto in = ingest(file, a, readers)) {
        const double seconds = static_cast<double>(in->ns) / 1e9;
        fmt::print("ingest   {:8.0f} rows/s inserted or changed\n", static_cast<double>(in->rows) / seconds);
        fmt::print("         {:8.0f} records/s ({} records, {} rows in step), slowest commit {:.1f} ms\n",
                   static_cast<double>(in->records) / seconds, in->records, a["--steps"] * a["--ranks"],
                   static_cast<double>(in->slowestNs) / 1e6);
        if (readers && !report(readers->stop(), a))
            code = 1;
        fmt::print("size     {:8.1f} MiB\n", static_cast<double>(fs::file_size(file)) / (1 << 20));
        if (const auto done = read(file, a); !done) {
            fmt::print(stderr, "{}\n", done.error().message());
            code = 1;
        }
    } else {
        fmt::print(stderr, "{}\n", in.error().message());
        code = 1;
    }
    return code;
}
