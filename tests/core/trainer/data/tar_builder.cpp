// SPDX-License-Identifier: Apache-2.0
#include "tests/core/trainer/data/tar_builder.h"

#include <QtGlobal>

#include <archive.h>

namespace rankscope::test {

void writeTar(const std::string& path, const std::vector<Member>& members, Tar format, bool gzip) {
    archive* a = archive_write_new();
    format == Tar::Ustar ? archive_write_set_format_ustar(a)
    : format == Tar::Pax ? archive_write_set_format_pax(a)
                         : archive_write_set_format_gnutar(a);
    if (gzip)
        archive_write_add_filter_gzip(a);
    bool good = archive_write_open_filename(a, path.c_str()) == ARCHIVE_OK;
    for (const Member& member : members) {
        archive_entry* entry = archive_entry_new();
        archive_entry_set_pathname(entry, member.name.c_str());
        if (format == Tar::Pax)
            archive_entry_set_pathname_utf8(entry, member.name.c_str());
        archive_entry_set_filetype(entry, member.type);
        archive_entry_set_perm(entry, 0644);
        if (member.type == AE_IFLNK)
            archive_entry_set_symlink(entry, member.content.c_str());
        else
            archive_entry_set_size(entry, static_cast<la_int64_t>(member.content.size()));
        good = good && archive_write_header(a, entry) >= ARCHIVE_WARN;
        if (member.type == AE_IFREG)
            good = good && archive_write_data(a, member.content.data(), member.content.size()) ==
                               static_cast<la_ssize_t>(member.content.size());
        archive_entry_free(entry);
    }
    good = archive_write_close(a) == ARCHIVE_OK && good;
    if (!good)
        qFatal("cannot write %s: %s", path.c_str(), archive_error_string(a));
    archive_write_free(a);
}

} // namespace rankscope::test
