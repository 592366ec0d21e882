// SPDX-License-Identifier: Apache-2.0
// Whether the folder of a live run is still where it was.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

namespace rankscope::launch {

/// A run whose folder was removed or renamed can save nothing any more, and nobody can find it to stop it.
class FolderWatch {
public:
    /// The folder as it is now is the right one.
    void begin(std::filesystem::path folder);
    /// True when for some seconds there was nothing at its place, or another folder. A disk that only gives no answer
    /// is waited for.
    bool gone(std::int64_t nowNs);

private:
    bool isThere() const;

    std::filesystem::path m_folder;
    dev_t m_device = 0;
    ino_t m_inode = 0;
    std::int64_t m_lookedNs = 0, m_missingSinceNs = 0;
};

} // namespace rankscope::launch
