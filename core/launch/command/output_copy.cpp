// SPDX-License-Identifier: Apache-2.0
#include "core/launch/command/output_copy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>

namespace rankscope::launch {

/// A pipe that is ready takes at least this much without waiting.
static constexpr std::size_t kPieceBytes = 4096;

UniqueFd openForCopy(int fd) {
    struct stat file {};
    const bool shared = ::fstat(fd, &file) == 0 && (S_ISFIFO(file.st_mode) || S_ISCHR(file.st_mode));
    // only these can make the writer wait; a file opened again would begin at its start
    UniqueFd again(
        shared ? ::open(fmt::format("/proc/self/fd/{}", fd).c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
               : -1);
    return again ? std::move(again) : UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

OutputCopy::OutputCopy(UniqueFd from, UniqueFd to, int log) : m_from(std::move(from)), m_to(std::move(to)), m_log(log) {
    ::fcntl(m_from.get(), F_SETFL, O_NONBLOCK);
}

void OutputCopy::addTo(std::vector<pollfd>& fds) const {
    if (!m_rest.empty())
        fds.push_back({m_to.get(), POLLOUT, 0});
    else if (m_from)
        fds.push_back({m_from.get(), POLLIN, 0});
}

void OutputCopy::copy() {
    constexpr int kMostPieces = 64; // the guard has other work as well
    write();
    for (int i = 0; i < kMostPieces && m_rest.empty() && read(); ++i)
        write();
}

bool OutputCopy::read() {
    std::array<char, kPieceBytes> piece;
    if (!m_from)
        return false;
    const ssize_t n = ::read(m_from.get(), piece.data(), piece.size());
    if (n < 0 && (errno == EINTR || (errno == EAGAIN && !m_finishes)))
        return false;
    if (n <= 0) { // a pseudoterminal whose program is gone gives an error
        m_from.reset();
        return false;
    }
    m_rest.assign(piece.data(), static_cast<std::size_t>(n));
    if (m_log >= 0) // a full disk must not stop the program
        [[maybe_unused]]
        const ssize_t written = ::write(m_log, m_rest.data(), m_rest.size());
    return true;
}

void OutputCopy::write() {
    while (!m_rest.empty() && m_to) {
        const ssize_t n = ::write(m_to.get(), m_rest.data(), m_rest.size());
        if (n > 0)
            m_rest.erase(0, static_cast<std::size_t>(n));
        else if (n == 0 || errno == EAGAIN)
            return;
        else if (errno != EINTR)
            giveUp(errno);
    }
    if (!m_to)
        m_rest.clear();
}

/// `error`: of a write that failed.
void OutputCopy::giveUp(int error) {
    m_rest.clear();
    if (error == EPIPE) {
        m_to.reset();
        m_from.reset();
    } else if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
        m_error = error;
    } else { // a terminal that is gone: the log continues
        m_to.reset();
    }
}

void OutputCopy::followSize() {
    winsize outer{}, inner{};
    if (!m_from || !m_to || ::ioctl(m_to.get(), TIOCGWINSZ, &outer) != 0 ||
        ::ioctl(m_from.get(), TIOCGWINSZ, &inner) != 0)
        return;
    if (outer.ws_row != inner.ws_row || outer.ws_col != inner.ws_col)
        ::ioctl(m_from.get(), TIOCSWINSZ, &outer);
}

} // namespace rankscope::launch
