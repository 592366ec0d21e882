// SPDX-License-Identifier: Apache-2.0
// Messages of the collective libraries: PyTorch's NCCL watchdog and Gloo of versions 1.8 to 2.15, its checks of
// TORCH_DISTRIBUTED_DEBUG=DETAIL, its stores, and connections that NCCL and Gloo lost.
#pragma once

#include "core/explain/line/log_text.h"
#include "core/explain/messages/log_facts.h"

namespace rankscope::explain {

/// Reads all such messages of a record and adds their facts. A message that is cut gives what is whole in it.
void readCollectiveMessages(const DenseText& record, LogFacts& facts);

} // namespace rankscope::explain
