// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".part";
constexpr std::size_t kLetters = 6; ///< chosen by mkostemps

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

bool isSpecialFile(const fs::path& path) {
    std::error_code ec;
    const fs::file_status status = fs::status(path, ec);
    return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

Result<AtomicFile> AtomicFile::create(const fs::path& path, unsigned mode) {
    if (isSpecialFile(path)) // before following the link: the target of /dev/stdout may have no name
        return createInto(path);
    std::error_code ec;
    const bool link = fs::is_symlink(path, ec); // sets ec when there is no file yet, which is fine
    ec.clear();
    const fs::path target = link ? fs::canonical(path, ec) : path;
    if (ec)
        return fail(Errc::NotFound, "is a broken link", path.string());
    return createAside(target, mode);
}

Result<AtomicFile> AtomicFile::createInRun(const fs::path& path) {
    return createAside(path, 0600);
}

Result<AtomicFile> AtomicFile::createAside(const fs::path& target, unsigned mode) {
    std::error_code ec;
    if (fs::symlink_status(target, ec).type() == fs::file_type::directory)
        return fail(Errc::BadInput, "is a folder; a file was expected", target.string());
    const std::string name = fmt::format(".{}.XXXXXX{}", target.filename().string(), kSuffix);
    std::string beside = (target.parent_path() / name).string();
    const int fd = ::mkostemps(beside.data(), static_cast<int>(kSuffix.size()), O_CLOEXEC);
    if (fd < 0)
        return tl::unexpected(systemError("create a file next to it", target.string(), errno));
    return AtomicFile(target, std::move(beside), fd, mode);
}

Result<AtomicFile> AtomicFile::createInto(const fs::path& special) {
    std::error_code ec;
    if (fs::is_block_file(special, ec))
        return fail(Errc::BadInput, "is a block device; a file was expected", special.string());
    // O_NONBLOCK: a pipe without a reader is an error instead of a wait
    UniqueFd fd(::open(special.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!fd && errno == ENXIO)
        return fail(Errc::BadInput, "is not a regular file, and no process reads from it", special.string());
    if (!fd)
        return tl::unexpected(systemError("write", special.string(), errno));
    ::fcntl(fd.get(), F_SETFL, 0);
    return AtomicFile(special, {}, fd.release(), 0);
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
    if (writesInto()) {
        m_fd.reset();
        return m_errno == 0 ? Result<void>() : tl::unexpected(systemError("write", m_target.string(), m_errno));
    }
    struct stat old {};
    const bool there = ::lstat(m_target.c_str(), &old) == 0 && S_ISREG(old.st_mode);
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
    // not an error: a folder that may be written but not read, and a file system that cannot sync folders
    if (fd && ::fsync(fd.get()) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
        return tl::unexpected(systemError("sync the folder", folder.string(), errno));
    return {};
}

} // namespace rankscope
