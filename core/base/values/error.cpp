// SPDX-License-Identifier: Apache-2.0
#include "core/base/values/error.h"

#include <fmt/format.h>

#include <cerrno>
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

Error systemError(std::string_view doing, std::string where, int errnoValue) {
    return Error{codeOf(errnoValue), Message("cannot {}: {}", doing, std::generic_category().message(errnoValue)),
                 std::move(where)};
}

} // namespace rankscope
