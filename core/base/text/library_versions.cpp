// SPDX-License-Identifier: Apache-2.0
#include "core/base/text/library_versions.h"

#include <fmt/format.h>

namespace rankscope {

std::string versionText(std::string_view program, std::string_view version,
                        const std::vector<LinkedLibrary>& libraries) {
    std::string text = fmt::format("{} {}\n", program, version);
    for (const LinkedLibrary& library : libraries)
        text += fmt::format("{} {}\n", library.name, library.version);
    const std::string_view sanitizers = RANKSCOPE_SANITIZERS;
    return text + fmt::format("{} build{}{}, {}, {}", RANKSCOPE_BUILD_TYPE, sanitizers.empty() ? "" : " with ",
                              sanitizers, RANKSCOPE_COMPILER, RANKSCOPE_MACHINE);
}

} // namespace rankscope
