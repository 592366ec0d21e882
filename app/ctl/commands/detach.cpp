// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/detach.h"

#include "core/base/files/guarded_folder.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace rankscope::ctl {

static void send(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno != EINTR)
            return; // the foreground was killed; the run goes on
        bytes.remove_prefix(n > 0 ? static_cast<std::size_t>(n) : 0);
    }
}

void Handshake::started(const std::filesystem::path& log) {
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

void Handshake::failed(const Error& error) {
    std::string text(1, '-');
    text += static_cast<char>('0' + static_cast<int>(error.code));
    text += error.where;
    text += '\0';
    text += error.what;
    send(m_fd.get(), text);
    m_fd.reset();
}

static Result<void> outcome(int fd) {
    std::string text;
    char buffer[4096];
    for (;;) {
        const ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        text.append(buffer, static_cast<std::size_t>(n));
    }
    if (text == "+")
        return {};
    if (text.size() < 2 || text[0] != '-')
        return fail(Errc::Internal, "the supervisor ended before the run began");
    const auto end = text.find('\0', 2);
    const auto code = static_cast<Errc>(text[1] - '0');
    return fail(code, end == std::string::npos ? "" : text.substr(end + 1), text.substr(2, end - 2));
}

Result<void> detach(const std::function<int(Handshake&)>& work) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return tl::unexpected(systemError("make a pipe", "", errno));
    UniqueFd reading(ends[0]), writing(ends[1]);
    std::fflush(nullptr);
    const pid_t middle = ::fork();
    if (middle < 0)
        return tl::unexpected(systemError("start a process", "", errno));
    if (middle == 0) {
        ::setsid();
        // a second fork: who leads no session can never get a terminal
        if (const pid_t last = ::fork(); last != 0)
            ::_exit(last < 0 ? 1 : 0);
        reading.reset();
        Handshake handshake(std::move(writing));
        const int code = work(handshake);
        std::fflush(nullptr);
        ::_exit(code);
    }
    writing.reset();
    while (::waitpid(middle, nullptr, 0) < 0 && errno == EINTR) {
    }
    return outcome(reading.get());
}

} // namespace rankscope::ctl
