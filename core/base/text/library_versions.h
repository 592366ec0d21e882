// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct LinkedLibrary {
    std::string name, version;
};

/// Returns the text that --version prints: "PROGRAM VERSION", a line for each library in use, and how the program was
/// built.
std::string versionText(std::string_view program, std::string_view version,
                        const std::vector<LinkedLibrary>& libraries);

} // namespace rankscope
