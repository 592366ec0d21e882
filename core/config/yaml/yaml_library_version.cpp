// SPDX-License-Identifier: Apache-2.0
#include "core/config/yaml/yaml_library_version.h"

namespace rankscope::config {

LinkedLibrary yamlLinked() {
    return {"yaml-cpp", RANKSCOPE_YAML_CPP_VERSION};
}

} // namespace rankscope::config
