// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/directory_listing.h"

namespace rankscope {

std::vector<std::filesystem::directory_entry> entriesOf(const std::filesystem::path& folder, std::error_code& ec) {
    std::vector<std::filesystem::directory_entry> entries;
    for (std::filesystem::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
        entries.push_back(*it);
    return entries;
}

} // namespace rankscope
