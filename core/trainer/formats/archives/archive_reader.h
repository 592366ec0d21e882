// SPDX-License-Identifier: Apache-2.0
// Members of a tar or zip file, one after the other, by libarchive. Sizes are the file's claims: the caller bounds them
// before it makes room.
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
    enum class Kind : std::uint8_t { Zip, Tar }; ///< a tar may be packed with gzip

    struct Member {
        enum class Type : std::uint8_t { File, Folder, Link, Other } type = Type::Other;
        std::string name;
        std::uint64_t size = 0; ///< as declared
    };

    static Result<ArchiveReader> openFile(const std::filesystem::path& path, Kind kind);
    /// `size` bytes of a file from `begin` on: a member of another archive, where it lies.
    static Result<ArchiveReader> openPart(const std::filesystem::path& path, std::uint64_t begin, std::uint64_t size,
                                          const std::string& where, Kind kind);
    /// The bytes must outlive the reader. `where` names them in errors.
    static Result<ArchiveReader> openBytes(std::string_view bytes, const std::string& where, Kind kind);

    /// Bytes of the whole archive, as it lies there.
    std::uint64_t size() const { return m_size; }
    /// The next member; none: the end.
    Result<std::optional<Member>> next();
    /// The current member's bytes, which must be exactly `size`. A zip's checksum is checked.
    Result<void> read(void* target, std::uint64_t size);
    /// Of a tar that is not packed: the byte of the file at which the current member's content begins.
    std::uint64_t contentBegin() const;

private:
    struct Part;
    struct Close {
        void operator()(archive* a) const;
    };
    using Handle = std::unique_ptr<archive, Close>;

    ArchiveReader(Handle handle, std::string where, Kind kind);
    tl::unexpected<Error> damaged(const std::string& what) const;

    UniqueFd m_fd;                ///< outlives the handle
    std::shared_ptr<Part> m_part; ///< outlives the handle
    Handle m_handle;
    std::string m_where, m_member;
    Kind m_kind;
    std::uint64_t m_size = 0;
};

} // namespace rankscope::trainer
