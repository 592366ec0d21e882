// SPDX-License-Identifier: Apache-2.0
// Access to the files in the folder of a run. They may come from anyone: another user of the machine, or an archive
// that was unpacked. So no link is followed below the run's folder, and only regular files are opened or removed.
#pragma once

#include "core/base/files/file.h"

#include <fcntl.h>

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace rankscope {

/// The run's folder, or one below it. All access to its files goes through this class.
class GuardedFolder {
public:
    /// How many levels a folder is below the run's own folder. Only the run's own folder may be reached through a link.
    enum Depth : int { Run = 0, Checkpoints = 1, Ranks = 1, Rank = 2 };

    static Result<GuardedFolder> open(const std::filesystem::path& folder, Depth depth = Run);

    /// Opens a file with the `flags` of open(2); O_CREAT creates it with mode 0600. Returns Malformed for a link and
    /// for anything else that is not a regular file.
    Result<RegularFile> openFile(const std::string& name, int flags = O_RDONLY) const;
    /// Opens a folder in this one. Returns Malformed if it is a link.
    Result<GuardedFolder> folder(const std::string& name) const;
    /// Creates a folder in this one with mode 0700, or opens the one that is there.
    Result<GuardedFolder> makeFolder(const std::string& name) const;
    /// Returns the names in the folder, in no particular order. `ec` is set if the folder cannot be read to its end.
    std::vector<std::string> names(std::error_code& ec) const;
    bool hasFile(const std::string& name) const; ///< a regular one
    /// Returns the mode of a regular file, the permission bits only; none if there is no such file.
    std::optional<unsigned> modeOf(const std::string& name) const;
    /// Removes a regular file. Anything else stays, which is not an error.
    Result<void> removeFile(const std::string& name) const;

    struct NewFile {
        UniqueFd fd; ///< open for reading and writing
        std::string name;
    };
    /// Creates a temporary file for `name`, with mode 0600 and an unpredictable name: ".<name>.<6 letters>.part".
    Result<NewFile> createAside(const std::string& name) const;
    /// Renames a file within the folder. What `to` names is replaced, and not followed if it is a link.
    Result<void> renameFile(const std::string& from, const std::string& to) const;
    /// Gives a file a second name. Error: `to` exists, or the file system has no hard links.
    Result<void> linkFile(const std::string& from, const std::string& to) const;
    /// Syncs the folder, so that renames and removals in it survive a power cut.
    Result<void> sync() const;

    const std::filesystem::path& path() const { return m_path; }

private:
    GuardedFolder(UniqueFd fd, std::filesystem::path path) : m_fd(std::move(fd)), m_path(std::move(path)) {}

    UniqueFd m_fd;
    std::filesystem::path m_path;
};

/// Opens a file by its path; `depth` is that of its folder.
Result<RegularFile> openRunFile(const std::filesystem::path& file, GuardedFolder::Depth depth = GuardedFolder::Run,
                                int flags = O_RDONLY);
/// Reads a file of a run as readFile() does.
Result<std::string> readRunFile(const std::filesystem::path& file, std::size_t limit = 64u << 20,
                                GuardedFolder::Depth depth = GuardedFolder::Run);

} // namespace rankscope
