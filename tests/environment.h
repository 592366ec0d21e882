// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtGlobal>

namespace rankscope::test {

/// For a test that may be told to do more, or something else: the variable's number.
inline int numberFrom(const char* variable, int otherwise) {
    return qEnvironmentVariableIsSet(variable) ? qEnvironmentVariableIntValue(variable) : otherwise;
}

} // namespace rankscope::test
