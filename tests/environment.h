// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtGlobal>

namespace rankscope::test {

/// Returns the number in an environment variable, by which a test can be made to do more or something else.
inline int numberFrom(const char* variable, int otherwise) {
    return qEnvironmentVariableIsSet(variable) ? qEnvironmentVariableIntValue(variable) : otherwise;
}

} // namespace rankscope::test
