// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/recording/zlib_version.h"

#include <zlib.h>

namespace rankscope::diagnosis {

LinkedLibrary zlibLinked() {
    return {"zlib", zlibVersion()};
}

} // namespace rankscope::diagnosis
