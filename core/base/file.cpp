// SPDX-License-Identifier: Apache-2.0
#include "core/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

namespace rankscope {

namespace fs = std::filesystem;

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
        reset();
        m_fd = std::exchange(other.m_fd, -1);
    }
    return *this;
}

void UniqueFd::reset() {
    if (m_fd >= 0)
        ::close(std::exchange(m_fd, -1));
}

Result<std::string> readFile(const fs::path& path, std::size_t limit) {
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd)
        return tl::unexpected(systemError("open", path.string(), errno));
    struct stat st {};
    if (::fstat(fd.get(), &st) == 0 && S_ISDIR(st.st_mode))
        return fail(Errc::BadInput, "is a folder, a file was expected", path.string());
    std::string text;
    std::vector<char> buffer(1 << 16);
    for (;;) {
        const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tl::unexpected(systemError("read", path.string(), errno));
        if (n == 0)
            return text;
        if (text.size() + static_cast<std::size_t>(n) > limit)
            return fail(Errc::BadInput, fmt::format("is larger than {} bytes", limit), path.string());
        text.append(buffer.data(), static_cast<std::size_t>(n));
    }
}

static Result<void> writeAll(int fd, std::string_view bytes, const fs::path& path) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tl::unexpected(systemError("write", path.string(), errno));
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
}

static void syncFolder(const fs::path& folder) {
    UniqueFd fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd)
        ::fsync(fd.get()); // a file system that cannot sync a folder has nothing better to offer
}

Result<void> writeFileAtomic(const fs::path& path, std::string_view bytes, unsigned mode) {
    // through a link, the file that it names is replaced, not the link
    std::error_code ec;
    const bool link = fs::is_symlink(path, ec); // sets ec when there is no file yet, which is fine
    ec.clear();
    const fs::path target = link ? fs::canonical(path, ec) : path;
    if (ec)
        return fail(Errc::NotFound, "is a link that leads nowhere", path.string());
    struct stat st {};
    if (::stat(target.c_str(), &st) == 0)
        mode = st.st_mode & 07777;
    std::string aside = (target.parent_path() / ("." + target.filename().string() + ".XXXXXX")).string();
    UniqueFd fd(::mkostemp(aside.data(), O_CLOEXEC));
    if (!fd)
        return tl::unexpected(systemError("write beside", path.string(), errno));
    auto abandon = [&](Error e) -> Result<void> {
        ::unlink(aside.c_str());
        return tl::unexpected(std::move(e));
    };
    if (auto written = writeAll(fd.get(), bytes, path); !written)
        return abandon(written.error());
    if (::fchmod(fd.get(), mode) != 0 || ::fsync(fd.get()) != 0)
        return abandon(systemError("write", path.string(), errno));
    if (::rename(aside.c_str(), target.c_str()) != 0)
        return abandon(systemError("replace", path.string(), errno));
    syncFolder(target.parent_path());
    return {};
}

Result<void> makePrivateDirs(const fs::path& path) {
    fs::path built;
    for (const auto& part : path) {
        built /= part;
        if (::mkdir(built.c_str(), 0700) != 0 && errno != EEXIST && errno != EISDIR) {
            const int e = errno;
            std::error_code ec;
            if (!fs::is_directory(built, ec))
                return tl::unexpected(systemError("create folder", built.string(), e));
        }
    }
    std::error_code ec;
    if (!fs::is_directory(path, ec))
        return fail(Errc::BadInput, "is not a folder", path.string());
    return {};
}

} // namespace rankscope
