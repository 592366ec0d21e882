// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/file.h"

#include "core/base/values/result.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <vector>

namespace rankscope {

namespace fs = std::filesystem;

/// Returns whether `path` names a file that this process already has open, as a shell's <(…) or a dash on the command
/// line does. Anything else below /dev may be a pipe that another process holds open forever, such as one in /dev/shm.
static bool isOpenAlready(const fs::path& path) {
    const std::string name = path.string();
    return name == "/dev/stdin" || name.starts_with("/dev/fd/");
}

Result<std::string> readFile(const fs::path& path, std::size_t limit) {
    // without O_NONBLOCK, a FIFO put in place of the file would hang the caller
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd)
        return tl::unexpected(systemError("open", path.string(), errno));
    struct stat st {};
    if (::fstat(fd.get(), &st) != 0)
        return tl::unexpected(systemError("read", path.string(), errno));
    if (S_ISDIR(st.st_mode))
        return fail(Errc::BadInput, "is a folder; a file was expected", path.string());
    if (!S_ISREG(st.st_mode) && !isOpenAlready(path))
        return fail(Errc::BadInput, "is not a regular file", path.string());
    ::fcntl(fd.get(), F_SETFL, 0);
    return readAll(fd.get(), limit, path);
}

Result<std::string> readAll(int fd, std::size_t limit, const fs::path& path) {
    std::string text;
    std::array<char, 1 << 14> buffer; // not initialized: all of it that is used has been read
    for (;;) {
        const ssize_t n = ::read(fd, buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tl::unexpected(systemError("read", path.string(), errno));
        if (n == 0)
            return text;
        if (text.size() + static_cast<std::size_t>(n) > limit)
            return fail(Errc::BadInput, {"is larger than {} bytes", limit}, path.string());
        text.append(buffer.data(), static_cast<std::size_t>(n));
    }
}

Result<RegularFile> openRegularFile(const std::filesystem::path& path) {
    RegularFile file;
    file.fd = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.fd)
        return tl::unexpected(systemError("open", path.string(), errno));
    struct stat info {};
    if (::fstat(file.fd.get(), &info) != 0)
        return tl::unexpected(systemError("read", path.string(), errno));
    if (!S_ISREG(info.st_mode))
        return fail(Errc::BadInput, "is not a regular file", path.string());
    file.bytes = static_cast<std::uint64_t>(info.st_size);
    return file;
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

std::vector<fs::directory_entry> entriesOf(const fs::path& folder, std::error_code& ec) {
    std::vector<fs::directory_entry> entries;
    for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
        entries.push_back(*it);
    return entries;
}

} // namespace rankscope
