// SPDX-License-Identifier: Apache-2.0
#include "core/launch/prepare/disk_space.h"

#include <algorithm>
#include <system_error>

namespace rankscope::launch {

std::int64_t freeSpaceFor(std::filesystem::path folder) {
    std::error_code ec;
    folder = std::filesystem::absolute(folder, ec);
    while (!std::filesystem::exists(folder, ec) && folder.has_relative_path())
        folder = folder.parent_path(); // the launch will create it
    const auto space = std::filesystem::space(folder, ec);
    return ec ? -1 : static_cast<std::int64_t>(std::min<std::uintmax_t>(space.available, INT64_MAX));
}

std::optional<plan::Blocker> diskBlocker(const plan::DiskPlan& disk) {
    if (disk.available < 0 || disk.needed <= disk.available)
        return std::nullopt;
    return plan::Blocker{false,
                         "disk",
                         "",
                         {"{}: the run needs at least {}, but only {} are free", disk.folder, ByteSize{disk.needed},
                          ByteSize{disk.available}}};
}

} // namespace rankscope::launch
