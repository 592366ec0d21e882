// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/text/message.h"
#include "core/diagnosis/model/incident.h"

namespace rankscope::diagnosis {

/// Returns the name that is shown to people; stores and JSON use causeName() and closeReasonName().
Message causeTitle(Cause cause);
Message closeReasonTitle(CloseReason reason);

} // namespace rankscope::diagnosis
