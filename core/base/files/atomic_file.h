// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files/unique_fd.h"
#include "core/base/values/error.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace rankscope {

/// A file that appears complete or not at all: it is written under a temporary name, synced and renamed. Destroying it
/// without commit() removes the temporary file. If the process is killed, one remains that isLeftOver() recognizes.
class AtomicFile {
public:
    /// Starts writing `path`. If it is a link, commit() replaces the file that the link names. An existing file keeps
    /// its mode; a new one gets `mode`. A pipe, terminal or other device is never replaced: bytes are written to it as
    /// they come, as with a shell's >.
    static Result<AtomicFile> create(const std::filesystem::path& path, unsigned mode = 0600);
    /// Starts writing a file in a run's folder: replaces anything that is not a folder, and follows no link.
    static Result<AtomicFile> createInRun(const std::filesystem::path& path);

    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    ~AtomicFile();

    /// Appends bytes. After the first failure nothing more is written; commit() reports the failure.
    void write(const void* data, std::size_t size);
    bool failed() const { return m_errno != 0; }
    /// Syncs the file, renames it and syncs the folder.
    Result<void> commit();

    /// Returns whether a file of this name, ".<name>.<6 letters>.part", is left over from an interrupted write.
    static bool isLeftOver(const std::string& fileName);

private:
    AtomicFile(std::filesystem::path target, std::string aside, int fd, unsigned mode);
    static Result<AtomicFile> createAside(const std::filesystem::path& target, unsigned mode);
    static Result<AtomicFile> createInto(const std::filesystem::path& special);
    bool writesInto() const { return m_mode == 0; }

    std::filesystem::path m_target;
    std::string m_aside; ///< temporary file; empty: renamed, removed, or there is none
    UniqueFd m_fd;
    unsigned m_mode; ///< of the new file; 0: there is none, the target is written to directly
    int m_errno = 0;
};

/// Returns whether `path` is something that a file must not replace: a pipe, socket or device.
bool isSpecialFile(const std::filesystem::path& path);

/// Syncs a folder, so that renames and removals in it survive a power cut.
Result<void> syncFolder(const std::filesystem::path& folder);

} // namespace rankscope
