// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/text/message.h"

#include <string>

namespace rankscope::config {

/// Returns an error text of yaml-cpp as a sentence that has a translation; unchanged if it is not known.
Message yamlCppMessage(const std::string& words);

} // namespace rankscope::config
