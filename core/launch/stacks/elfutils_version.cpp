// SPDX-License-Identifier: Apache-2.0
#include "core/launch/stacks/elfutils_version.h"

#include <elfutils/libdwfl.h>

namespace rankscope::launch {

LinkedLibrary elfutilsLinked() {
    return {"elfutils", dwfl_version(nullptr)};
}

} // namespace rankscope::launch
