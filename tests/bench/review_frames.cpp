// SPDX-License-Identifier: Apache-2.0
// Measures frames while panning and zooming: from the moment an input is due until all plots are painted, at 60 inputs a
// second, as by hand, while the data of the windows passed is being read.
#include "tests/bench/machine.h"
#include "tests/bench/review_parts.h"
#include "tests/bench/review_watch.h"

#include <fmt/format.h>

#include <QWheelEvent>

#include <cmath>

namespace rankscope::bench {

namespace {

constexpr std::int64_t kPeriodNs = 16'666'667;

using Input = std::function<void(int i)>;

struct Frames {
    Series frames;
    double sharpMs = 0; ///< from the last input until the data of the window is drawn
    int unpainted = 0;
};

Frames play(ReviewWindow& w, int count, const Input& input) {
    Frames result;
    auto* plot = w.app.plots().front();
    const QPointF at = plot->axisRect()->rect().center();
    QMouseEvent hover(QEvent::MouseMove, at, plot->mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
    QCoreApplication::sendEvent(plot, &hover); // shows the crosshair on all plots
    (void)w.untilComplete();
    std::int64_t due = monotonicNs() + kPeriodNs;
    for (int i = 0; i < count; ++i) {
        (void)w.app.until([&] { return monotonicNs() >= due; });
        const std::int64_t sent = monotonicNs();
        input(i);
        std::int64_t painted = 0;
        if (!w.app.until([&] { return (painted = w.app.paintedSince(sent)) != 0; }, 1))
            ++result.unpainted;
        else
            result.frames.ms.push_back(static_cast<double>(painted - due) / 1e6);
        due = std::max(due + kPeriodNs, monotonicNs());
    }
    const std::int64_t last = due - kPeriodNs;
    result.sharpMs = static_cast<double>(w.untilComplete() - last) / 1e6;
    return result;
}

void wheel(ui::RankPlot* plot, double share, int delta, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    const QRect box = plot->axisRect()->rect();
    const QPointF at(box.left() + share * box.width(), box.center().y());
    QWheelEvent event(at, plot->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(plot, &event);
}

void mouse(ui::RankPlot* plot, QEvent::Type type, double x) {
    const QPointF at(x, plot->axisRect()->rect().center().y());
    const bool press = type == QEvent::MouseButtonPress;
    QMouseEvent event(type, at, plot->mapToGlobal(at), press ? Qt::LeftButton : Qt::NoButton, Qt::LeftButton, {});
    QCoreApplication::sendEvent(plot, &event);
}

void report(const char* name, const Frames& f, Series& all, int& unpainted) {
    fmt::print("  {:<34} median {:5.1f}  p95 {:5.1f}  worst {:5.1f} ms   sharp data after {:6.1f} ms\n", name,
               f.frames.at(0.5), f.frames.at(0.95), f.frames.at(1), f.sharpMs);
    all.ms.insert(all.ms.end(), f.frames.ms.begin(), f.frames.ms.end());
    unpainted += f.unpainted;
}

/// Brings a window of `steps` steps around the middle of the run into view.
void goTo(ReviewWindow& w, std::int64_t steps, double width) {
    w.page->zoomAll();
    (void)w.untilComplete();
    w.page->showStep(steps / 2); // 40 steps
    for (double now = 40; now * 2 <= width; now *= 2)
        w.page->zoomOut();
    (void)w.untilComplete();
}

} // namespace

int measureFrames(int& argc, char** argv, const std::filesystem::path& run, const Arguments& a) {
    PaintWatch app(argc, argv);
    ReviewWindow w(app, run);
    if (!w.untilComplete())
        return fmt::print(stderr, "the window was not complete after a minute\n"), 1;
    const int count = static_cast<int>(a.at("--frames"));
    auto* plot = app.plots().front();
    const std::int64_t steps = a.at("--steps");
    Series all;
    int unpainted = 0;
    const StolenTime stolen;
    fmt::print("frames of pan and zoom, three plots at 1440 x 900, {} inputs each at 60 a second:\n", count);
    w.page->zoomAll();
    report("whole run: zoom in and out", play(w, count, [&](int i) { wheel(plot, 0.5, i / 3 % 2 ? -40 : 40); }), all,
           unpainted);
    w.page->zoomAll();
    wheel(plot, 0.5, 240);
    report("most of the run: pan", play(w, count, [&](int i) {
               wheel(plot, 0.5, i / 10 % 2 ? -20 : 20, Qt::ShiftModifier);
           }), all, unpainted);
    for (const auto& [name, width] : {std::pair("a twentieth", static_cast<double>(steps) / 20),
                                      std::pair("5,000 steps", 5'000.0), std::pair("200 steps", 200.0)}) {
        goTo(w, steps, width);
        mouse(plot, QEvent::MouseButtonPress, 600);
        report(fmt::format("{}: drag", name).c_str(), play(w, count, [&](int i) {
                   mouse(plot, QEvent::MouseMove, 600 + (i / 20 % 2 ? 9.0 : -9.0) * (i % 20 + 1));
               }), all, unpainted);
        mouse(plot, QEvent::MouseButtonRelease, 600);
        goTo(w, steps, width);
        report(fmt::format("{}: zoom", name).c_str(),
               play(w, count, [&](int i) { wheel(plot, 0.3, i / 8 % 2 ? -60 : 60); }), all, unpainted);
    }
    w.page->zoomAll();
    report("from the whole run down to steps", play(w, count, [&](int i) {
               if (i % 25 == 0)
                   w.page->zoomAll();
               wheel(plot, 0.37, 240);
           }), all, unpainted);
    const Memory memory = Memory::read();
    const double p95 = all.at(0.95);
    fmt::print("  {:<34} median {:5.1f}  p95 {:5.1f}  worst {:5.1f} ms   of {} frames\n", "all", all.at(0.5), p95,
               all.at(1), all.ms.size());
    fmt::print("resident memory {:.0f} MB at the end, {:.0f} MB at most\n", memory.nowMb, memory.mostMb);
    fmt::print("the host gave {:.1f} % of this machine's processor time to others meanwhile\n", stolen.percent());
    int failed = 0;
    if (unpainted > 0)
        fmt::print("MISSED: {} inputs led to no frame\n", unpainted), ++failed;
    failed += misses("frames at the 95th percentile, ms", p95, a.at("--frame-goal-ms"));
    failed += misses("resident memory, MB", memory.mostMb, a.at("--memory-goal-mb"));
    return failed ? 1 : 0;
}

int misses(const char* what, double value, std::int64_t goal) {
    if (goal <= 0 || value <= static_cast<double>(goal))
        return 0;
    fmt::print("MISSED: {}: {:.1f}, goal {}\n", what, value, goal);
    return 1;
}

} // namespace rankscope::bench
