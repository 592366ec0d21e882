// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/sqlite/sqlite.h"
#include "core/telemetry/format/process_groups.h"

namespace rankscope::store {

/// Returns the members of the run's process groups, as far as its ranks have reported them.
Result<telemetry::ProcessGroups> readGroups(const Database& db);

} // namespace rankscope::store
