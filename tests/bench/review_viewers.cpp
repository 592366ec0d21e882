// SPDX-License-Identifier: Apache-2.0
// 8 ranks x 50,000 steps x 3 metrics, the size at which common viewers were measured on a machine with two cores. Their
// figures are quoted; Rankscope's are measured.
#include "core/store/read/run_reader.h"
#include "core/store/sqlite/sqlite.h"
#include "core/telemetry/journal/journal_writer.h"
#include "tests/bench/review_parts.h"
#include "tests/bench/review_run.h"
#include "tests/bench/review_watch.h"

#include <fmt/format.h>

namespace rankscope::bench {

using namespace telemetry;

namespace {

/// Returns how long one value keeps the training thread busy, in ns: a step's batch, collective and step records hold
/// three.
double writerNs(std::int64_t steps) {
    const Folder folder;
    auto journal = JournalWriter::create(folder.path, {static_cast<std::uint32_t>(3 * steps + 1)});
    if (!journal)
        return fmt::print(stderr, "{}\n", journal.error().message()), -1;
    BatchRecord batch;
    CollectiveRecord collective;
    StepRecord step;
    const std::int64_t began = monotonicNs();
    for (std::int64_t s = 0; s < steps; ++s) {
        batch.header.step = collective.header.step = step.header.step = s;
        batch.framesMax = s;
        collective.sequence = static_cast<std::uint64_t>(s);
        step.loss = static_cast<double>(s);
        journal->append(batch);
        journal->append(collective);
        journal->append(step);
    }
    const double ns = static_cast<double>(monotonicNs() - began) / static_cast<double>(3 * steps);
    if (journal->dropped() > 0)
        fmt::print("  ({} records were dropped)\n", journal->dropped());
    return ns;
}

/// Returns the seconds that reading all raw points of all curves takes.
Result<double> readAll(const std::filesystem::path& store, RunSize size) {
    auto reader = store::RunReader::open(store);
    if (!reader)
        return tl::unexpected(reader.error());
    const std::int64_t began = monotonicNs();
    std::int64_t points = 0;
    for (const auto metric : {store::Metric::Loss, store::Metric::FramesMax, store::Metric::WaitTotal})
        for (int r = 0; r < size.ranks; ++r) {
            auto series = reader->series(metric, r, 0, size.steps - 1, static_cast<int>(size.steps));
            if (!series)
                return tl::unexpected(series.error());
            points += static_cast<std::int64_t>(series->size());
        }
    if (points != 3 * size.ranks * size.steps)
        return fail(Errc::Internal, fmt::format("{} points were read", points));
    return static_cast<double>(monotonicNs() - began) / 1e9;
}

/// Returns the times from just before a step's commit until its values are on the canvas, in ms.
Result<Series> newPoints(PaintWatch& app, const std::filesystem::path& dir, int ranks, int times) {
    auto run = LiveRun::begin(dir, {ranks, 50'000});
    if (!run)
        return tl::unexpected(run.error());
    RS_TRY(run->append(500));
    Series series;
    {
        ReviewWindow w(app, dir);
        (void)w.untilComplete();
        for (int i = 0; i < times; ++i) {
            (void)app.until([from = monotonicNs(), i] { return monotonicNs() - from > 300'000'000 + i * 7'000'000; });
            const std::int64_t began = monotonicNs();
            RS_TRY(run->append(1));
            std::int64_t arrived = 0, painted = 0;
            const bool shown = app.until(
                [&] {
                    for (const auto* plot : app.plots())
                        for (const auto& rank : plot->series())
                            if (rank.empty() || rank.back().lastStep != run->steps() - 1)
                                return false;
                    arrived = arrived ? arrived : monotonicNs();
                    return (painted = app.paintedSince(arrived)) != 0;
                },
                10);
            if (!shown)
                return fail(Errc::Internal, "a new step was not painted within 10 s");
            series.ms.push_back(static_cast<double>(painted - began) / 1e6);
        }
        app.watch({});
    }
    RS_TRY(run->end());
    return series;
}

} // namespace

int besideViewers(int& argc, char** argv, const std::filesystem::path& dir, const Arguments& a) {
    const RunSize size{static_cast<int>(a.at("--ranks")), a.at("--viewer-steps")};
    const auto run = recordedRun(dir, size);
    if (!run)
        return fmt::print(stderr, "{}\n", run.error().message()), 1;
    const double ns = writerNs(size.steps);
    const auto all = readAll(run->store(), size);
    if (!all || ns < 0)
        return fmt::print(stderr, "{}\n", all ? "the journal failed" : all.error().message()), 1;
    PaintWatch app(argc, argv);
    Series open;
    for (std::int64_t i = 0; i < a.at("--opens"); ++i) {
        ReviewWindow w(app, run->dir);
        open.ms.push_back(static_cast<double>(w.untilComplete() - w.began) / 1e6);
        app.watch({});
    }
    const auto live = newPoints(app, dir / "live", size.ranks, static_cast<int>(a.at("--points")));
    if (!live)
        return fmt::print(stderr, "{}\n", live.error().message()), 1;
    fmt::print(
        "\n{} ranks x {} steps x 3 metrics, next to the usual viewers (quoted, 2 cores, 8 x 50,000 x 3):\n"
        "  a value keeps its writer for     {:6.3f} us   SQLite from Python 4.2, TensorBoard 30, W&B 83, Aim 187, "
        "MLflow 106 to 1,675 us\n"
        "  complete picture, every extreme  {:6.3f} s    TensorBoard: 1,000 of 50,000 points a curve after 1.5 s\n"
        "  all {} points read        {:6.3f} s    TensorBoard 3.5 s; 39.5 s through its Python reader\n"
        "  a new step is on the canvas after {:5.3f} s (p95 {:.3f})   TensorBoard 2.5 s\n",
        size.ranks, size.steps, ns / 1e3, open.at(0.5) / 1e3, 3 * size.ranks * size.steps, *all, live->at(0.5) / 1e3,
        live->at(0.95) / 1e3);
    return misses("new step on the canvas at the 95th percentile, ms", live->at(0.95), a.at("--live-goal-ms"));
}

} // namespace rankscope::bench
