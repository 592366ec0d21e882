// SPDX-License-Identifier: Apache-2.0
// Summarizes the checks before and at start: one line per check, for any number of ranks.
#pragma once

#include "core/base/text/message.h"
#include "core/store/read/fact_reader.h"

#include <string>
#include <vector>

namespace rankscope::store {

struct CheckSummary {
    std::string name;
    telemetry::CheckStatus status = telemetry::CheckStatus::Passed; ///< failed if it failed on any rank
    bool stops = false;
    std::vector<int> ranks; ///< ranks on which it failed; may be empty
    std::string text;       ///< the finding; prefixed with the rank where ranks differ
};

/// Return the name shown to people for a check ("finite_input") and for its result; unknown names stay unchanged.
Message checkTitle(const std::string& name);
Message checkStatusTitle(telemetry::CheckStatus status);

/// Returns the checks in the order in which they were made.
std::vector<CheckSummary> summarize(const std::vector<CheckRow>& rows);

} // namespace rankscope::store
