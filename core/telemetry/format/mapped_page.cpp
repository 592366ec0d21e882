// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/format/mapped_page.h"

#include "core/base/files/atomic_file.h"
#include "core/base/values/result.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <new>

namespace rankscope::telemetry {

namespace fs = std::filesystem;

Mapping& Mapping::operator=(Mapping&& other) noexcept {
    if (this != &other) {
        reset();
        m_base = std::exchange(other.m_base, nullptr);
        m_size = std::exchange(other.m_size, 0);
    }
    return *this;
}

void Mapping::reset() {
    if (m_base)
        ::munmap(std::exchange(m_base, nullptr), std::exchange(m_size, 0));
}

Result<Mapping> Mapping::ofFile(int fd, std::size_t size, const fs::path& path) {
    void* base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED)
        return tl::unexpected(systemError("map into memory", path.string(), errno));
    Mapping mapping;
    mapping.m_base = static_cast<std::byte*>(base);
    mapping.m_size = size;
    return mapping;
}

Mapping Mapping::anonymous(std::size_t size) {
    void* base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        throw std::bad_alloc();
    Mapping mapping;
    mapping.m_base = static_cast<std::byte*>(base);
    mapping.m_size = size;
    return mapping;
}

namespace {

/// Beyond the user's limit for the size of a file, the kernel sends the calling thread a SIGXFSZ, which ends the
/// program unless it is ignored. None arrives during the lifetime of this object.
class FileSizeSignalBlocked {
public:
    FileSizeSignalBlocked() {
        sigset_t pending;
        sigemptyset(&m_signal);
        sigaddset(&m_signal, SIGXFSZ);
        ::sigpending(&pending);
        m_wasPending = sigismember(&pending, SIGXFSZ) == 1;
        ::pthread_sigmask(SIG_BLOCK, &m_signal, &m_before);
    }
    ~FileSizeSignalBlocked() {
        const timespec now{};
        if (!m_wasPending)
            ::sigtimedwait(&m_signal, nullptr, &now);
        ::pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }
    FileSizeSignalBlocked(const FileSizeSignalBlocked&) = delete;
    FileSizeSignalBlocked& operator=(const FileSizeSignalBlocked&) = delete;

private:
    sigset_t m_signal{}, m_before{};
    bool m_wasPending = false;
};

} // namespace

Result<void> reserve(int fd, std::size_t size, const fs::path& path) {
    const FileSizeSignalBlocked blocked;
    int e = 0;
    do {
        e = ::posix_fallocate(fd, 0, static_cast<off_t>(size));
    } while (e == EINTR);
    if (e == EFBIG) // the user's file size limit has the effect of a full disk
        e = ENOSPC;
    if (e != 0)
        return tl::unexpected(systemError("reserve space", path.string(), e));
    return {};
}

bool writeAt(int fd, std::span<const std::byte> bytes, std::size_t offset) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t n = ::pwrite(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

Result<UniqueFd> createPage(const fs::path& path, std::span<const std::byte> content, GuardedFolder::Depth depth) {
    RS_TRY_ASSIGN(auto file, AtomicFile::createInRun(path, depth));
    file.write(content.data(), content.size());
    return file.commitOpen();
}

Result<UniqueFd> openForeign(const fs::path& path, std::size_t size, GuardedFolder::Depth depth) {
    RS_TRY_ASSIGN(auto file, openRunFile(path, depth));
    if (file.bytes < size)
        return fail(Errc::Malformed, {"has {} bytes; at least {} were expected", file.bytes, size}, path.string());
    return std::move(file.fd);
}

std::ptrdiff_t readAt(int fd, void* buffer, std::size_t size, std::size_t offset) {
    std::size_t done = 0;
    while (done < size) {
        const ssize_t n =
            ::pread(fd, static_cast<char*>(buffer) + done, size - done, static_cast<off_t>(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += static_cast<std::size_t>(n);
    }
    return static_cast<std::ptrdiff_t>(done);
}

} // namespace rankscope::telemetry
