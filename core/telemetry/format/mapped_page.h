// SPDX-License-Identifier: Apache-2.0
// Memory that is a file: how board, control page and journal segments are made and mapped.
#pragma once

#include "core/base/files/guarded_folder.h"
#include "core/base/values/error.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

namespace rankscope::telemetry {

/// Owns a shared, writable mapping of a file, or zeroed memory of the process's own.
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

/// Makes sure that every byte of the file has its place on the disk, so that a full disk is an error now and never a
/// SIGBUS at a store later.
Result<void> reserve(int fd, std::size_t size, const std::filesystem::path& path);

/// A page-sized file, mode 0600, with `content`: made beside `path` and renamed over it, so that nobody ever opens half
/// a page and a link at `path` is replaced, not followed. Open for reading and writing.
Result<UniqueFd> createPageFile(const std::filesystem::path& path, std::span<const std::byte> content);
/// The same, mapped.
Result<Mapping> createPage(const std::filesystem::path& path, std::span<const std::byte> content);

/// Opens a foreign file for reading that has at least `size` bytes; `depth` is that of its folder in the run's.
Result<UniqueFd> openForeign(const std::filesystem::path& path, std::size_t size, GuardedFolder::Depth depth);

/// Writes all of it at `offset`; false: errno says why.
bool writeAt(int fd, std::span<const std::byte> bytes, std::size_t offset);

/// As much as there is of [offset, offset + size), through EINTR and short reads; -1 on error.
std::ptrdiff_t readAt(int fd, void* buffer, std::size_t size, std::size_t offset);

} // namespace rankscope::telemetry
