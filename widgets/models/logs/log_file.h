// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the lines of one log file in parts from its end: new ones as they arrive, older ones on demand. The cost
// depends on the part that is read, not on the size of the file.
#pragma once

#include "core/base/files/guarded_folder.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::ui {

struct RawLine {
    std::int64_t offset = 0; ///< in the file, of its first byte
    std::string text;        ///< without line end; cut at kMaxLineBytes
};

class LogFile {
public:
    static constexpr std::size_t kMaxLineBytes = 8192;

    /// `depth`: depth of the file's folder in the run's folder.
    explicit LogFile(std::filesystem::path path, GuardedFolder::Depth depth = GuardedFolder::Run)
        : m_path(std::move(path)), m_depth(depth) {}

    /// Returns the complete lines since the last call, at most `limit` bytes a call; the first call starts at most
    /// `tailBytes` before the end. A file that does not exist yet has no lines; a file that shrank is read from its
    /// start.
    std::vector<RawLine> readNew(std::size_t limit, std::size_t tailBytes);
    /// Returns complete lines before the oldest one read, in order, at most `limit` bytes of them.
    std::vector<RawLine> readOlder(std::size_t limit);
    /// Moves to the first line that begins at or after `offset`: readNew() continues forwards from there, readOlder()
    /// backwards.
    void place(std::int64_t offset);
    std::int64_t size(); ///< current size; 0: the file does not exist
    std::int64_t begin() const { return m_begin; }
    std::int64_t end() const { return m_end; }
    /// Returns raw bytes, fewer at the end of the file; for searching the whole file.
    std::string read(std::int64_t offset, std::size_t bytes);
    /// Returns the line that begins at `offset`.
    RawLine lineAt(std::int64_t offset);
    /// Returns whether there is more than the last readNew() returned.
    bool behind() const { return m_behind; }
    bool hasOlder() const { return m_begin > 0; }
    /// Tells the file that the caller dropped the lines before `offset`: readOlder() returns them again.
    void forgetBefore(std::int64_t offset) { m_begin = offset; }

private:
    bool open();
    std::string readAt(std::int64_t offset, std::size_t bytes) const;

    std::filesystem::path m_path;
    GuardedFolder::Depth m_depth;
    UniqueFd m_fd;
    std::uint64_t m_inode = 0;
    std::int64_t m_begin = 0; ///< start of the oldest line read so far
    std::int64_t m_end = -1;  ///< end of the newest complete line; -1: nothing read yet
    bool m_behind = false;
};

} // namespace rankscope::ui
