// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/formats/archives/archive_reader.h"

#include "core/base/files/file.h"
#include "core/base/values/result.h"

#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace rankscope::trainer {
namespace {

constexpr std::uint64_t kBlock = 1u << 20;

const char* kindName(ArchiveReader::ArchiveKind kind) {
    return kind == ArchiveReader::ArchiveKind::Zip ? "zip" : "tar";
}

ArchiveReader::Member::MemberType typeOf(archive_entry* entry) {
    if (archive_entry_hardlink(entry) || archive_entry_filetype(entry) == AE_IFLNK)
        return ArchiveReader::Member::MemberType::Link;
    if (archive_entry_filetype(entry) == AE_IFDIR)
        return ArchiveReader::Member::MemberType::Folder;
    return archive_entry_filetype(entry) == AE_IFREG ? ArchiveReader::Member::MemberType::File
                                                     : ArchiveReader::Member::MemberType::Other;
}

} // namespace

/// The file part of openPart() that libarchive reads.
struct ArchiveReader::Part {
    static constexpr std::size_t kBytesAtOnce = 64 << 10; // headers are far apart, so larger reads would be wasted

    UniqueFd fd;
    std::uint64_t begin = 0, size = 0, at = 0;
    std::vector<char> block = std::vector<char>(kBytesAtOnce);

    la_ssize_t read(archive* a, const void** bytes) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), size - at));
        ssize_t got = 0;
        do
            got = ::pread(fd.get(), block.data(), wanted, static_cast<off_t>(begin + at));
        while (got < 0 && errno == EINTR);
        if (got < 0)
            archive_set_error(a, errno, "cannot be read: %s", std::strerror(errno));
        *bytes = block.data();
        at += static_cast<std::uint64_t>(std::max<ssize_t>(got, 0));
        return got;
    }
    la_int64_t skip(la_int64_t bytes) {
        const auto step = std::min(static_cast<std::uint64_t>(std::max<la_int64_t>(bytes, 0)), size - at);
        at += step;
        return static_cast<la_int64_t>(step);
    }
    la_int64_t seek(la_int64_t offset, int whence) {
        const std::uint64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? at : size;
        if (offset < -static_cast<la_int64_t>(base) || offset > static_cast<la_int64_t>(size - base))
            return ARCHIVE_FATAL;
        at = base + static_cast<std::uint64_t>(offset);
        return static_cast<la_int64_t>(at);
    }
};

void ArchiveReader::CloseReader::operator()(archive* a) const {
    archive_read_free(a);
}

ArchiveReader::ArchiveReader(Handle handle, std::string where, ArchiveKind kind)
    : m_handle(std::move(handle)), m_where(std::move(where)), m_kind(kind) {
    if (kind == ArchiveKind::Zip) {
        archive_read_support_format_zip_seekable(m_handle.get());
    } else {
        archive_read_support_format_tar(m_handle.get());
        archive_read_support_filter_gzip(m_handle.get());
    }
}

tl::unexpected<Error> ArchiveReader::damaged(Message what) const {
    const char* said = archive_error_string(m_handle.get());
    return fail(Errc::Malformed, said ? Message("{}: {}", std::move(what), said) : std::move(what), m_where);
}

Result<ArchiveReader> ArchiveReader::openFile(const std::filesystem::path& path, ArchiveKind kind) {
    RS_TRY_ASSIGN(auto file, openRegularFile(path));
    ArchiveReader reader(Handle(archive_read_new()), path.string(), kind);
    reader.m_fd = std::move(file.fd);
    reader.m_size = file.bytes;
    const auto block = static_cast<std::size_t>(std::clamp<std::uint64_t>(file.bytes, 4096, kBlock));
    if (archive_read_open_fd(reader.m_handle.get(), reader.m_fd.get(), block) != ARCHIVE_OK)
        return reader.damaged({"is not a {} file", kindName(kind)});
    return reader;
}

Result<ArchiveReader> ArchiveReader::openPart(const std::filesystem::path& path, std::uint64_t begin,
                                              std::uint64_t size, const std::string& where, ArchiveKind kind) {
    RS_TRY_ASSIGN(auto file, openRegularFile(path));
    if (begin > file.bytes || size > file.bytes - begin)
        return fail(Errc::Malformed, {"has {} bytes starting at byte {}, but the file has {}", size, begin, file.bytes},
                    where);
    ArchiveReader reader(Handle(archive_read_new()), where, kind);
    reader.m_part = std::make_shared<Part>();
    reader.m_part->fd = std::move(file.fd);
    reader.m_part->begin = begin;
    reader.m_part->size = reader.m_size = size;
    archive* a = reader.m_handle.get();
    archive_read_set_callback_data(a, reader.m_part.get());
    archive_read_set_read_callback(
        a, [](archive* to, void* part, const void** bytes) { return static_cast<Part*>(part)->read(to, bytes); });
    archive_read_set_skip_callback(
        a, [](archive*, void* part, la_int64_t bytes) { return static_cast<Part*>(part)->skip(bytes); });
    archive_read_set_seek_callback(a, [](archive*, void* part, la_int64_t offset, int whence) {
        return static_cast<Part*>(part)->seek(offset, whence);
    });
    if (archive_read_open1(a) != ARCHIVE_OK)
        return reader.damaged({"is not a {} file", kindName(kind)});
    return reader;
}

Result<ArchiveReader> ArchiveReader::openBytes(std::string_view bytes, const std::string& where, ArchiveKind kind) {
    ArchiveReader reader(Handle(archive_read_new()), where, kind);
    reader.m_size = bytes.size();
    if (archive_read_open_memory(reader.m_handle.get(), bytes.data(), bytes.size()) != ARCHIVE_OK)
        return reader.damaged({"is not a {} file", kindName(kind)});
    return reader;
}

Result<std::optional<ArchiveReader::Member>> ArchiveReader::next() {
    archive_entry* entry = nullptr;
    const int r = archive_read_next_header(m_handle.get(), &entry);
    if (r == ARCHIVE_EOF)
        return std::optional<Member>();
    if (r != ARCHIVE_OK && r != ARCHIVE_WARN) // a warning: the name does not fit the locale, which does no harm
        return damaged({"is not a {} file, or is damaged", kindName(m_kind)});
    const char* name = archive_entry_pathname(entry);
    if (!name)
        name = archive_entry_pathname_utf8(entry);
    if (!name)
        return damaged("contains a member without a readable name");
    Member member;
    member.type = typeOf(entry);
    member.name = m_member = name;
    const auto size = archive_entry_size(entry);
    if (size < 0)
        return damaged({"{}: its size is {}", member.name, size});
    member.size = static_cast<std::uint64_t>(size);
    return member;
}

std::uint64_t ArchiveReader::contentBegin() const {
    return static_cast<std::uint64_t>(std::max<la_int64_t>(archive_filter_bytes(m_handle.get(), 0), 0));
}

Result<void> ArchiveReader::read(void* target, std::uint64_t size) {
    std::uint64_t at = 0;
    for (;;) {
        const void* block = nullptr;
        std::size_t bytes = 0;
        la_int64_t offset = 0;
        const int r = archive_read_data_block(m_handle.get(), &block, &bytes, &offset);
        if (r == ARCHIVE_EOF)
            break;
        if (r != ARCHIVE_OK)
            return damaged({"{}: is damaged", m_member});
        if (bytes == 0)
            continue;
        if (offset < 0 || static_cast<std::uint64_t>(offset) != at || bytes > size - at)
            return damaged({"{}: has a hole, or more than the declared {} bytes", m_member, size});
        std::memcpy(static_cast<char*>(target) + at, block, bytes);
        at += bytes;
    }
    if (at != size)
        return damaged({"{}: is cut off after {} of {} bytes", m_member, at, size});
    return {};
}

} // namespace rankscope::trainer
