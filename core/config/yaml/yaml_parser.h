// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/text/library_versions.h"
#include "core/config/yaml/node.h"

#include <tl/expected.hpp>

#include <string>

namespace rankscope::config {

/// Returns the single document of a YAML text; a Null node for an empty text.
tl::expected<Node, Problem> parseYaml(const std::string& text);

/// Returns the node of a value in one line of YAML; a string of the whole text if it is not YAML.
Node parseValue(const ValueText& text);

/// Returns the version of yaml-cpp that the build found; the library itself does not report its version.
LinkedLibrary yamlCppVersion();

} // namespace rankscope::config
