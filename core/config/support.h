// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/load.h"

namespace rankscope::config {

/// What NeMo takes and Rankscope's trainer cannot do yet: warnings that block a launch. And notes on sections that NeMo
/// uses and Rankscope does not.
void checkSupport(Loaded& loaded, const Facts& facts);

} // namespace rankscope::config
