// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/logs/log_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace rankscope::ui {

namespace {

constexpr std::size_t kSearchBytes = 64u << 10;

void appendLine(std::vector<RawLine>& lines, std::int64_t offset, std::string_view text) {
    if (text.ends_with('\r'))
        text.remove_suffix(1);
    // a progress bar rewrites its line: keep what the terminal showed last
    if (const auto back = text.rfind('\r'); back != std::string_view::npos)
        text.remove_prefix(back + 1);
    lines.push_back({offset, std::string(text.substr(0, LogFile::kMaxLineBytes))});
}

/// Splits complete lines; returns the number of bytes they take.
std::size_t splitLines(std::string_view block, std::int64_t offset, std::vector<RawLine>& lines) {
    std::size_t at = 0;
    for (auto end = block.find('\n'); end != std::string_view::npos; end = block.find('\n', at)) {
        appendLine(lines, offset + static_cast<std::int64_t>(at), block.substr(at, end - at));
        at = end + 1;
    }
    return at;
}

} // namespace

bool LogFile::open() {
    struct stat now {};
    if (::lstat(m_path.c_str(), &now) != 0 || !S_ISREG(now.st_mode))
        return static_cast<bool>(m_fd);
    if (m_fd && now.st_ino == m_inode && now.st_size >= m_end)
        return true;
    auto file = openRunFile(m_path, m_depth);
    m_fd = file ? std::move(file->fd) : UniqueFd();
    m_inode = now.st_ino;
    m_begin = 0;
    m_end = m_end < 0 ? -1 : 0;
    return static_cast<bool>(m_fd);
}

std::string LogFile::readAt(std::int64_t offset, std::size_t bytes) const {
    std::string block(bytes, '\0');
    std::size_t have = 0;
    while (have < bytes) {
        const auto n = ::pread(m_fd.get(), block.data() + have, bytes - have, offset + static_cast<std::int64_t>(have));
        if (n <= 0)
            break;
        have += static_cast<std::size_t>(n);
    }
    block.resize(have);
    return block;
}

std::vector<RawLine> LogFile::readNew(std::size_t limit, std::size_t tailBytes) {
    std::vector<RawLine> lines;
    m_behind = false;
    struct stat now {};
    if (!open() || ::fstat(m_fd.get(), &now) != 0)
        return lines;
    bool skipFirst = false;
    if (m_end < 0) {
        m_end = std::max<std::int64_t>(0, now.st_size - static_cast<std::int64_t>(tailBytes));
        skipFirst = m_end > 0;
        limit = std::max(limit, tailBytes);
        m_begin = m_end;
    }
    if (now.st_size <= m_end)
        return lines;
    const auto want = std::min<std::int64_t>(now.st_size - m_end, static_cast<std::int64_t>(limit));
    std::string block = readAt(m_end, static_cast<std::size_t>(want));
    std::string_view rest = block;
    if (skipFirst) {
        const auto first = rest.find('\n');
        const std::size_t cut = first == std::string_view::npos ? rest.size() : first + 1;
        m_end += static_cast<std::int64_t>(cut);
        m_begin = m_end;
        rest.remove_prefix(cut);
    }
    std::size_t used = splitLines(rest, m_end, lines);
    if (used == 0 && rest.size() >= kMaxLineBytes) { // a line without an end: shown in pieces rather than never
        appendLine(lines, m_end, rest);
        used = rest.size();
    }
    m_end += static_cast<std::int64_t>(used);
    m_behind = used > 0 && m_end < now.st_size && want == static_cast<std::int64_t>(limit);
    return lines;
}

std::int64_t LogFile::size() {
    struct stat now {};
    return open() && ::fstat(m_fd.get(), &now) == 0 ? now.st_size : 0;
}

std::string LogFile::read(std::int64_t offset, std::size_t bytes) {
    return open() ? readAt(offset, bytes) : std::string();
}

void LogFile::place(std::int64_t offset) {
    const std::int64_t all = size();
    std::int64_t at = std::clamp<std::int64_t>(offset, 0, all);
    if (at > 0) {
        --at; // a line begins here if the byte before it ends one
        for (;;) {
            const std::string block = readAt(at, kSearchBytes);
            const auto end = block.find('\n');
            if (end != std::string::npos) {
                at += static_cast<std::int64_t>(end) + 1;
                break;
            }
            at += static_cast<std::int64_t>(block.size());
            if (block.size() < kSearchBytes)
                break;
        }
    }
    m_begin = m_end = at;
}

RawLine LogFile::lineAt(std::int64_t offset) {
    std::vector<RawLine> lines;
    const std::string block = read(offset, kMaxLineBytes + 1);
    appendLine(lines, offset, std::string_view(block).substr(0, block.find('\n')));
    return std::move(lines.front());
}

std::vector<RawLine> LogFile::readOlder(std::size_t limit) {
    std::vector<RawLine> lines;
    if (m_begin <= 0 || !m_fd)
        return lines;
    const std::int64_t from = std::max<std::int64_t>(0, m_begin - static_cast<std::int64_t>(limit));
    const std::string block = readAt(from, static_cast<std::size_t>(m_begin - from));
    std::string_view text = block;
    std::int64_t offset = from;
    if (from > 0) {
        const auto first = text.find('\n');
        // one line longer than the limit: take it as it is
        const std::size_t cut = first == std::string_view::npos || first + 1 == text.size() ? 0 : first + 1;
        text.remove_prefix(cut);
        offset += static_cast<std::int64_t>(cut);
    }
    const std::size_t used = splitLines(text, offset, lines);
    if (used < text.size())
        appendLine(lines, offset + static_cast<std::int64_t>(used), text.substr(used));
    m_begin = offset;
    return lines;
}

} // namespace rankscope::ui
