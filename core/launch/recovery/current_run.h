// SPDX-License-Identifier: Apache-2.0
// A run, as far as it can be read. If something keeps it from being brought up to date (a disk that is full or
// read-only, a folder of another user, a damaged store), its existing data is shown, together with what is missing.
#pragma once

#include "core/launch/run/run_info.h"

#include <optional>
#include <string>
#include <string_view>

namespace rankscope::launch {

/// Why a run could not be brought up to date.
struct NotCurrent {
    Error why;
    bool journals = false; ///< What its ranks measured last is only in their journals.
    std::string inTheWay;  ///< files of a damaged store that keep the journals from being stored; empty: there are none
};

/// A run and what its store lacks.
struct CurrentRun {
    RunInfo info;
    std::optional<NotCurrent> missing; ///< none: everything recorded for it is in its store
};

/// Brings the run up to date if its supervisor is gone and this is possible. Returns an error only if run.json cannot
/// be read.
Result<CurrentRun> currentRun(const RunPaths& run);

/// Returns "no_space", "not_writable", "store", "busy" or "other".
std::string_view reasonName(const NotCurrent& missing);
/// Returns a sentence without a full stop: what is missing, why, and how to get it.
Message missingText(const NotCurrent& missing);

} // namespace rankscope::launch
