// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/supervised_run.h"

#include "app/ctl/commands/run_argument.h"
#include "app/ctl/reports/progress_line.h"
#include "app/ctl/reports/run_report_json.h"
#include "app/ctl/reports/run_report_text.h"
#include "core/base/console/console.h"
#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/values/result.h"
#include "core/launch/process/child_process.h"
#include "core/launch/supervise/supervisor.h"

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

void printEnd(const launch::RunPaths& run, bool asJson) {
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

Result<int> superviseDetached(const launch::PreparedLaunch& plan, bool asJson) {
    RS_TRY(detach([&](Handshake& handshake) {
        ProgressLine line(ProgressLine::Style::Stamped);
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

Result<int> explained(Result<int> result, bool asJson) {
    if (!result && asJson)
        console::printError("{}\n", nlohmann::json{{"event", "error"},
                                                   {"where", result.error().where},
                                                   {"text", result.error().what.english()},
                                                   {"message", result.error().what.toJson()}}
                                        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return result;
}

} // namespace rankscope::ctl
