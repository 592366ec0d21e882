// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files/unique_fd.h"
#include "core/base/values/error.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace rankscope {

/// A file that appears whole or not at all: written aside, synced, renamed. A program that is killed before commit()
/// leaves a file that isLeftOver() knows; one that only gives up leaves nothing.
class AtomicFile {
public:
    /// Through a link, the file that it names will be replaced. An existing file keeps its mode; a new one gets `mode`.
    /// A pipe, a terminal or another device is never replaced: it is written into as the bytes come, as a shell's >
    /// does.
    static Result<AtomicFile> create(const std::filesystem::path& path, unsigned mode = 0600);
    /// In a run's folder: whatever is not a folder is replaced, and no link is followed.
    static Result<AtomicFile> createInRun(const std::filesystem::path& path);

    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    ~AtomicFile();

    /// After the first failure nothing more is written; commit() reports it.
    void write(const void* data, std::size_t size);
    bool failed() const { return m_errno != 0; }
    /// Syncs the file, renames it, syncs the folder.
    Result<void> commit();

    /// The name is one that an interrupted write leaves behind: ".<name>.<6 letters>.part".
    static bool isLeftOver(const std::string& fileName);

private:
    AtomicFile(std::filesystem::path target, std::string aside, int fd, unsigned mode);
    static Result<AtomicFile> createAside(const std::filesystem::path& target, unsigned mode);
    static Result<AtomicFile> createInto(const std::filesystem::path& special);
    bool writesInto() const { return m_mode == 0; }

    std::filesystem::path m_target;
    std::string m_aside; ///< empty: renamed, given up, or there is none
    UniqueFd m_fd;
    unsigned m_mode; ///< of a new file; 0: of none, it is written into
    int m_errno = 0;
};

/// There is something of that name that a file must not take the place of: a pipe, socket or device.
bool isSpecialFile(const std::filesystem::path& path);

/// What was renamed or removed in the folder survives a power cut.
Result<void> syncFolder(const std::filesystem::path& folder);

} // namespace rankscope
