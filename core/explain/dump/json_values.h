// SPDX-License-Identifier: Apache-2.0
// JSON as the values of a pickle, so that one reader understands both forms of a dump.
#pragma once

#include "core/trainer/formats/pickle/pickle.h"

#include <deque>
#include <string>
#include <string_view>

namespace rankscope::explain {

struct JsonValues {
    trainer::pickle::Values values; ///< None, Bool, Integer, Real, Text, List and Dict; Other: beyond 63 bits
    std::deque<std::string> texts;  ///< what the views of `values` point to
};

/// Reads JSON of any depth without recursion. Error: what is wrong, and at which byte; also for more values than the
/// pickle machine accepts.
tl::expected<JsonValues, Message> readJsonValues(std::string_view text);

} // namespace rankscope::explain
