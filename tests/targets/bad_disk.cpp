// SPDX-License-Identifier: Apache-2.0
// To be preloaded: a disk that is slow, whose quota is used up, or that has no flock. RANKSCOPE_BAD_DISK holds
// "key=value" words:
//   sync_ms=400    each fsync and fdatasync takes this long
//   write_ms=2     each write to a file takes this long
//   quota=PATH     while PATH exists, nothing can be written: EDQUOT
//   flock=none     flock() fails with ENOSYS, as on some network file systems
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

std::string word(const char* key) {
    const char* all = std::getenv("RANKSCOPE_BAD_DISK");
    const char* at = all ? std::strstr(all, key) : nullptr;
    if (!at)
        return {};
    at += std::strlen(key);
    return std::string(at, std::strcspn(at, " "));
}

void sleepMs(const std::string& ms) {
    if (ms.empty())
        return;
    const long n = std::atol(ms.c_str());
    timespec t{n / 1000, n % 1000 * 1'000'000};
    while (::nanosleep(&t, &t) != 0 && errno == EINTR) {
    }
}

bool overQuota() {
    static const std::string path = word("quota=");
    return !path.empty() && ::access(path.c_str(), F_OK) == 0;
}

bool isFile(int fd) {
    struct stat st {};
    return ::fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

/// False: it must fail, errno is set.
bool mayWrite(int fd) {
    if (!isFile(fd))
        return true;
    static const std::string delay = word("write_ms=");
    sleepMs(delay);
    if (!overQuota())
        return true;
    errno = EDQUOT;
    return false;
}

template <class F> F real(const char* name) {
    return reinterpret_cast<F>(::dlsym(RTLD_NEXT, name));
}

int slowSync(const char* name, int fd) {
    static const std::string delay = word("sync_ms=");
    sleepMs(delay);
    return real<int (*)(int)>(name)(fd);
}

} // namespace

extern "C" {
int flock(int fd, int operation) {
    static const auto next = real<int (*)(int, int)>("flock");
    if (word("flock=") != "none")
        return next(fd, operation);
    errno = ENOSYS;
    return -1;
}
int fsync(int fd) {
    return slowSync("fsync", fd);
}
int fdatasync(int fd) {
    return slowSync("fdatasync", fd);
}
ssize_t write(int fd, const void* data, size_t size) {
    static const auto next = real<ssize_t (*)(int, const void*, size_t)>("write");
    return mayWrite(fd) ? next(fd, data, size) : -1;
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
    static const auto next = real<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
    return mayWrite(fd) ? next(fd, data, size, at) : -1;
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
    static const auto next = real<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
    return mayWrite(fd) ? next(fd, data, size, at) : -1;
}
ssize_t writev(int fd, const iovec* parts, int count) {
    static const auto next = real<ssize_t (*)(int, const iovec*, int)>("writev");
    return mayWrite(fd) ? next(fd, parts, count) : -1;
}
int posix_fallocate(int fd, off_t at, off_t size) {
    static const auto next = real<int (*)(int, off_t, off_t)>("posix_fallocate");
    return mayWrite(fd) ? next(fd, at, size) : EDQUOT;
}
int posix_fallocate64(int fd, off64_t at, off64_t size) {
    static const auto next = real<int (*)(int, off64_t, off64_t)>("posix_fallocate64");
    return mayWrite(fd) ? next(fd, at, size) : EDQUOT;
}
}
