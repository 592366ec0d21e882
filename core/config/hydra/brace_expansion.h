// SPDX-License-Identifier: Apache-2.0
// Shell-like lists of files, as NeMo accepts them for tarred datasets: audio_{0..127}.tar, audio__OP_0..127_CL_.tar.
#pragma once

#include "core/base/values/error.h"

#include <cstddef>
#include <string>
#include <vector>

namespace rankscope::config {

/// Returns every name that `pattern` describes, in order: {0..15}, {00..15}, {0..15..5}, {a..d}, {a,b}, nested or
/// several. NeMo accepts _OP_, (, [ and < as an opening brace and _CL_, ), ] and > as a closing one, for shells that
/// forbid the real ones; here they count only around a range or a list. Returns an error for a brace without its
/// partner, or for more than `limit` names.
Result<std::vector<std::string>> expandBraces(const std::string& pattern, std::size_t limit = 1'000'000);

} // namespace rankscope::config
