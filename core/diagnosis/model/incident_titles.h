// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/text/message.h"
#include "core/diagnosis/model/incident.h"

namespace rankscope::diagnosis {

/// Names for people. Stores and JSON have causeName() and closeReasonName().
Message causeTitle(Cause cause);
Message closeReasonTitle(CloseReason reason);

} // namespace rankscope::diagnosis
