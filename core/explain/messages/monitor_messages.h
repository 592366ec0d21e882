// SPDX-License-Identifier: Apache-2.0
// Messages of NCCL's heartbeat monitor about the watchdog of its rank, and of a rank that writes a Flight Recorder
// dump: PyTorch 2.2 to 2.15.
#pragma once

#include "core/explain/line/log_text.h"
#include "core/explain/messages/log_facts.h"

namespace rankscope::explain {

/// Reads all such messages of a record and adds their facts.
void readMonitorMessages(const DenseText& record, LogFacts& facts);

} // namespace rankscope::explain
