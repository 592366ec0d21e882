// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/formats/archives/tar_file.h"

#include "core/base/files/file.h"
#include "core/base/values/result.h"

#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string_view>

namespace rankscope::trainer {

namespace {

constexpr std::size_t kBlockBytes = 64 << 10;
constexpr std::size_t kMaxTarMembers = 100'000'000;

struct CloseArchive {
    void operator()(archive* a) const { archive_read_free(a); }
};

struct OpenTar {
    UniqueFd fd; // outlives the archive, which does not own it
    std::int64_t fileBytes = 0;
    std::unique_ptr<archive, CloseArchive> handle;
};

tl::unexpected<Error> wrong(Message what, const std::string& path) {
    return fail(Errc::BadInput, std::move(what), path);
}

Message reason(archive* a) {
    const char* text = archive_error_string(a);
    return text ? Message(std::string(text)) : Message("damaged");
}

constexpr char kChanged[] = "is no longer at its place in the tar file: the file was changed while in use";

/// Says from the first bytes what a file is if it is not a tar.
Message notTar(int fd) {
    std::array<unsigned char, 6> head{};
    const ssize_t got = ::pread(fd, head.data(), head.size(), 0);
    const std::string_view bytes(reinterpret_cast<const char*>(head.data()),
                                 static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    for (const std::string_view packed : {"\x1f\x8b", "BZh",
                                          "\xfd"
                                          "7zXZ",
                                          "\x28\xb5\x2f\xfd"})
        if (bytes.starts_with(packed))
            return "is compressed, which is not supported, because batches are read from their offset in the file: "
                   "unpack it (gunzip, unzstd ...) and use the .tar";
    return "is not a tar file";
}

/// Opens a tar stream that begins at byte `at` of the file.
Result<OpenTar> openTar(const std::string& path, std::int64_t at) {
    OpenTar tar;
    RS_TRY_ASSIGN(auto file, openRegularFile(path));
    tar.fd = std::move(file.fd);
    tar.fileBytes = static_cast<std::int64_t>(file.bytes);
    if (::lseek(tar.fd.get(), at, SEEK_SET) != at)
        return tl::unexpected(systemError("seek", path, errno));
    tar.handle.reset(archive_read_new());
    archive* a = tar.handle.get();
    if (!a || archive_read_support_format_tar(a) < ARCHIVE_WARN)
        return fail(Errc::Internal, "libarchive cannot read tar files", path);
    if (archive_read_open_fd(a, tar.fd.get(), kBlockBytes) != ARCHIVE_OK)
        return wrong(at == 0 ? notTar(tar.fd.get()) : Message(kChanged), path);
    return tar;
}

/// Returns the name as UTF-8 from a pax header, else as the bytes of the header.
std::string nameOf(archive_entry* entry) {
    const char* name = archive_entry_pathname_utf8(entry);
    if (!name)
        name = archive_entry_pathname(entry);
    return name ? name : "";
}

} // namespace

Result<TarListing> listTar(const std::string& path) {
    RS_TRY_ASSIGN(auto tar, openTar(path, 0));
    archive* a = tar.handle.get();
    TarListing listing;
    for (;;) {
        archive_entry* entry = nullptr;
        const int status = archive_read_next_header(a, &entry);
        if (status == ARCHIVE_EOF)
            return listing;
        const std::int64_t at = archive_read_header_position(a);
        if (status < ARCHIVE_WARN || listing.members.size() == kMaxTarMembers) {
            listing.damage = Error{Errc::BadInput,
                                   Message("is cut off after {} members, at byte {}: {}", listing.members.size(), at,
                                           status < ARCHIVE_WARN ? reason(a) : Message("too many members")),
                                   path};
            return listing;
        }
        const std::int64_t bytes = archive_entry_size(entry);
        // no links, folders or devices: only content of this file is read
        if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry))
            continue;
        if (bytes < 0 || bytes > tar.fileBytes - at) {
            listing.damage = Error{Errc::BadInput,
                                   Message("is cut off inside {}, which claims {} bytes", nameOf(entry), bytes), path};
            return listing;
        }
        listing.members.push_back({nameOf(entry), at, bytes});
    }
}

Result<std::string> readTarMember(const std::string& path, const TarMember& member) {
    const std::string where = path + ": " + member.name;
    if (member.bytes > kMaxMemberBytes)
        return wrong({"contains {} bytes; the limit is {}", member.bytes, kMaxMemberBytes}, where);
    auto tar = openTar(path, member.at);
    if (!tar) {
        tar.error().where = where;
        return tl::unexpected(tar.error());
    }
    archive* a = tar->handle.get();
    archive_entry* entry = nullptr;
    if (archive_read_next_header(a, &entry) < ARCHIVE_WARN || nameOf(entry) != member.name ||
        archive_entry_size(entry) != member.bytes || archive_entry_filetype(entry) != AE_IFREG)
        return wrong(kChanged, where);
    if (member.bytes > tar->fileBytes - member.at)
        return wrong("is cut off: the tar file is truncated", where);
    std::string content(static_cast<std::size_t>(member.bytes), '\0'); // no more than the file really holds
    std::size_t have = 0;
    while (have < content.size()) {
        const la_ssize_t got = archive_read_data(a, content.data() + have, content.size() - have);
        if (got <= 0)
            return wrong(got < 0 ? Message("cannot be read: {}", reason(a))
                                 : Message("is cut off: the tar file is truncated"),
                         where);
        have += static_cast<std::size_t>(got);
    }
    return content;
}

} // namespace rankscope::trainer
