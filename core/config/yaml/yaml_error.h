// SPDX-License-Identifier: Apache-2.0
// What yaml-cpp says of a broken file, in words that tell what to mend, at the byte where it is mended.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace rankscope::config {

struct YamlFailure {
    std::string words;                 ///< yaml-cpp's
    std::size_t byte = 0;              ///< where it stopped
    std::optional<std::size_t> inside; ///< where the innermost bracket that was open then begins
};

struct BrokenYaml {
    std::size_t byte = 0;
    std::string text; ///< "broken YAML: …"; the line in which a bracket begins is not in it
};

BrokenYaml explain(const std::string& text, const YamlFailure& failure);

} // namespace rankscope::config
