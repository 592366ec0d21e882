// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/import/hparams.h"

namespace rankscope::exchange {

std::string recipeOfHparams(std::string text) {
    for (std::size_t line = 0; line < text.size();) {
        if (text.compare(line, 4, "cfg:") == 0)
            return text.replace(line, 3, "model");
        const auto end = text.find('\n', line);
        if (end == std::string::npos)
            break;
        line = end + 1;
    }
    return text;
}

} // namespace rankscope::exchange
