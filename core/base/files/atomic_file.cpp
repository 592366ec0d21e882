// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/atomic_file.h"

#include "core/base/values/result.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

namespace rankscope {

namespace fs = std::filesystem;

AtomicFile::AtomicFile(fs::path target, std::optional<GuardedFolder> folder, GuardedFolder::NewFile aside,
                       unsigned mode)
    : m_target(std::move(target)), m_folder(std::move(folder)), m_aside(std::move(aside.name)),
      m_fd(std::move(aside.fd)), m_mode(mode) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : m_target(std::move(other.m_target)), m_folder(std::move(other.m_folder)),
      m_aside(std::exchange(other.m_aside, {})), m_fd(std::move(other.m_fd)), m_mode(other.m_mode),
      m_errno(other.m_errno) {}

AtomicFile::~AtomicFile() {
    if (!m_aside.empty())
        m_folder->removeFile(m_aside);
}

bool AtomicFile::isLeftOver(const std::string& fileName) {
    constexpr std::string_view kSuffix = ".part";
    constexpr std::size_t kLetters = 6;
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
    return createAside(target, GuardedFolder::Run, mode);
}

Result<AtomicFile> AtomicFile::createInRun(const fs::path& path, GuardedFolder::Depth depth) {
    return createAside(path, depth, 0600);
}

Result<AtomicFile> AtomicFile::createAside(const fs::path& target, GuardedFolder::Depth depth, unsigned mode) {
    std::error_code ec;
    if (fs::symlink_status(target, ec).type() == fs::file_type::directory)
        return fail(Errc::BadInput, "is a folder; a file was expected", target.string());
    auto folder = GuardedFolder::open(target.parent_path(), depth);
    if (!folder) { // the error names the file, as the caller does, unless a folder of the run is a link
        const bool link = folder.error().code == Errc::Malformed;
        return fail(folder.error().code, folder.error().what, link ? folder.error().where : target.string());
    }
    RS_TRY_ASSIGN(auto aside, folder->createAside(target.filename().string()));
    return AtomicFile(target, std::move(*folder), std::move(aside), mode);
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
    return AtomicFile(special, std::nullopt, {std::move(fd), {}}, 0);
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
    return commitOpen().map([](const UniqueFd&) {});
}

Result<UniqueFd> AtomicFile::commitOpen() {
    const std::string name = m_target.filename().string();
    if (m_errno == 0 && m_folder && ::fchmod(m_fd.get(), m_folder->modeOf(name).value_or(m_mode)) != 0)
        m_errno = errno;
    if (m_errno == 0 && m_folder && ::fsync(m_fd.get()) != 0)
        m_errno = errno;
    if (m_errno != 0)
        return tl::unexpected(systemError("write", m_target.string(), m_errno));
    if (m_folder) {
        RS_TRY(m_folder->renameFile(m_aside, name));
        m_aside.clear();
        RS_TRY(m_folder->sync());
    }
    return std::move(m_fd);
}

Result<void> writeFileAtomic(const fs::path& path, std::string_view bytes, unsigned mode) {
    RS_TRY_ASSIGN(auto file, AtomicFile::create(path, mode));
    file.write(bytes.data(), bytes.size());
    return file.commit();
}

Result<void> writeRunFile(const fs::path& file, std::string_view bytes) {
    RS_TRY_ASSIGN(auto out, AtomicFile::createInRun(file));
    out.write(bytes.data(), bytes.size());
    return out.commit();
}

} // namespace rankscope
