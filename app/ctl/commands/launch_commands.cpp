// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/launch_commands.h"

#include "app/ctl/commands/run_argument.h"
#include "app/ctl/reports/plan_report.h"
#include "app/ctl/reports/progress_line.h"
#include "app/ctl/reports/run_report_json.h"
#include "app/ctl/reports/run_report_text.h"
#include "core/base/console/console.h"
#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/values/result.h"
#include "core/config/effective/effective.h"
#include "core/config/recipe/fault_spec.h"
#include "core/launch/figures/speed_calibration.h"
#include "core/launch/prepare/launch_preview.h"
#include "core/launch/prepare/prepare_launch.h"
#include "core/launch/process/child_process.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/supervise/supervisor.h"
#include "core/plan/result/plan_json.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <functional>
#include <utility>

namespace rankscope::ctl {

static void printWhere(const launch::RunPaths& run, bool asJson) {
    if (asJson)
        console::print("{}\n", dumped({{"id", run.dir.filename().string()}, {"path", run.dir.string()}}));
    else
        console::writeBytes(run.dir.string() + "\n");
    console::flush();
}

static void printEnd(const launch::RunPaths& run, bool asJson) {
    const auto report = readReport(run);
    if (!report) {
        reportError(report.error());
        return;
    }
    if (asJson)
        console::print("{}\n", dumped(reportJson(*report)));
    else
        console::print("{}\n{}\n{}", headerText(*report), ranksText(*report), incidentsText(*report, false));
}

static Result<int> launchHere(const launch::PreparedLaunch& plan, bool asJson) {
    ProgressLine line;
    bool first = true;
    auto code = launch::supervise(plan, [&](const launch::Progress& progress) {
        if (std::exchange(first, false))
            console::sayError({"{} on {}; {}",
                               plan.ranks.size() == 1 ? Message("1 rank") : Message("{} ranks", plan.ranks.size()),
                               plan.device, plan.run.dir});
        line.show(progress);
    });
    line.clear();
    if (code)
        printEnd(plan.run, asJson);
    return code;
}

static void send(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno != EINTR)
            return; // the foreground was killed; the run continues
        bytes.remove_prefix(n > 0 ? static_cast<std::size_t>(n) : 0);
    }
}

namespace {

/// Lets the background process report to the foreground whether it started. Exactly one of started() and failed() is
/// called.
class Handshake {
public:
    explicit Handshake(UniqueFd fd) : m_fd(std::move(fd)) {}
    /// Reports success: the foreground returns, and from now on stdout and stderr go to `log`.
    void started(const std::filesystem::path& log) {
        std::fflush(nullptr);
        const auto out = openRunFile(log, GuardedFolder::Run, O_WRONLY | O_CREAT | O_APPEND);
        UniqueFd in(::open("/dev/null", O_RDWR | O_CLOEXEC));
        // the foreground's caller may wait for the end of its pipe
        for (const int fd : {1, 2})
            ::dup2(out ? out->fd.get() : in.get(), fd);
        ::dup2(in.get(), 0);
        send(m_fd.get(), "+");
        m_fd.reset();
    }
    void failed(const Error& error) {
        std::string text(1, '-');
        text += static_cast<char>('0' + static_cast<int>(error.code));
        text += error.where;
        text += '\0';
        text += error.what.toJson().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        send(m_fd.get(), text);
        m_fd.reset();
    }
    bool done() const { return !m_fd; }

private:
    UniqueFd m_fd;
};

} // namespace

static Result<void> outcome(int fd) {
    const std::string text = readAll(fd, 1u << 20, {}).value_or(std::string());
    if (text == "+")
        return {};
    if (text.size() < 2 || text[0] != '-')
        return fail(Errc::Internal, "the supervisor ended before the run began");
    const auto end = text.find('\0', 2);
    const auto code = static_cast<Errc>(text[1] - '0');
    const std::string what = end == std::string::npos ? std::string() : text.substr(end + 1);
    return fail(code, Message::fromJson(nlohmann::json::parse(what, nullptr, false), what), text.substr(2, end - 2));
}

/// Runs `work` in a separate process and session, with the same working folder. In the foreground: returns when the
/// background has started, or with the error with which it failed. In the background: never returns.
static Result<void> detach(const std::function<int(Handshake&)>& work) {
    RS_TRY_ASSIGN(auto pipe, launch::makePipe("make a pipe", ""));
    std::fflush(nullptr);
    const pid_t middle = ::fork();
    if (middle < 0)
        return tl::unexpected(systemError("start a process", "", errno));
    if (middle == 0) {
        ::setsid();
        // a second fork, because a process that is not a session leader can never get a terminal
        if (const pid_t last = ::fork(); last != 0)
            ::_exit(last < 0 ? 1 : 0);
        pipe.reading.reset();
        Handshake handshake(std::move(pipe.writing));
        const int code = work(handshake);
        std::fflush(nullptr);
        ::_exit(code);
    }
    pipe.writing.reset();
    while (::waitpid(middle, nullptr, 0) < 0 && errno == EINTR) {
    }
    return outcome(pipe.reading.get());
}

static Result<int> launchDetached(const launch::PreparedLaunch& plan, bool asJson) {
    RS_TRY(detach([&](Handshake& handshake) {
        ProgressLine line(true);
        const auto code = launch::supervise(plan, [&](const launch::Progress& progress) {
            if (!handshake.done())
                handshake.started(plan.run.dir / "supervisor.log");
            line.show(progress);
        });
        if (!code && !handshake.done())
            handshake.failed(code.error());
        return code.value_or(launch::kBadInput);
    }));
    printWhere(plan.run, asJson);
    return launch::kDone;
}

static Result<std::vector<config::FaultConfig>> faultsOf(const LaunchArgs& args) {
    std::vector<config::FaultConfig> faults;
    for (const auto& text : args.faults) {
        RS_TRY_ASSIGN(const auto fault, config::parseFault(text));
        faults.push_back(fault);
    }
    return faults;
}

/// Returns the launch options. The first word is the recipe; if a run's own recipe is used, it is an override.
static launch::LaunchOptions optionsOf(const LaunchArgs& args) {
    launch::LaunchOptions options;
    options.config = args.config;
    options.overrides = args.overrides;
    options.ranks = args.ranks;
    options.runsDir = args.runsDir;
    options.argv = args.argv;
    const bool isOverride = args.config.find('=') != std::string::npos || args.config.starts_with('~');
    if (!(args.resume.empty() && args.relaunch.empty()) && isOverride) {
        options.overrides.insert(options.overrides.begin(), args.config);
        options.config.clear();
    }
    return options;
}

/// For the window, which shows an error in its own language: also writes it as one line of JSON to standard error.
static Result<int> explained(Result<int> result, bool asJson) {
    if (!result && asJson)
        console::printError("{}\n", nlohmann::json{{"event", "error"},
                                                   {"where", result.error().where},
                                                   {"text", result.error().what.english()},
                                                   {"message", result.error().what.toJson()}}
                                        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return result;
}

static Result<int> launchAs(const LaunchArgs& args) {
    auto options = optionsOf(args);
    RS_TRY_ASSIGN(options.faults, faultsOf(args));
    if (!args.resume.empty()) {
        RS_TRY_ASSIGN(const auto run, runOf({args.runsDir, args.resume}));
        RS_TRY_ASSIGN(const auto before, launch::currentRun(run));
        if (before.missing && before.missing->why.code == Errc::Busy) // its ranks may not have ended
            return tl::unexpected(before.missing->why);
        tellMissing(before);
        options.resume = run.dir;
        options.checkpoint = args.checkpoint;
    } else if (!args.relaunch.empty()) {
        RS_TRY_ASSIGN(const auto run, runOf({args.runsDir, args.relaunch}));
        options.relaunch = run.dir;
    } else if (args.config.empty()) {
        return fail(Errc::BadInput, "no recipe given; pass CONFIG, --resume RUN or --relaunch RUN", "launch");
    }
    RS_TRY_ASSIGN(const auto plan, launch::prepareLaunch(options));
    return args.detach ? launchDetached(plan, args.json) : launchHere(plan, args.json);
}

Result<int> launch(const LaunchArgs& args) {
    return explained(launchAs(args), args.json);
}

/// Shows the calibration's progress: as JSON for the window, as one rewritten line on a terminal, else as two lines.
class CalibrationLine {
public:
    explicit CalibrationLine(bool asJson) : m_json(asJson), m_terminal(::isatty(STDERR_FILENO) == 1) {}
    ~CalibrationLine() {
        if (m_terminal && !m_json && m_told >= 0)
            console::controlTerminal("\r\033[K");
    }
    void show(std::int64_t done, std::int64_t of) {
        if (std::exchange(m_told, done) == done || (m_told > 0 && m_told < of && !m_json && !m_terminal))
            return;
        if (m_json)
            return console::printError("{}\n",
                                       nlohmann::json{{"event", "measuring"}, {"step", done}, {"of", of}}.dump());
        if (m_terminal)
            console::controlTerminal("\r\033[K");
        const Message said("measuring on this machine: step {} of {}", done, of);
        console::printError("{}{}", said.text(console::errorLanguage()), m_terminal ? "" : "\n");
    }

private:
    bool m_json, m_terminal;
    std::int64_t m_told = -1;
};

static Result<launch::Calibration> calibrated(const LaunchArgs& args) {
    if (!args.machine.empty())
        return fail(Errc::BadInput, "cannot be measured from here; leave --machine out", "--calibrate");
    launch::LaunchOptions options;
    options.config = args.config;
    options.overrides = args.overrides;
    options.ranks = args.ranks;
    CalibrationLine line(args.json);
    return launch::calibrate(options, args.calibrate, [&](std::int64_t done, std::int64_t of) { line.show(done, of); });
}

static Result<int> planAs(const LaunchArgs& args) {
    launch::DryRunOptions options;
    options.ranks = args.ranks;
    options.overrides = args.overrides;
    if (!args.machine.empty()) {
        RS_TRY_ASSIGN(options.target, rankscope::plan::targetFromText(args.machine));
        options.machine = options.target.node;
        if (options.target.nodes > 0)
            options.overrides.push_back(fmt::format("++trainer.num_nodes={}", options.target.nodes));
    } else {
        options.machine = launch::machineFacts();
        if (const auto runs = runsDirOf(args.runsDir)) // without one, its disk space is not reported
            options.runsDir = *runs;
        options.reached = [runs = options.runsDir](const auto& plan, const auto& recipe) {
            return launch::earlierSpeed(runs, plan, recipe);
        };
    }
    if (args.calibrate > 0) {
        RS_TRY_ASSIGN(auto calibration, calibrated(args));
        options.reached = [measured = calibration](const auto& plan, const auto& recipe) {
            return measured.reached(plan, recipe);
        };
    }
    RS_TRY_ASSIGN(const auto effective, config::evaluateFile(args.config, options.overrides));
    RS_TRY_ASSIGN(const auto planned, launch::dryRun(effective, args.config, options));
    console::print("{}", args.json ? dumped(rankscope::plan::planJson(planned)) + "\n" : planText(planned));
    return launch::kDone;
}

Result<int> plan(const LaunchArgs& args) {
    return explained(planAs(args), args.json);
}

} // namespace rankscope::ctl
