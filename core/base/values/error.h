// SPDX-License-Identifier: Apache-2.0
// Errors are values across layers: they say what happened, where, and (in `what`) what to do about it.
#pragma once

#include "core/base/text/message.h"

#include <tl/expected.hpp>

#include <string>

namespace rankscope {

enum class Errc {
    BadInput,    ///< the user's file, key or argument is wrong
    NotFound,    ///< a file, run or key does not exist
    Io,          ///< the system refused a read or write for another reason
    NoSpace,     ///< the disk or quota is full
    Permission,  ///< not allowed
    Malformed,   ///< data written by a program is damaged or of another version
    Unsupported, ///< valid, but this build or machine cannot do it
    Busy,        ///< another process or user holds it
    Internal,
};

struct Error {
    Errc code = Errc::Internal;
    Message what;      ///< a sentence without a full stop: what is wrong, and what to do
    std::string where; ///< file, file:line:column, key, or rank; may be empty

    /// Returns "where: what", or "what" alone if `where` is empty.
    std::string message(Language language = Language::English) const;
    Message asMessage() const; ///< the same, as a part of another message
};

template <class T> using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Errc code, Message what, std::string where = {}) {
    return tl::unexpected<Error>(Error{code, std::move(what), std::move(where)});
}

/// Returns an Error made from errno: "cannot open: No space left on device", with the code that fits; `doing`: "open".
Error systemError(Message doing, std::string where, int errnoValue);

} // namespace rankscope
