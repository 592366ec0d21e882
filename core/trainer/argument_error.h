// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace rankscope::trainer {

/// Names the key or state that cannot be used. Code that builds modules and optimizers throws it, because constructors
/// cannot return an Error.
class ArgumentError final : public std::invalid_argument {
public:
    ArgumentError(std::string key, Message what)
        : ArgumentError(Error{Errc::BadInput, std::move(what), std::move(key)}) {}
    const Error& error() const { return m_error; }

private:
    explicit ArgumentError(Error error) : std::invalid_argument(error.message()), m_error(std::move(error)) {}

    Error m_error;
};

} // namespace rankscope::trainer
