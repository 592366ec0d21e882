// SPDX-License-Identifier: Apache-2.0
// Who has asked a rank to leave, by a signal.
#pragma once

#include "core/base/text/message.h"
#include "core/diagnosis/model/evidence.h"
#include "core/diagnosis/model/observation.h"

namespace rankscope::diagnosis {

/// Returns signal and sender of the rank's request to leave. Names come from other programs and are made printable.
Evidence leaveEvidence(const ProcessView& process);

/// Returns the sender in words: "earlyoom (process 4711 of root)", "the kernel, because its CPU time is used up".
Message leaveSenderText(const Evidence& leaveEvidence);

} // namespace rankscope::diagnosis
