// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

namespace rankscope::launch {

/// Watches the folder of a run. If the folder was removed or renamed, the run can no longer save anything, and it can
/// neither be found nor stopped.
class FolderWatch {
public:
    /// Remembers which folder the path names now.
    void begin(std::filesystem::path folder);
    /// Returns whether the path has named nothing, or another folder, for some seconds. A disk that merely does not
    /// answer does not count.
    bool gone(std::int64_t nowNs);

private:
    bool isThere() const;

    std::filesystem::path m_folder;
    dev_t m_device = 0;
    ino_t m_inode = 0;
    std::int64_t m_lookedNs = 0, m_missingSinceNs = 0;
};

} // namespace rankscope::launch
