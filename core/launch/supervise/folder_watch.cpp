// SPDX-License-Identifier: Apache-2.0
#include "core/launch/supervise/folder_watch.h"

#include <sys/stat.h>

#include <cerrno>

namespace rankscope::launch {

static constexpr std::int64_t kEveryNs = 500'000'000;
static constexpr std::int64_t kPatienceNs = 2'000'000'000; ///< a folder that was renamed may be renamed back

void FolderWatch::begin(std::filesystem::path folder) {
    struct stat st {};
    m_folder = std::move(folder);
    if (::stat(m_folder.c_str(), &st) == 0) {
        m_device = st.st_dev;
        m_inode = st.st_ino;
    }
}

bool FolderWatch::isThere() const {
    struct stat st {};
    if (::stat(m_folder.c_str(), &st) != 0)
        return errno != ENOENT && errno != ENOTDIR;
    return st.st_dev == m_device && st.st_ino == m_inode;
}

bool FolderWatch::gone(std::int64_t nowNs) {
    if (m_inode == 0 || nowNs - m_lookedNs < kEveryNs)
        return false;
    m_lookedNs = nowNs;
    if (isThere())
        m_missingSinceNs = 0;
    else if (m_missingSinceNs == 0)
        m_missingSinceNs = nowNs;
    return m_missingSinceNs != 0 && nowNs - m_missingSinceNs >= kPatienceNs;
}

} // namespace rankscope::launch
