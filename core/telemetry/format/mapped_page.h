// SPDX-License-Identifier: Apache-2.0
// Creates and maps the files of boards, control pages and journal segments.
#pragma once

#include "core/base/files/guarded_folder.h"
#include "core/base/values/error.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

namespace rankscope::telemetry {

/// Owns a shared, writable mapping of a file, or zeroed private memory.
class Mapping {
public:
    Mapping() = default;
    Mapping(Mapping&& other) noexcept
        : m_base(std::exchange(other.m_base, nullptr)), m_size(std::exchange(other.m_size, 0)) {}
    Mapping& operator=(Mapping&& other) noexcept;
    ~Mapping() { reset(); }

    static Result<Mapping> ofFile(int fd, std::size_t size, const std::filesystem::path& path);
    static Mapping anonymous(std::size_t size);

    std::byte* base() const { return m_base; }
    std::size_t size() const { return m_size; }
    void reset();

private:
    std::byte* m_base = nullptr;
    std::size_t m_size = 0;
};

/// Allocates disk space for every byte of the file, so that a full disk is an error now, not a SIGBUS at a store.
Result<void> reserve(int fd, std::size_t size, const std::filesystem::path& path);

/// Creates a file of a run with AtomicFile::createInRun(), so that no process opens half a page, and returns it open
/// for reading and writing. `depth` is that of its folder.
Result<UniqueFd> createPage(const std::filesystem::path& path, std::span<const std::byte> content,
                            GuardedFolder::Depth depth);

/// Opens a foreign file of at least `size` bytes for reading; `depth` is that of its folder within the run's.
Result<UniqueFd> openForeign(const std::filesystem::path& path, std::size_t size, GuardedFolder::Depth depth);

/// Writes all of `bytes` at `offset`. Returns false on error, with errno set.
bool writeAt(int fd, std::span<const std::byte> bytes, std::size_t offset);

/// Reads as much of [offset, offset + size) as exists, retrying after EINTR and short reads. Returns -1 on error.
std::ptrdiff_t readAt(int fd, void* buffer, std::size_t size, std::size_t offset);

} // namespace rankscope::telemetry
