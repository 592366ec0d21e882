// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <string>

namespace rankscope::trainer {

/// Returns the first line of an exception's text, without LibTorch's backtrace.
inline std::string firstLine(const std::exception& error) {
    const auto* torchError = dynamic_cast<const c10::Error*>(&error);
    const std::string text = torchError ? torchError->what_without_backtrace() : error.what();
    return text.substr(0, text.find('\n'));
}

} // namespace rankscope::trainer
