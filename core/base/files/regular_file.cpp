// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace rankscope {

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

} // namespace rankscope
