// SPDX-License-Identifier: Apache-2.0
// Measures how accurate stored waits are: ranks, which are real processes connected by Gloo, sleep for known times, one
// at a time. The waits that the store has for the others are compared with the real length of the sleep.
//
//   bench_wait_truth [--delays 1000] [--ranks 3] [--groups 4] [--shortest-ms 10] [--longest-ms 2000] [--seed 1]
//                    [--goal-us 5000]
//
// Groups run in parallel, to save time. Exit code 1: the 99th percentile of the error is above the goal (0: none).
#include "core/launch/recording/journal_drain.h"
#include "core/store/read/run_reader.h"
#include "tests/bench/support.h"
#include "tests/bench/wait_truth.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <numeric>

extern char** environ;

using namespace rankscope;
using namespace rankscope::bench;

namespace {

constexpr std::string_view kTag = "sync_max_audio_length"; ///< of the collective after each delay

struct Measured {
    double truthMs = 0, errorMs = 0; ///< errorMs: the largest error of any waiter
    double explained = 0;            ///< share of the waits that the holder's data_wait explains
};

pid_t spawnRank(const TruthOptions& o) {
    std::vector<std::string> words{"/proc/self/exe",
                                   "--child",
                                   o.dir.string(),
                                   std::to_string(o.rank),
                                   std::to_string(o.ranks),
                                   std::to_string(o.delays),
                                   std::to_string(o.seed),
                                   std::to_string(o.shortestMs),
                                   std::to_string(o.longestMs)};
    std::vector<char*> argv;
    for (auto& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t pid = 0;
    return ::posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, argv.data(), environ) == 0 ? pid : -1;
}

int child(char** argv) {
    TruthOptions o;
    o.dir = argv[2];
    o.rank = std::atoi(argv[3]);
    o.ranks = std::atoi(argv[4]);
    o.delays = std::atoll(argv[5]);
    o.seed = std::atoll(argv[6]);
    o.shortestMs = std::atoll(argv[7]);
    o.longestMs = std::atoll(argv[8]);
    return runTruthRank(o);
}

/// Stores the run as the supervisor does.
Result<void> storeRun(const TruthOptions& o) {
    const launch::RunPaths run{o.dir};
    auto store = store::RunWriter::open(run.store(), {"bench", o.ranks, 0, 0, o.delays}, {o.delays + 1, 20});
    if (!store)
        return tl::unexpected(store.error());
    auto drain = launch::Drain::open(run, std::move(*store));
    if (!drain)
        return tl::unexpected(drain.error());
    const std::vector<bool> gone(static_cast<std::size_t>(o.ranks), true);
    for (bool more = true; more;) {
        more = drain->read(gone);
        if (auto committed = drain->commit({}); !committed)
            return committed;
    }
    return drain->store().finish();
}

Result<std::vector<Measured>> measure(const TruthOptions& o) {
    if (auto stored = storeRun(o); !stored)
        return tl::unexpected(stored.error());
    auto reader = store::RunReader::open(o.dir / "run.sqlite");
    if (!reader)
        return tl::unexpected(reader.error());
    std::vector<Measured> all;
    for (int rank = 0; rank < o.ranks; ++rank) {
        std::ifstream truth(o.truthFile(rank));
        for (std::int64_t step = 0, ns = 0; truth >> step >> ns;) {
            auto rows = reader->collectives(step, step, 4 * o.ranks);
            const auto report = reader->explainWaits({step, step});
            if (!rows || !report)
                return tl::unexpected(rows ? report.error() : rows.error());
            std::erase_if(*rows, [](const auto& row) { return row.tag != kTag; }); // the barrier at the end
            if (static_cast<int>(rows->size()) != o.ranks)
                return fail(Errc::Malformed, fmt::format("step {} has {} collectives", step, rows->size()));
            Measured m{static_cast<double>(ns) * 1e-6, 0, 0};
            for (const auto& row : *rows)
                if (row.rank != rank)
                    m.errorMs = std::max(m.errorMs, std::abs(static_cast<double>(row.waitNs - ns)) * 1e-6);
                else if (row.waitNs != 0) // not the last to arrive: wrong by the whole delay
                    m.errorMs = std::max(m.errorMs, m.truthMs);
            diagnosis::WaitSums total;
            for (const auto& [key, sums] : report->matrix.cells())
                if (std::get<2>(key) == kTag)
                    total += sums;
            m.explained = static_cast<double>(total.phaseNs[static_cast<std::size_t>(telemetry::Phase::DataWait)]) /
                          static_cast<double>(std::max<std::int64_t>(total.waitNs, 1));
            all.push_back(m);
        }
    }
    return all;
}

double percentile(std::vector<double> values, double share) {
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

void printRow(const char* name, const std::vector<Measured>& all, double from, double to) {
    std::vector<double> errors;
    double explained = 0;
    for (const auto& m : all)
        if (m.truthMs >= from && m.truthMs < to) {
            errors.push_back(m.errorMs);
            explained += m.explained;
        }
    if (errors.empty())
        return;
    fmt::print("{:<18} {:>7} {:>9.3f} {:>9.3f} {:>9.3f} {:>13.1f}\n", name, errors.size(), percentile(errors, 0.5),
               percentile(errors, 0.99), percentile(errors, 1), 100 * explained / static_cast<double>(errors.size()));
}

/// Returns false if a rank failed.
bool runRanks(const std::vector<TruthOptions>& groups) {
    std::vector<pid_t> pids;
    for (TruthOptions o : groups)
        for (o.rank = 0; o.rank < o.ranks; ++o.rank)
            pids.push_back(spawnRank(o));
    bool fine = true;
    for (const pid_t pid : pids) {
        int status = 0;
        fine = pid > 0 && ::waitpid(pid, &status, 0) == pid && status == 0 && fine;
    }
    return fine;
}

} // namespace

int main(int argc, char** argv) {
    if (argc == 9 && std::string_view(argv[1]) == "--child")
        return child(argv);
    Arguments a{{"--delays", 1000},     {"--ranks", 3}, {"--groups", 4},    {"--shortest-ms", 10},
                {"--longest-ms", 2000}, {"--seed", 1},  {"--goal-us", 5000}};
    if (!parse(argc, argv, a, nullptr, 0) || a["--groups"] < 1 || a["--ranks"] < 2 || a["--shortest-ms"] < 1 ||
        a["--longest-ms"] < a["--shortest-ms"]) {
        fmt::print(stderr, "usage: bench_wait_truth [--delays N] [--ranks N] [--groups N] [--shortest-ms N] "
                           "[--longest-ms N] [--seed N] [--goal-us N]\n");
        return 2;
    }
    const Folder folder;
    std::vector<TruthOptions> groups;
    for (std::int64_t g = 0; g < a["--groups"]; ++g) {
        const std::int64_t delays = (a["--delays"] + a["--groups"] - 1 - g) / a["--groups"];
        groups.push_back({folder.path / std::to_string(g), static_cast<int>(a["--ranks"]), 0, delays, a["--seed"] + g,
                          a["--shortest-ms"], a["--longest-ms"]});
        std::filesystem::create_directories(groups.back().dir);
    }
    if (!runRanks(groups)) {
        fmt::print(stderr, "bench_wait_truth: a rank failed\n");
        return 2;
    }
    std::vector<Measured> all;
    for (const auto& group : groups) {
        const auto measured = measure(group);
        if (!measured) {
            fmt::print(stderr, "bench_wait_truth: {}\n", measured.error().message());
            return 2;
        }
        all.insert(all.end(), measured->begin(), measured->end());
    }
    if (static_cast<std::int64_t>(all.size()) != a["--delays"]) {
        fmt::print(stderr, "bench_wait_truth: {} of {} delays were measured\n", all.size(), a["--delays"]);
        return 2;
    }
    fmt::print("{} groups of {} ranks over Gloo; error of the stored wait, worst waiter, ms\n", a["--groups"],
               a["--ranks"]);
    fmt::print("{:<18} {:>7} {:>9} {:>9} {:>9} {:>13}\n", "delay", "number", "50th", "99th", "maximum", "data_wait, %");
    printRow("10 to 50 ms", all, 10, 50);
    printRow("50 to 250 ms", all, 50, 250);
    printRow("250 ms to 1 s", all, 250, 1000);
    printRow("1 s and more", all, 1000, 1e12);
    printRow("all", all, 0, 1e12);
    std::vector<double> errors;
    for (const auto& m : all)
        errors.push_back(m.errorMs);
    const double worst = percentile(errors, 0.99) * 1e3;
    return a["--goal-us"] == 0 || worst <= static_cast<double>(a["--goal-us"]) ? 0 : 1;
}
