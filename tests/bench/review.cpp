// SPDX-License-Identifier: Apache-2.0
// Measures the review page with a run of 8 ranks x 1,250,000 steps: how soon it shows the complete picture, how long a
// frame takes while panning and zooming, its memory, and whether an extreme is lost anywhere; and the same for the size
// at which common viewers were measured. The run is made once and kept in --run DIR; without it, in a folder that is
// removed.
//
//   bench_review [--run DIR] [--ranks 8] [--steps 1250000] [--opens 5] [--frames 120] [--viewer-steps 50000]
//                [--points 30] [--open-goal-ms 500] [--cold-goal-ms 1000] [--frame-goal-ms 16] [--memory-goal-mb 300]
//                [--live-goal-ms 200]
//
// Exit code 1: a goal is missed or an extreme is lost. A goal of 0 is none.
#include "core/base/values/clock.h"
#include "tests/bench/review_parts.h"
#include "tests/bench/review_run.h"
#include "tests/bench/review_watch.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

using namespace rankscope;
using namespace rankscope::bench;

int rankscope::bench::measureOpen(int& argc, char** argv, const std::filesystem::path& run, std::int64_t execNs) {
    PaintWatch app(argc, argv);
    ReviewWindow w(app, run);
    const std::int64_t complete = w.untilComplete();
    if (!complete)
        return fmt::print(stderr, "the window was not complete after a minute\n"), 1;
    fmt::print("{:.1f} {:.1f} {:.1f}\n", static_cast<double>(complete - w.began) / 1e6,
               static_cast<double>(complete - execNs) / 1e6, Memory::read().mostMb);
    return 0;
}

namespace {

/// Runs one part in a separate process. Its output goes to this process's output, or to `out`.
int child(const char* self, const std::vector<std::string>& arguments, std::string* out = nullptr) {
    int ends[2] = {-1, -1};
    if (out && ::pipe(ends) != 0)
        return 1;
    std::fflush(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
        if (out)
            ::dup2(ends[1], STDOUT_FILENO);
        std::vector<char*> argv{const_cast<char*>(self)};
        for (const auto& argument : arguments)
            argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        ::execv("/proc/self/exe", argv.data());
        ::_exit(127);
    }
    if (out) {
        ::close(ends[1]);
        char buffer[4096];
        for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
            out->append(buffer, static_cast<std::size_t>(n));
        ::close(ends[0]);
    }
    int status = 0;
    return pid > 0 && ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int part(int argc, char** argv, const Arguments& a) {
    const std::string_view name = argv[2];
    const std::filesystem::path dir = argv[3];
    int count = 1; // Qt gets none of our arguments
    if (name == "open")
        return measureOpen(count, argv, dir, std::atoll(argv[4]));
    if (name == "frames")
        return measureFrames(count, argv, dir, a);
    if (name == "extremes")
        return proveExtremes(count, argv, dir, a);
    (void)argc;
    return besideViewers(count, argv, dir, a);
}

int measureOpens(const char* self, const std::filesystem::path& run, const Arguments& a) {
    Series warm, cold;
    for (std::int64_t i = 0; i < a.at("--opens"); ++i) {
        std::string said;
        const std::int64_t began = monotonicNs();
        if (child(self, {"--part", "open", run.string(), std::to_string(began)}, &said) != 0)
            return 1;
        double window = 0, all = 0, memory = 0;
        if (std::sscanf(said.c_str(), "%lf %lf %lf", &window, &all, &memory) != 3)
            return 1;
        warm.ms.push_back(window);
        cold.ms.push_back(all);
    }
    fmt::print("open to complete first picture, {} fresh processes:\n", a.at("--opens"));
    warm.print("without the start of the process");
    cold.print("with it");
    std::fflush(stdout);
    return misses("open, ms", warm.at(0.5), a.at("--open-goal-ms")) +
           misses("open with the process's start, ms", cold.at(0.5), a.at("--cold-goal-ms"));
}

} // namespace

int main(int argc, char** argv) {
    Arguments a{{"--ranks", 8},
                {"--steps", 1'250'000},
                {"--opens", 5},
                {"--frames", 120},
                {"--points", 30},
                {"--open-goal-ms", 500},
                {"--cold-goal-ms", 1000},
                {"--frame-goal-ms", 16},
                {"--memory-goal-mb", 300},
                {"--viewer-steps", 50'000},
                {"--live-goal-ms", 200},
                {"--make", 0}};
    ::setenv("QT_QPA_PLATFORM", "offscreen", 1);
    const bool isPart = argc > 4 && std::string_view(argv[1]) == "--part";
    std::string dir;
    const int skipped = isPart ? 4 : 0;
    if (!bench::parse(argc - skipped, argv + skipped, a, &dir, 0) || a["--steps"] < 1 || a["--ranks"] < 1) {
        fmt::print(stderr, "usage: bench_review [--run DIR] [--ranks N] [--steps N] [--opens N] [--frames N] "
                           "[--viewer-steps N] [--points N] [--open-goal-ms N] [--cold-goal-ms N] [--frame-goal-ms N] "
                           "[--memory-goal-mb N] [--live-goal-ms N]\n");
        return 2;
    }
    if (isPart)
        return part(argc, argv, a);
    std::optional<Folder> own;
    if (dir.empty())
        dir = own.emplace().path.string();
    const auto run = recordedRun(dir, {static_cast<int>(a["--ranks"]), a["--steps"]});
    if (!run)
        return fmt::print(stderr, "{}\n", run.error().message()), 1;
    if (a["--make"])
        return 0;
    std::vector<std::string> rest;
    for (const auto& [name, value] : a)
        rest.insert(rest.end(), {name, std::to_string(value)});
    const auto with = [&](const char* name, const std::string& where) {
        std::vector<std::string> all{"--part", name, where, "0"};
        all.insert(all.end(), rest.begin(), rest.end());
        return child(argv[0], all);
    };
    int failed = measureOpens(argv[0], run->dir, a);
    failed += with("frames", run->dir.string());
    failed += with("extremes", run->dir.string());
    failed += with("viewers", dir);
    return failed ? 1 : 0;
}
