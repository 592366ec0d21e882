// SPDX-License-Identifier: Apache-2.0
#include "core/config/linked.h"

namespace rankscope::config {

LinkedLibrary yamlLinked() {
    return {"yaml-cpp", RANKSCOPE_YAML_CPP_VERSION};
}

} // namespace rankscope::config
