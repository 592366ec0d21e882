// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/guarded_folder.h"

#include "core/base/values/result.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <string_view>

namespace rankscope {

namespace fs = std::filesystem;

static bool isLinkAt(int folder, const std::string& name) {
    struct stat st {};
    return ::fstatat(folder, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

static tl::unexpected<Error> isALink(const fs::path& path) {
    return fail(Errc::Malformed, "is a link; links in a run folder are not followed", path.string());
}

Result<GuardedFolder> GuardedFolder::open(const fs::path& folder, Depth depth) {
    fs::path root = folder.has_filename() ? folder : folder.parent_path(); // "dir/" is dir
    std::vector<std::string> below;
    for (int i = 0; i < depth && root.has_relative_path(); ++i) {
        below.push_back(root.filename().string());
        root = root.parent_path();
    }
    UniqueFd fd(::open(root.empty() ? "." : root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!fd)
        return tl::unexpected(systemError("open", folder.string(), errno));
    GuardedFolder at(std::move(fd), std::move(root));
    for (; !below.empty(); below.pop_back()) {
        auto next = at.folder(below.back());
        if (!next)
            return next;
        at = std::move(*next);
    }
    return at;
}

Result<GuardedFolder> GuardedFolder::folder(const std::string& name) const {
    UniqueFd fd(::openat(m_fd.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (fd)
        return GuardedFolder(std::move(fd), m_path / name);
    const int e = errno;
    if (isLinkAt(m_fd.get(), name))
        return isALink(m_path / name);
    return tl::unexpected(systemError("open", (m_path / name).string(), e));
}

Result<GuardedFolder> GuardedFolder::makeFolder(const std::string& name) const {
    if (::mkdirat(m_fd.get(), name.c_str(), 0700) != 0 && errno != EEXIST)
        return tl::unexpected(systemError("create", (m_path / name).string(), errno));
    return folder(name);
}

Result<RegularFile> GuardedFolder::openFile(const std::string& name, int flags) const {
    const fs::path path = m_path / name;
    // O_NONBLOCK: a FIFO of that name must not block; O_NOCTTY: a terminal must not become the controlling one
    constexpr int kGuarded = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    RegularFile file;
    file.fd = UniqueFd(::openat(m_fd.get(), name.c_str(), flags | kGuarded, 0600));
    if (!file.fd && errno == ELOOP)
        return isALink(path);
    if (!file.fd && errno == ENXIO) // a FIFO without a reader, or a socket
        return fail(Errc::Malformed, "is not a regular file", path.string());
    struct stat st {};
    if (!file.fd || ::fstat(file.fd.get(), &st) != 0)
        return tl::unexpected(systemError("open", path.string(), errno));
    if (!S_ISREG(st.st_mode))
        return fail(Errc::Malformed,
                    S_ISDIR(st.st_mode) ? Message("is a folder; a file was expected")
                                        : Message("is not a regular file"),
                    path.string());
    ::fcntl(file.fd.get(), F_SETFL, flags); // reads and writes may block again
    file.bytes = static_cast<std::uint64_t>(st.st_size);
    return file;
}

std::vector<std::string> GuardedFolder::names(std::error_code& ec) const {
    std::vector<std::string> found;
    UniqueFd fd(::openat(m_fd.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::unique_ptr<DIR, int (*)(DIR*)> dir(fd ? ::fdopendir(fd.get()) : nullptr, ::closedir);
    if (!dir) {
        ec.assign(errno, std::generic_category());
        return found;
    }
    fd.release(); // now owned by the DIR
    ec.clear();
    for (errno = 0; const dirent* entry = ::readdir(dir.get()); errno = 0)
        if (const std::string_view name = entry->d_name; name != "." && name != "..")
            found.emplace_back(name);
    if (errno != 0)
        ec.assign(errno, std::generic_category());
    return found;
}

std::optional<unsigned> GuardedFolder::modeOf(const std::string& name) const {
    struct stat st {};
    if (::fstatat(m_fd.get(), name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
        return std::nullopt;
    return st.st_mode & 07777u;
}

bool GuardedFolder::hasFile(const std::string& name) const {
    return modeOf(name).has_value();
}

Result<void> GuardedFolder::removeFile(const std::string& name) const {
    if (hasFile(name) && ::unlinkat(m_fd.get(), name.c_str(), 0) != 0 && errno != ENOENT)
        return tl::unexpected(systemError("remove", (m_path / name).string(), errno));
    return {};
}

static std::string randomLetters() {
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    std::array<unsigned char, 6> random{};
    [[maybe_unused]] const ssize_t n = ::getrandom(random.data(), random.size(), 0); // so few bytes always come whole
    std::string letters;
    for (const unsigned char byte : random)
        letters += kLetters[byte % kLetters.size()];
    return letters;
}

Result<GuardedFolder::NewFile> GuardedFolder::createAside(const std::string& name) const {
    constexpr int kTries = 100;
    for (int i = 0;; ++i) {
        std::string aside = fmt::format(".{}.{}.part", name, randomLetters());
        UniqueFd fd(::openat(m_fd.get(), aside.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (fd)
            return NewFile{std::move(fd), std::move(aside)};
        if (errno != EEXIST || i == kTries)
            return tl::unexpected(systemError("create a file next to it", (m_path / name).string(), errno));
    }
}

Result<void> GuardedFolder::renameFile(const std::string& from, const std::string& to) const {
    if (::renameat(m_fd.get(), from.c_str(), m_fd.get(), to.c_str()) != 0)
        return tl::unexpected(systemError("replace", (m_path / to).string(), errno));
    return {};
}

Result<void> GuardedFolder::linkFile(const std::string& from, const std::string& to) const {
    if (::linkat(m_fd.get(), from.c_str(), m_fd.get(), to.c_str(), 0) != 0)
        return tl::unexpected(systemError("create", (m_path / to).string(), errno));
    return {};
}

Result<void> GuardedFolder::sync() const {
    const UniqueFd fd(::openat(m_fd.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // not an error: a folder that may be written but not read, and a file system that cannot sync folders
    if (fd && ::fsync(fd.get()) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
        return tl::unexpected(systemError("sync the folder", m_path.string(), errno));
    return {};
}

Result<RegularFile> openRunFile(const fs::path& file, GuardedFolder::Depth depth, int flags) {
    RS_TRY_ASSIGN(const auto folder,
                  GuardedFolder::open(file.has_parent_path() ? file.parent_path() : fs::path("."), depth));
    return folder.openFile(file.filename().string(), flags);
}

Result<std::string> readRunFile(const fs::path& file, std::size_t limit, GuardedFolder::Depth depth) {
    RS_TRY_ASSIGN(const auto opened, openRunFile(file, depth));
    return readAll(opened.fd.get(), limit, file);
}

} // namespace rankscope
