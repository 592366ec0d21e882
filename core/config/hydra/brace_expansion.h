// SPDX-License-Identifier: Apache-2.0
// Shell-like lists of files, as NeMo takes them for tarred sets: audio_{0..127}.tar, audio__OP_0..127_CL_.tar.
#pragma once

#include "core/base/values/error.h"

#include <cstddef>
#include <string>
#include <vector>

namespace rankscope::config {

/// Every name that `pattern` stands for, in order: {0..15}, {00..15}, {0..15..5}, {a..d}, {a,b}, nested or several.
/// NeMo takes _OP_, (, [ and < for an opening brace and _CL_, ), ] and > for a closing one, where a shell forbids the
/// real ones; they count here only around a range or a list. An error: a brace without its partner, more than `limit`
/// names.
Result<std::vector<std::string>> expandBraces(const std::string& pattern, std::size_t limit = 1'000'000);

} // namespace rankscope::config
