// SPDX-License-Identifier: GPL-3.0-or-later
// Measures how long a frame of the timeline takes while panning and zooming, and how long it takes to read the
// timeline, its summary and its statistics.
//
//   bench_timeline [--steps 2000] [--ranks 8] [--frames 300]
//
// Each step of a rank has 16 phases and 34 collectives. A frame is one change of the window and a full repaint of
// the view into an image of 1440 x 900, in the window's thread. Fails if the 95th percentile is above 16 ms (not with
// few steps, which are only a smoke test).
#include "core/base/values/clock.h"
#include "core/store/write/run_writer.h"
#include "tests/bench/support.h"
#include "widgets/models/timeline/timeline_source.h"
#include "widgets/models/timeline/timeline_stats.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/view/timeline_view.h"

#include <QApplication>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace rankscope;
using namespace rankscope::telemetry;
using namespace rankscope::ui;

namespace {

constexpr std::int64_t kStepNs = 200'000'000;
constexpr int kPhases = 16, kCollectives = 34;

void appendStep(std::vector<AnyRecord>& out, int rank, std::int64_t step) {
    const std::int64_t begin = step * kStepNs;
    const auto add = [&](auto record) {
        record.header.step = step;
        record.header.timeNs = begin;
        out.push_back(AnyRecord::of(record));
    };
    static constexpr Phase kinds[] = {Phase::DataWait, Phase::ToDevice, Phase::Preprocess, Phase::Augment};
    std::int64_t at = begin;
    for (int p = 0; p < kPhases; ++p) {
        PhaseRecord phase;
        phase.phase = p < 4 ? kinds[p] : p % 3 == 0 ? Phase::Loss : p % 3 == 1 ? Phase::Forward : Phase::Backward;
        phase.beginNs = at;
        phase.endNs = at += kStepNs / kPhases - 500'000 + (step * 7919 + rank * 104729 + p * 31) % 400'000;
        add(phase);
    }
    for (int c = 0; c < kCollectives; ++c) {
        CollectiveRecord collective;
        collective.sequence = static_cast<std::uint64_t>(step * kCollectives + c);
        collective.phase = Phase::Backward;
        collective.op = CollectiveOp::AllReduce;
        collective.count = 4096;
        collective.arrivedNs = collective.startedNs =
            begin + c * (kStepNs / kCollectives) + (step * 7919 + rank * 15'485'863 + c) % 4'000'000;
        collective.doneNs = begin + c * (kStepNs / kCollectives) + 5'000'000;
        putText(collective.tag, sizeof collective.tag,
                c == 0   ? "sync_max_audio_length"
                : c < 20 ? "sync_batchnorm:encoder.layers.0.conv.batch_norm"
                         : "gradient:3");
        add(collective);
    }
    StepRecord record;
    record.loss = 1;
    record.beginNs = begin;
    record.endNs = begin + kStepNs - 1'000'000;
    add(record);
}

bool write(const std::string& file, std::int64_t steps, int ranks) {
    auto store = store::RunWriter::open(file, {"bench", ranks, 0, 0, steps});
    if (!store)
        return false;
    std::vector<std::uint64_t> positions(static_cast<std::size_t>(ranks));
    for (std::int64_t step = 0; step < steps; step += 5) {
        std::vector<std::vector<AnyRecord>> records(static_cast<std::size_t>(ranks));
        std::vector<store::RunWriter::Chunk> chunks;
        for (std::size_t r = 0; r < records.size(); ++r) {
            for (std::int64_t s = step; s < std::min(step + 5, steps); ++s)
                appendStep(records[r], static_cast<int>(r), s);
            positions[r] += records[r].size();
            chunks.push_back({static_cast<int>(r), records[r], {0, positions[r]}, {}});
        }
        if (!store->commit(chunks, {}))
            return false;
    }
    return store->finish().has_value();
}

struct Times {
    std::vector<double> ms;
    double at(double share) const {
        auto sorted = ms;
        std::sort(sorted.begin(), sorted.end());
        return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
    }
    void print(const char* what) const {
        std::printf("%-46s median %7.2f  p95 %7.2f  worst %7.2f ms  (%zu)\n", what, at(0.5), at(0.95), at(1),
                    ms.size());
    }
};

class Bench {
public:
    Bench(std::string file, std::int64_t steps, int ranks)
        : m_file(std::move(file)), m_end(static_cast<double>(steps * kStepNs)), m_ranks(ranks),
          m_image(1440, 900, QImage::Format_ARGB32_Premultiplied) {
        m_view.resize(m_image.size());
        m_view.setAttribute(Qt::WA_DontShowOnScreen);
        m_view.show();
        m_view.setRanks(std::vector<RankTile>(static_cast<std::size_t>(ranks)), false);
        m_view.setLimits({0, m_end});
    }

    /// Reads a part as the page would; returns false if it cannot be read.
    bool read(PlotRange window, Times& into, bool overview) {
        TimelineRequest request;
        request.store = m_file;
        const double margin = overview ? 0 : window.width();
        request.fromNs = static_cast<std::int64_t>(std::max(window.lo - margin, 0.0));
        request.toNs = static_cast<std::int64_t>(std::min(window.hi + margin, m_end));
        request.lastRank = m_ranks - 1;
        request.nsPerPixel =
            std::max<std::int64_t>(static_cast<std::int64_t>(window.width() / m_view.scene().scale.width), 1);
        const std::int64_t began = monotonicNs();
        auto got = m_source.read(request, {});
        into.ms.push_back(static_cast<double>(monotonicNs() - began) / 1e6);
        if (!got)
            return false;
        auto reply = std::make_shared<TimelineReply>(std::move(*got));
        overview ? m_view.setOverview(reply) : m_view.setReply(reply);
        m_spans = reply->spans;
        return true;
    }

    void frame(PlotRange window, Times& into) {
        const std::int64_t began = monotonicNs();
        m_view.showWindow(window);
        m_view.render(&m_image);
        into.ms.push_back(static_cast<double>(monotonicNs() - began) / 1e6);
    }

    double end() const { return m_end; }
    std::int64_t spans() const { return m_spans; }

private:
    std::string m_file;
    double m_end;
    int m_ranks;
    TimelineView m_view;
    TimelineSource m_source;
    QImage m_image;
    std::int64_t m_spans = 0;
};

/// Measures the reads over the whole run for the track above the lanes and for the statistics pane.
bool timeOverall(const std::string& file, std::int64_t endNs) {
    auto run = store::RunReader::open(file);
    if (!run)
        return false;
    Times summary, stats;
    std::int64_t began = monotonicNs();
    const auto summarised = readSummary(*run, {file, 0, endNs, 668}, {});
    summary.ms.push_back(static_cast<double>(monotonicNs() - began) / 1e6);
    began = monotonicNs();
    const auto added = readStats(*run, {file, 0, endNs}, {});
    stats.ms.push_back(static_cast<double>(monotonicNs() - began) / 1e6);
    summary.print("summary of the whole run");
    stats.print("statistics of the whole run");
    return summarised && added;
}

} // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    bench::Arguments a{{"--steps", 2000}, {"--ranks", 8}, {"--frames", 300}};
    if (!bench::parse(argc, argv, a, nullptr, 1)) {
        std::fprintf(stderr, "bench_timeline [--steps N] [--ranks N] [--frames N]\n");
        return 2;
    }
    Theme::instance().apply(Theme::Mode::Light);
    bench::Folder folder;
    const std::int64_t steps = a.at("--steps"), frames = a.at("--frames");
    const int ranks = static_cast<int>(a.at("--ranks"));
    if (!write(folder.at("run.sqlite"), steps, ranks)) {
        std::fprintf(stderr, "the run cannot be written\n");
        return 1;
    }
    std::printf("%d ranks x %lld steps x %d spans\n", ranks, static_cast<long long>(steps), kPhases + kCollectives);
    Bench bench(folder.at("run.sqlite"), steps, ranks);
    Times overview, reads, all;
    if (!bench.read({0, bench.end()}, overview, true))
        return 1;
    std::printf("the whole run has %lld spans\n", static_cast<long long>(bench.spans()));
    overview.print("reading the whole run");
    Times whole;
    for (std::int64_t i = 0; i < frames; ++i) { // one pixel back and forth: everything is repainted
        const double shift = static_cast<double>(i % 2) * bench.end() / 1e4;
        bench.frame({shift, bench.end() - bench.end() / 1e4 + shift}, whole);
    }
    whole.print("frame, whole run");
    all.ms.insert(all.ms.end(), whole.ms.begin(), whole.ms.end());
    for (const double shown : {1000.0, 200.0, 50.0, 10.0, 2.0}) {
        const double width = std::min(shown * kStepNs, bench.end()), centre = bench.end() / 2;
        Times one, pan, zoom;
        if (!bench.read({centre - width / 2, centre + width / 2}, one, false))
            return 1;
        for (std::int64_t i = 0; i < frames; ++i) {
            const double by = width * std::sin(static_cast<double>(i) * 0.05);
            bench.frame({centre - width / 2 + by, centre + width / 2 + by}, pan);
            const double half = width / 2 * std::pow(2, std::sin(static_cast<double>(i) * 0.07));
            bench.frame({centre - half, centre + half}, zoom);
        }
        std::printf("%.0f steps in view\n", shown);
        one.print("  reading them and as many on either side");
        pan.print("  frame, pan");
        zoom.print("  frame, zoom by up to 2");
        for (const auto* times : {&pan, &zoom})
            all.ms.insert(all.ms.end(), times->ms.begin(), times->ms.end());
        reads.ms.push_back(one.ms.front());
    }
    all.print("all frames");
    if (!timeOverall(folder.at("run.sqlite"), static_cast<std::int64_t>(bench.end())))
        return 1;
    const bool ok = all.at(0.95) <= 16 || steps < 1000;
    std::printf("%s: p95 of a frame at most 16 ms\n", ok ? "met" : "MISSED");
    return ok ? 0 : 1;
}
