// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/telemetry/format/records.h"

namespace rankscope::telemetry {

/// Adds `ns` to every point in time of a record (not to lengths of time): from one host's monotonic clock to another's.
void shiftTimes(AnyRecord& record, std::int64_t ns);

} // namespace rankscope::telemetry
