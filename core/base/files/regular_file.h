// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files/file.h"

#include <cstdint>

namespace rankscope {

struct RegularFile {
    UniqueFd fd;
    std::uint64_t bytes = 0; ///< when it was opened
};

/// Opens to read. A folder, FIFO or device is an error; a FIFO does not hang the caller. Links are followed.
Result<RegularFile> openRegularFile(const std::filesystem::path& path);

} // namespace rankscope
