// SPDX-License-Identifier: Apache-2.0
#include "core/launch/helper_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

extern char** environ;

namespace rankscope::launch {

/// A file without a name, so that writing never waits for the reader.
static Result<UniqueFd> fileOf(const std::string& text, const std::string& where) {
    UniqueFd fd(::memfd_create("rankscope-input", MFD_CLOEXEC));
    if (!fd)
        return tl::unexpected(systemError("prepare the input of", where, errno));
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t n = ::write(fd.get(), text.data() + done, text.size() - done);
        if (n < 0 && errno != EINTR)
            return tl::unexpected(systemError("prepare the input of", where, errno));
        done += n > 0 ? static_cast<std::size_t>(n) : 0;
    }
    ::lseek(fd.get(), 0, SEEK_SET);
    return fd;
}

static Result<std::pair<UniqueFd, UniqueFd>> pipeFor(const std::string& where) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return tl::unexpected(systemError("make a pipe for", where, errno));
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return std::pair(UniqueFd(ends[0]), UniqueFd(ends[1]));
}

namespace {

/// What posix_spawn is told; freed at the end.
struct Spawn {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;

    Spawn(int in, int out, int errors) {
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, in, 0);
        posix_spawn_file_actions_adddup2(&actions, out, 1);
        posix_spawn_file_actions_adddup2(&actions, errors, 2);
        posix_spawn_file_actions_addclosefrom_np(&actions, 3);
        posix_spawnattr_init(&attributes);
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    }
    ~Spawn() {
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    Spawn(const Spawn&) = delete;
    Spawn& operator=(const Spawn&) = delete;
};

} // namespace

Result<HelperProcess> HelperProcess::start(const Command& command, std::int64_t nowNs) {
    if (command.argv.empty())
        return fail(Errc::BadInput, "there is no program to start");
    const std::string& program = command.argv.front();
    auto input = fileOf(command.input, program);
    auto out = pipeFor(program), errors = pipeFor(program);
    if (!input || !out || !errors)
        return tl::unexpected(!input ? input.error() : !out ? out.error() : errors.error());
    std::vector<char*> argv;
    for (const auto& word : command.argv)
        argv.push_back(const_cast<char*>(word.c_str())); // exec takes char* but does not write
    argv.push_back(nullptr);
    const Spawn spawn(input->get(), out->second.get(), errors->second.get());
    pid_t pid = -1;
    const int failed = ::posix_spawnp(&pid, program.c_str(), &spawn.actions, &spawn.attributes, argv.data(), environ);
    if (failed != 0)
        return tl::unexpected(systemError("start the program", program, failed));
    HelperProcess helper;
    helper.m_pid = pid;
    helper.m_out = std::move(out->first);
    helper.m_errors = std::move(errors->first);
    helper.m_killAtNs = nowNs + static_cast<std::int64_t>(command.seconds * 1e9);
    helper.m_mostOutput = command.mostOutput;
    return helper;
}

HelperProcess::HelperProcess(HelperProcess&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1)), m_out(std::move(other.m_out)), m_errors(std::move(other.m_errors)),
      m_killAtNs(other.m_killAtNs), m_mostOutput(other.m_mostOutput), m_end(std::move(other.m_end)) {}

HelperProcess::~HelperProcess() {
    if (m_pid <= 0)
        return;
    kill();
    ::waitpid(m_pid, nullptr, WNOHANG); // what is not gone yet, init reaps
}

void HelperProcess::kill() const {
    ::kill(-m_pid, SIGKILL); // the session's leader leads a process group too
    ::kill(m_pid, SIGKILL);
}

/// All that is there now; what is too much is read and dropped, so that the program is never held up by it.
void HelperProcess::read(UniqueFd& fd, std::string& text) {
    char buffer[16 << 10];
    for (int pieces = 0; fd && pieces < 64; ++pieces) {
        const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0 || (n < 0 && errno != EAGAIN))
            fd.reset();
        if (n <= 0)
            return;
        const auto fits = std::min(static_cast<std::size_t>(n), m_mostOutput - std::min(m_mostOutput, text.size()));
        text.append(buffer, fits);
        m_end.cut |= fits < static_cast<std::size_t>(n);
    }
}

std::optional<HelperProcess::End> HelperProcess::poll(std::int64_t nowNs) {
    if (m_pid <= 0)
        return std::nullopt;
    int status = 0;
    const pid_t seen = ::waitpid(m_pid, &status, WNOHANG);
    read(m_out, m_end.out); // after looking whether it ended: what it wrote last is there
    read(m_errors, m_end.errors);
    if (seen == m_pid) {
        m_pid = -1;
        m_end.signalled = WIFSIGNALED(status);
        m_end.code = m_end.signalled ? WTERMSIG(status) : WEXITSTATUS(status);
        return std::move(m_end);
    }
    if (seen < 0 && errno == ECHILD) { // somebody else has waited for it
        m_pid = -1;
        m_end.code = -1;
        return std::move(m_end);
    }
    if (nowNs >= m_killAtNs) {
        m_end.timedOut = true;
        kill();
    }
    return std::nullopt;
}

std::string HelperProcess::End::problem() const {
    std::string said = errors.substr(0, errors.find_last_not_of(" \n\r\t") + 1);
    said = said.substr(said.rfind('\n') + 1); // npos + 1 is the beginning
    for (char& c : said)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            c = ' ';
    if (said.size() > 300)
        said = said.substr(0, 300) + "...";
    const std::string why = said.empty() ? "" : ": " + said;
    if (timedOut)
        return "took too long and was ended" + why;
    if (signalled)
        return fmt::format("ended with signal {} ({}){}", code, ::strsignal(code), why);
    return code == 0 ? "" : fmt::format("ended with exit code {}{}", code, why);
}

} // namespace rankscope::launch
