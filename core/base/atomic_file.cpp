// SPDX-License-Identifier: Apache-2.0
#include "core/base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string_view>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".part";
constexpr std::size_t kLetters = 6; ///< that mkostemps chooses

} // namespace

AtomicFile::AtomicFile(fs::path target, std::string aside, int fd, unsigned mode)
    : m_target(std::move(target)), m_aside(std::move(aside)), m_fd(fd), m_mode(mode) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : m_target(std::move(other.m_target)), m_aside(std::exchange(other.m_aside, {})), m_fd(std::move(other.m_fd)),
      m_mode(other.m_mode), m_errno(other.m_errno) {}

AtomicFile::~AtomicFile() {
    if (!m_aside.empty())
        ::unlink(m_aside.c_str());
}

bool AtomicFile::isLeftOver(const std::string& fileName) {
    const std::string_view name = fileName;
    if (!name.starts_with('.') || !name.ends_with(kSuffix) || name.size() < 3 + kLetters + kSuffix.size())
        return false;
    return name[name.size() - kSuffix.size() - kLetters - 1] == '.';
}

Result<AtomicFile> AtomicFile::create(const fs::path& path, unsigned mode) {
    std::error_code ec;
    const bool link = fs::is_symlink(path, ec); // sets ec when there is no file yet, which is fine
    ec.clear();
    const fs::path target = link ? fs::canonical(path, ec) : path;
    if (ec)
        return fail(Errc::NotFound, "is a link that leads nowhere", path.string());
    if (fs::is_directory(target, ec))
        return fail(Errc::BadInput, "is a folder, a file was expected", path.string());
    const std::string name = fmt::format(".{}.XXXXXX{}", target.filename().string(), kSuffix);
    std::string aside = (target.parent_path() / name).string();
    const int fd = ::mkostemps(aside.data(), static_cast<int>(kSuffix.size()), O_CLOEXEC);
    if (fd < 0)
        return tl::unexpected(systemError("write beside", path.string(), errno));
    return AtomicFile(target, aside, fd, mode);
}

void AtomicFile::write(const void* data, std::size_t size) {
    const auto* p = static_cast<const char*>(data);
    while (size > 0 && m_errno == 0) {
        const ssize_t n = ::write(m_fd.get(), p, std::min<std::size_t>(size, 1u << 30));
        if (n < 0 && errno != EINTR)
            m_errno = errno;
        if (n > 0) {
            p += n;
            size -= static_cast<std::size_t>(n);
        }
    }
}

Result<void> AtomicFile::commit() {
    struct stat old {};
    const bool there = ::stat(m_target.c_str(), &old) == 0;
    if (m_errno == 0 && ::fchmod(m_fd.get(), there ? old.st_mode & 07777 : m_mode) != 0)
        m_errno = errno;
    if (m_errno == 0 && ::fsync(m_fd.get()) != 0)
        m_errno = errno;
    if (m_errno != 0)
        return tl::unexpected(systemError("write", m_target.string(), m_errno));
    if (::rename(m_aside.c_str(), m_target.c_str()) != 0)
        return tl::unexpected(systemError("replace", m_target.string(), errno));
    m_aside.clear();
    m_fd.reset();
    return syncFolder(m_target.parent_path());
}

Result<void> syncFolder(const fs::path& folder) {
    const UniqueFd fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // a folder that may be written but not read, or a file system that cannot sync one, has nothing better to offer
    if (fd && ::fsync(fd.get()) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
        return tl::unexpected(systemError("sync the folder", folder.string(), errno));
    return {};
}

} // namespace rankscope
