// SPDX-License-Identifier: Apache-2.0
#include "core/base/values/error.h"

#include <cerrno>
#include <map>
#include <system_error>

namespace rankscope {

std::string Error::message(Language language) const {
    return placed(where, what.text(language), language);
}

Message Error::asMessage() const {
    return where.empty() ? what : Message("{}: {}", where, what);
}

static Errc codeOf(int e) {
    switch (e) {
    case ENOENT:
    case ENOTDIR:
        return Errc::NotFound;
    case EACCES:
    case EPERM:
    case EROFS:
        return Errc::Permission;
    case ENOSPC:
    case EDQUOT:
        return Errc::NoSpace;
    case EBUSY:
    case EAGAIN:
        return Errc::Busy;
    default:
        return Errc::Io;
    }
}

/// Returns the system's description of an error number; it has a translation if users are likely to see it.
static Message textOf(int e) {
    static const std::map<int, Message> known{
        {EPERM, "Operation not permitted"},
        {ENOENT, "No such file or directory"},
        {EIO, "Input/output error"},
        {EAGAIN, "Resource temporarily unavailable"},
        {ENOMEM, "Cannot allocate memory"},
        {EACCES, "Permission denied"},
        {EBUSY, "Device or resource busy"},
        {EEXIST, "File exists"},
        {ENOTDIR, "Not a directory"},
        {EISDIR, "Is a directory"},
        {EMFILE, "Too many open files"},
        {EFBIG, "File too large"},
        {ENOSPC, "No space left on device"},
        {EROFS, "Read-only file system"},
        {ENAMETOOLONG, "File name too long"},
        {ENOTEMPTY, "Directory not empty"},
        {ELOOP, "Too many levels of symbolic links"},
        {EADDRINUSE, "Address already in use"},
        {ESTALE, "Stale file handle"},
        {EDQUOT, "Disk quota exceeded"},
    };
    const auto at = known.find(e);
    return at == known.end() ? Message(std::generic_category().message(e)) : at->second;
}

Error systemError(Message doing, std::string where, int errnoValue) {
    return Error{codeOf(errnoValue), {"cannot {}: {}", std::move(doing), textOf(errnoValue)}, std::move(where)};
}

} // namespace rankscope
