// SPDX-License-Identifier: Apache-2.0
// A recipe of any length: a real one, followed by the user's own sections, which refer to it and to themselves.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace rankscope::bench {

inline std::string longRecipe(std::string text, std::int64_t lines) {
    auto count = std::count(text.begin(), text.end(), '\n');
    for (int k = 0; count < lines; ++k) {
        std::string section = fmt::format("own_{}:  # section {}\n  # what it is\n", k, k);
        for (int j = 0; j < 12; ++j)
            section += fmt::format("  key_{}: {}  # comment {}\n", j, j * 1.5, j);
        section += "  ref: ${model.encoder.d_model}\n  rel: ${.key_3}\n  list: [1, 2, 'three', {a: b}]\n"
                   "  deep:\n    - name: x\n      value: \"quoted text\"\n";
        count += std::count(section.begin(), section.end(), '\n');
        text += section;
    }
    return text;
}

} // namespace rankscope::bench
