// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"

#include <stdexcept>
#include <utility>

namespace rankscope::trainer {

/// Carries an Error out of the loop.
class RunError final : public std::runtime_error {
public:
    explicit RunError(Error error) : std::runtime_error(error.message()), m_error(std::move(error)) {}
    const Error& error() const { return m_error; }

private:
    Error m_error;
};

} // namespace rankscope::trainer
