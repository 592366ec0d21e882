// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace rankscope {

/// A file that appears whole or not at all: written aside, synced, renamed. Who is killed before commit() leaves a file
/// that isLeftOver() knows; who only gives up leaves nothing.
class AtomicFile {
public:
    /// Through a link, the file that it names will be replaced. An existing file keeps its mode; a new one gets `mode`.
    static Result<AtomicFile> create(const std::filesystem::path& path, unsigned mode = 0600);

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

    std::filesystem::path m_target;
    std::string m_aside; ///< empty: renamed, or given up
    UniqueFd m_fd;
    unsigned m_mode; ///< of a new file
    int m_errno = 0;
};

/// What was renamed or removed in the folder survives a power cut.
Result<void> syncFolder(const std::filesystem::path& folder);

} // namespace rankscope
