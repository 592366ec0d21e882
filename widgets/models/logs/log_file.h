// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of one log file, read in parts from its end: new ones as they come, older ones on demand. A file of any size
// costs what is asked for.
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

    /// `depth`: of its folder in the run's.
    explicit LogFile(std::filesystem::path path, GuardedFolder::Depth depth = GuardedFolder::Run)
        : m_path(std::move(path)), m_depth(depth) {}

    /// Complete lines since the last call; the first call starts at most `tailBytes` before the end. At most `limit`
    /// bytes a call. A file that does not exist yet has none; one that shrank starts over.
    std::vector<RawLine> readNew(std::size_t limit, std::size_t tailBytes);
    /// Complete lines before the oldest one that was read, in order, at most `limit` bytes of them.
    std::vector<RawLine> readOlder(std::size_t limit);
    /// Goes to the first line that begins at or after `offset`: readNew() goes on from there, readOlder() back from
    /// there.
    void place(std::int64_t offset);
    std::int64_t size(); ///< now; 0: it does not exist
    std::int64_t begin() const { return m_begin; }
    std::int64_t end() const { return m_end; }
    /// Raw bytes, fewer at the end; for looking for something in all of it.
    std::string read(std::int64_t offset, std::size_t bytes);
    /// The line that begins at `offset`.
    RawLine lineAt(std::int64_t offset);
    /// There is more than readNew() took in its last call.
    bool behind() const { return m_behind; }
    bool hasOlder() const { return m_begin > 0; }
    /// The lines before `offset` were forgotten by the caller: readOlder() gives them again.
    void forgetBefore(std::int64_t offset) { m_begin = offset; }

private:
    bool open();
    std::string readAt(std::int64_t offset, std::size_t bytes) const;

    std::filesystem::path m_path;
    GuardedFolder::Depth m_depth;
    UniqueFd m_fd;
    std::uint64_t m_inode = 0;
    std::int64_t m_begin = 0; ///< start of the oldest line that was read
    std::int64_t m_end = -1;  ///< end of the newest complete line; -1: nothing read yet
    bool m_behind = false;
};

} // namespace rankscope::ui
