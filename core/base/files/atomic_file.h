// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files/guarded_folder.h"
#include "core/base/files/unique_fd.h"
#include "core/base/values/error.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

/// A file that appears complete or not at all: it is written under a temporary name, synced and renamed. Destroying it
/// without commit() removes the temporary file. If the process is killed, one remains that isLeftOver() recognizes.
class AtomicFile {
public:
    /// Starts writing `path`. If it is a link, commit() replaces the file that the link names. An existing file keeps
    /// its mode; a new one gets `mode`. A pipe, terminal or other device is never replaced: bytes are written to it as
    /// they come, as with a shell's >.
    static Result<AtomicFile> create(const std::filesystem::path& path, unsigned mode = 0600);
    /// Starts writing a file of a run: replaces anything that is not a folder, and follows no link from the run's
    /// folder on. `depth` is that of the file's folder.
    static Result<AtomicFile> createInRun(const std::filesystem::path& path,
                                          GuardedFolder::Depth depth = GuardedFolder::Run);

    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    ~AtomicFile();

    /// Appends bytes. After the first failure nothing more is written; commit() reports the failure.
    void write(const void* data, std::size_t size);
    bool failed() const { return m_errno != 0; }
    /// Syncs the file, renames it and syncs the folder.
    Result<void> commit();
    /// Does the same and returns the file, open for reading and writing; for writing only if it is a pipe or device.
    Result<UniqueFd> commitOpen();

    /// Where the file is, or will be.
    const std::filesystem::path& path() const { return m_target; }

    /// Returns whether a file of this name, ".<name>.<6 letters>.part", is left over from an interrupted write.
    static bool isLeftOver(const std::string& fileName);

private:
    AtomicFile(std::filesystem::path target, std::optional<GuardedFolder> folder, GuardedFolder::NewFile aside,
               unsigned mode);
    static Result<AtomicFile> createAside(const std::filesystem::path& target, GuardedFolder::Depth depth,
                                          unsigned mode);
    static Result<AtomicFile> createInto(const std::filesystem::path& special);

    std::filesystem::path m_target;
    std::optional<GuardedFolder> m_folder; ///< none: the target is a pipe or device, which is written to directly
    std::string m_aside;                   ///< name of the temporary file; empty: renamed, or there is none
    UniqueFd m_fd;
    unsigned m_mode; ///< of a new file
    int m_errno = 0;
};

/// Returns whether `path` is something that a file must not replace: a pipe, socket or device.
bool isSpecialFile(const std::filesystem::path& path);

/// Writes a file with AtomicFile::create(): readers see the old or the new text.
Result<void> writeFileAtomic(const std::filesystem::path& path, std::string_view bytes, unsigned mode = 0600);
/// Writes a file in the run's own folder with AtomicFile::createInRun().
Result<void> writeRunFile(const std::filesystem::path& file, std::string_view bytes);

} // namespace rankscope
