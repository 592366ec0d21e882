// SPDX-License-Identifier: Apache-2.0
// Files in the folder of a run. Anybody may have made them: another user of the machine, or an archive that was
// unpacked. So no link is followed from the run's folder on, nothing but a regular file is opened, and nothing else is
// removed.
#pragma once

#include "core/base/files/file.h"

#include <fcntl.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace rankscope {

/// The run's own folder, or one below it. All that is done with its files goes through this class.
class GuardedFolder {
public:
    /// How many folders are between the run's own, to which a link may lead, and this one.
    enum Depth : int { Run = 0, Checkpoints = 1, Ranks = 1, Rank = 2 };

    static Result<GuardedFolder> open(const std::filesystem::path& folder, Depth depth = Run);

    /// Opens a file with `flags` as open(2) takes them; one that O_CREAT makes has mode 0600. Malformed: a link, or no
    /// regular file.
    Result<RegularFile> openFile(const std::string& name, int flags = O_RDONLY) const;
    /// A folder in this one; Malformed when a link leads there.
    Result<GuardedFolder> folder(const std::string& name) const;
    /// What is in it, in no order. `ec` is set where the folder cannot be read to its end.
    std::vector<std::string> names(std::error_code& ec) const;
    bool hasFile(const std::string& name) const; ///< a regular one
    /// Removes a regular file. What is something else, or cannot be removed, stays.
    void removeFile(const std::string& name) const;

    const std::filesystem::path& path() const { return m_path; }

private:
    GuardedFolder(UniqueFd fd, std::filesystem::path path) : m_fd(std::move(fd)), m_path(std::move(path)) {}

    UniqueFd m_fd;
    std::filesystem::path m_path;
};

/// A file by its path; `depth` is that of its folder.
Result<RegularFile> openRunFile(const std::filesystem::path& file, GuardedFolder::Depth depth = GuardedFolder::Run,
                                int flags = O_RDONLY);
/// As readFile().
Result<std::string> readRunFile(const std::filesystem::path& file, std::size_t limit = 64u << 20,
                                GuardedFolder::Depth depth = GuardedFolder::Run);
/// As writeFileAtomic() with mode 0600, of a file in the run's own folder. A link in its place is replaced.
Result<void> writeRunFile(const std::filesystem::path& file, std::string_view bytes);

} // namespace rankscope
