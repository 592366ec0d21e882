// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the real window with a live run: the time from a rank's record to its pixel, the longest time that the
// window's thread is busy without a break, and whether its memory and the supervisor's stay flat. The ranks are
// target_rank, which trains nothing but keeps board and journal as a trainer does; everything else is real
// (rankscopectl launch, the store, MainWindow with the Live page in follow mode, drawn offscreen).
//
//   bench_live [--seconds 600] [--ranks 8] [--step-ms 17] [--latency-goal-ms 200] [--busy-goal-ms 50] [--growth-goal 5]
//
// Exit code 1: a goal is missed. The goals: 95th percentile of the latency, CPU time of the longest busy stretch,
// growth of the resident memory in percent from the end of the first third to the end. A goal of 0 is none.
#include "core/base/values/clock.h"
#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"
#include "tests/bench/live_watch.h"
#include "tests/bench/machine.h"
#include "tests/bench/support.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/plots/plot/rank_plot.h"
#include "widgets/theme/theme.h"

#include <QDir>
#include <QFile>
#include <QProcess>

#include <csignal>
#include <cstdio>

using namespace rankscope;
using namespace rankscope::ui;
using bench::LiveApplication;

namespace {

bool writeFile(const std::string& path, const QByteArray& text) {
    QFile file(QString::fromStdString(path));
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

/// Writes the tests' smallest recipe; target_rank does not read it.
bool prepare(const bench::Folder& folder) {
    QFile recipe(QStringLiteral(RANKSCOPE_RECIPE));
    return recipe.open(QIODevice::ReadOnly) && writeFile(folder.at("recipe.yaml"), recipe.readAll()) &&
           writeFile(folder.at("a.wav"), {}) &&
           writeFile(folder.at("manifest.json"), "{\"audio_filepath\": \"a.wav\", \"duration\": 1.0}\n");
}

bool startRun(QProcess& process, const bench::Folder& folder, bench::Arguments& a) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("RANKSCOPE_TRAINER"), QStringLiteral(RANKSCOPE_BIN_DIR "/target_rank"));
    environment.insert(QStringLiteral("RANKSCOPE_TARGET"), QStringLiteral("steps=100000000 ms=%1").arg(a["--step-ms"]));
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(QString::fromStdString(folder.path.string()));
    process.setStandardErrorFile(QProcess::nullDevice());
    process.setStandardOutputFile(QProcess::nullDevice());
    process.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"),
                  {QStringLiteral("launch"), QString::fromStdString(folder.at("recipe.yaml")),
                   QStringLiteral("--ranks"), QString::number(a["--ranks"]), QStringLiteral("--runs"),
                   QString::fromStdString(folder.at("runs")), QStringLiteral("trainer.max_steps=100000000")});
    return process.waitForStarted();
}

launch::RunPaths onlyRun(const bench::Folder& folder) {
    const auto runs = launch::listRuns(folder.path / "runs");
    return runs && runs->size() == 1 ? runs->front().paths : launch::RunPaths{};
}

/// Returns the times from the end of each step to the first picture of the loss that includes it, in ms.
Result<bench::Series> latencies(const launch::RunPaths& run, const LiveApplication& app, int ranks) {
    auto reader = store::RunReader::open(run.store());
    if (!reader)
        return tl::unexpected(reader.error());
    bench::Series series;
    for (int r = 0; r < ranks; ++r) {
        const auto& pictures = app.pictures(r);
        std::size_t at = 0;
        const auto read = reader->eachStep(r, {0, INT64_MAX}, [&](const store::StepRow& row) -> Result<void> {
            const std::int64_t end = row.endNs + reader->meta().startNs;
            while (at < pictures.size() && pictures[at].step < row.step)
                ++at;
            if (at < pictures.size() && end > app.watchedSinceNs())
                series.ms.push_back(static_cast<double>(pictures[at].paintedNs - end) / 1e6);
            return {};
        });
        if (!read)
            return tl::unexpected(read.error());
    }
    return series;
}

int report(const launch::RunPaths& run, LiveApplication& app, bench::Arguments& a, double seconds) {
    const auto delay = latencies(run, app, static_cast<int>(a["--ranks"]));
    if (!delay) {
        std::fprintf(stderr, "%s\n", delay.error().message().c_str());
        return 1;
    }
    if (delay->ms.empty()) {
        std::fprintf(stderr, "no step was ever painted\n");
        return 1;
    }
    const auto steps = static_cast<double>(delay->ms.size()) / static_cast<double>(a["--ranks"]);
    std::printf("%lld ranks, %.0f steps each in %.0f s: %.1f steps/s; %zu pictures of the loss\n",
                static_cast<long long>(a["--ranks"]), steps, seconds, steps / seconds, app.pictures(0).size());
    delay->print("from a step's end to its pixel");
    app.stretches().print("window's thread busy at a stretch, CPU");
    app.wallStretches().print("window's thread busy at a stretch, wall");
    const auto& heaviest = app.heaviest();
    std::printf("  heaviest event: %.1f ms of CPU after %.0f s, %s, type %d\n", heaviest.ms, heaviest.afterSeconds,
                heaviest.receiver, heaviest.type);
    std::printf("  window's thread %.1f %% of a core\n", app.cpuShare() * 100);
    const double window = app.growth(app.ownRss()), supervisor = app.growth(app.otherRss());
    std::printf(
        "  resident, from a third of the time to the end: window %.1f to %.1f MB (%+.1f %%), supervisor %.1f to "
        "%.1f MB (%+.1f %%)\n",
        app.ownRss().third(), app.ownRss().last(), window, app.otherRss().third(), app.otherRss().last(), supervisor);
    int code = 0;
    const auto goal = [&](const char* what, double is, std::int64_t most) {
        if (most > 0 && is > static_cast<double>(most)) {
            std::printf("MISSED: %s is %.1f, the goal is %lld\n", what, is, static_cast<long long>(most));
            code = 1;
        }
    };
    goal("the latency at 95 of 100, ms,", delay->at(0.95), a["--latency-goal-ms"]);
    goal("the longest stretch, ms of CPU,", app.stretches().at(1), a["--busy-goal-ms"]);
    goal("the window's growth, per cent,", window, a["--growth-goal"]);
    goal("the supervisor's growth, per cent,", supervisor, a["--growth-goal"]);
    return code;
}

} // namespace

int main(int argc, char** argv) {
    bench::Arguments a{{"--seconds", 600},         {"--ranks", 8},         {"--step-ms", 17},
                       {"--latency-goal-ms", 200}, {"--busy-goal-ms", 50}, {"--growth-goal", 5}};
    if (!bench::parse(argc, argv, a) || a["--seconds"] < 1 || a["--ranks"] < 1) {
        std::fprintf(stderr, "usage: bench_live [--seconds N] [--ranks N] [--step-ms N] [--latency-goal-ms N] "
                             "[--busy-goal-ms N] [--growth-goal PERCENT]\n");
        return 2;
    }
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const bench::Folder folder;
    if (!prepare(folder)) {
        std::fprintf(stderr, "the recipe could not be copied\n");
        return 2;
    }
    LiveApplication app(argc, argv);
    Theme::instance().apply(Theme::Mode::Light);
    setLanguage(QStringLiteral("en"));
    QProcess supervisor;
    int code = 1;
    if (startRun(supervisor, folder, a) && app.until([&] { return !onlyRun(folder).dir.empty(); }, 30)) {
        const launch::RunPaths run = onlyRun(folder);
        WindowOptions options;
        options.runsDir = QString::fromStdString(folder.at("runs"));
        options.run = QString::fromStdString(run.dir.string());
        options.page = Page::Review;
        options.remember = false;
        MainWindow window(options);
        window.resize(1440, 900);
        window.show();
        window.start();
        const auto plots = window.findChildren<RankPlot*>();
        if (!plots.isEmpty() && app.until([&] { return window.isComplete() && plots.front()->isDrawn(); }, 30)) {
            app.watch(plots.front(), static_cast<int>(a["--ranks"]), supervisor.processId());
            const bench::StolenTime stolen;
            const std::int64_t begin = monotonicNs();
            (void)app.until([&] { return supervisor.state() != QProcess::Running; }, a["--seconds"]);
            const double seconds = static_cast<double>(monotonicNs() - begin) / 1e9;
            app.unwatch();
            ::kill(static_cast<pid_t>(supervisor.processId()), SIGTERM);
            (void)app.until([&] { return supervisor.state() == QProcess::NotRunning; }, 30);
            const double others = stolen.percent();
            code = report(run, app, a, seconds);
            std::printf("  the host gave %.1f %% of this machine's processor time to others meanwhile\n", others);
        } else {
            std::fprintf(stderr, "the window never showed the run\n");
        }
    } else {
        std::fprintf(stderr, "rankscopectl launch made no run\n");
    }
    if (supervisor.state() != QProcess::NotRunning) {
        ::kill(static_cast<pid_t>(supervisor.processId()), SIGTERM);
        supervisor.waitForFinished(20'000);
    }
    return code;
}
