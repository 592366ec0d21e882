// SPDX-License-Identifier: Apache-2.0
// Tar files that the tests of the data layer generate.
#pragma once

#include <archive_entry.h>

#include <string>
#include <vector>

namespace rankscope::test {

struct Member {
    std::string name, content; ///< content of a link: its target
    unsigned type = AE_IFREG;
};

enum class Tar { Ustar, Pax, Gnu };

/// Aborts if the file cannot be written, because the test would prove nothing.
void writeTar(const std::string& path, const std::vector<Member>& members, Tar format = Tar::Ustar, bool gzip = false);

} // namespace rankscope::test
