// SPDX-License-Identifier: Apache-2.0
// Reads the members of a tar or zip file, one after the other, with libarchive. Sizes are only claims of the file: the
// caller limits them before it allocates.
#pragma once

#include "core/base/files/file.h"
#include "core/base/values/error.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct archive;

namespace rankscope::trainer {

class ArchiveReader {
public:
    enum class ArchiveKind : std::uint8_t { Zip, Tar }; ///< a tar may be compressed with gzip

    struct Member {
        enum class MemberType : std::uint8_t { File, Folder, Link, Other } type = MemberType::Other;
        std::string name;
        std::uint64_t size = 0; ///< as declared
    };

    static Result<ArchiveReader> openFile(const std::filesystem::path& path, ArchiveKind kind);
    /// Opens `size` bytes of a file from `begin` on: a member of another archive, read in place.
    static Result<ArchiveReader> openPart(const std::filesystem::path& path, std::uint64_t begin, std::uint64_t size,
                                          const std::string& where, ArchiveKind kind);
    /// The bytes must outlive the reader. `where` names them in errors.
    static Result<ArchiveReader> openBytes(std::string_view bytes, const std::string& where, ArchiveKind kind);

    /// Returns the stored size of the whole archive in bytes.
    std::uint64_t size() const { return m_size; }
    /// Moves to the next member and returns it; none at the end.
    Result<std::optional<Member>> next();
    /// Reads the current member's bytes, which must be exactly `size`. A zip's checksum is checked.
    Result<void> read(void* target, std::uint64_t size);
    /// Returns, for an uncompressed tar, the byte of the file at which the current member's content begins.
    std::uint64_t contentBegin() const;

private:
    struct Part;
    struct CloseReader {
        void operator()(archive* a) const;
    };
    using Handle = std::unique_ptr<archive, CloseReader>;

    ArchiveReader(Handle handle, std::string where, ArchiveKind kind);
    tl::unexpected<Error> damaged(Message what) const;

    UniqueFd m_fd;                ///< outlives the handle
    std::shared_ptr<Part> m_part; ///< outlives the handle
    Handle m_handle;
    std::string m_where, m_member;
    ArchiveKind m_kind;
    std::uint64_t m_size = 0;
};

} // namespace rankscope::trainer
