// SPDX-License-Identifier: Apache-2.0
// Opening read-only is not enough: a reader of a log creates its index next to it, takes locks in it, and may leave
// both. Files are opened and closed by SQLite's own VFS, which knows the other connections of this process: closing a
// file ourselves would drop their locks.
#include "core/store/sqlite/readonly_vfs.h"

#include <fcntl.h>
#include <sqlite3.h>

#include <cstring>
#include <new>
#include <string_view>

namespace rankscope::store {

namespace {

constexpr const char* kName = "rankscope-view";

struct ViewFile {
    sqlite3_file base;
    sqlite3_file* real; ///< after this struct, in the memory allocated by SQLite
};

sqlite3_vfs* below(sqlite3_vfs* vfs) {
    return static_cast<sqlite3_vfs*>(vfs->pAppData);
}

sqlite3_file* real(sqlite3_file* file) {
    return reinterpret_cast<ViewFile*>(file)->real;
}

int closeFile(sqlite3_file* file) {
    return real(file)->pMethods ? real(file)->pMethods->xClose(real(file)) : SQLITE_OK;
}
int read(sqlite3_file* file, void* to, int bytes, sqlite3_int64 at) {
    return real(file)->pMethods->xRead(real(file), to, bytes, at);
}
int write(sqlite3_file*, const void*, int, sqlite3_int64) {
    return SQLITE_READONLY;
}
int truncate(sqlite3_file*, sqlite3_int64) {
    return SQLITE_READONLY;
}
int sync(sqlite3_file*, int) {
    return SQLITE_OK;
}
int fileSize(sqlite3_file* file, sqlite3_int64* size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}
int lock(sqlite3_file*, int) {
    return SQLITE_OK;
}
int isReserved(sqlite3_file*, int* reserved) {
    *reserved = 0;
    return SQLITE_OK;
}
int control(sqlite3_file* file, int what, void* about) {
    // all other requests are for a change or a mapping of the file
    return what == SQLITE_FCNTL_LAST_ERRNO ? real(file)->pMethods->xFileControl(real(file), what, about)
                                           : SQLITE_NOTFOUND;
}
int sectorSize(sqlite3_file* file) {
    return real(file)->pMethods->xSectorSize(real(file));
}
int characteristics(sqlite3_file* file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

/// Version 1 has neither a shared index nor memory mapping.
constexpr sqlite3_io_methods kMethods{
    1,          closeFile,       read,    write,   truncate, sync,    fileSize, lock,   lock, isReserved, control,
    sectorSize, characteristics, nullptr, nullptr, nullptr,  nullptr, nullptr,  nullptr};

int openFile(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* outFlags) {
    file->pMethods = nullptr;
    if (!name || (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) == 0) {
        if (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL))
            return SQLITE_CANTOPEN;
        return below(vfs)->xOpen(below(vfs), name, file, flags, outFlags); // a temporary file, elsewhere
    }
    auto* view = new (file) ViewFile{};
    view->real = reinterpret_cast<sqlite3_file*>(view + 1);
    std::memset(view->real, 0, static_cast<std::size_t>(below(vfs)->szOsFile));
    const int readOnly =
        (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_DELETEONCLOSE | SQLITE_OPEN_EXCLUSIVE)) |
        SQLITE_OPEN_READONLY;
    const int code = below(vfs)->xOpen(below(vfs), name, view->real, readOnly, outFlags);
    if (outFlags)
        *outFlags = readOnly;
    if (code == SQLITE_OK)
        file->pMethods = &kMethods;
    else if (view->real->pMethods)
        view->real->pMethods->xClose(view->real);
    return code;
}

int access(sqlite3_vfs* vfs, const char* name, int flags, int* result) {
    const std::string_view path = name ? name : "";
    if (flags == SQLITE_ACCESS_READWRITE || path.ends_with("-journal")) {
        *result = 0; // rolling back would change the store
        return SQLITE_OK;
    }
    return below(vfs)->xAccess(below(vfs), name, flags, result);
}

/// Replaces open(2) in SQLite's own VFS. If a file is replaced by a FIFO after it was checked, opening does not wait
/// for a writer, and reading fails.
int openWithoutWaiting(const char* path, int flags, int mode) {
    return ::open(path, flags | O_NONBLOCK, mode);
}

const char* registerVfs() {
    static sqlite3_vfs view{};
    sqlite3_vfs* const base = sqlite3_vfs_find(nullptr);
    if (!base)
        return nullptr;
    if (base->iVersion >= 3 && base->xSetSystemCall)
        base->xSetSystemCall(base, "open", reinterpret_cast<sqlite3_syscall_ptr>(openWithoutWaiting));
    view.iVersion = 1;
    view.szOsFile = static_cast<int>(sizeof(ViewFile)) + base->szOsFile;
    view.mxPathname = base->mxPathname;
    view.zName = kName;
    view.pAppData = base;
    view.xOpen = openFile;
    view.xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_READONLY; };
    view.xAccess = access;
    view.xFullPathname = [](auto* vfs, auto... rest) { return below(vfs)->xFullPathname(below(vfs), rest...); };
    view.xRandomness = [](auto* vfs, auto... rest) { return below(vfs)->xRandomness(below(vfs), rest...); };
    view.xSleep = [](auto* vfs, auto... rest) { return below(vfs)->xSleep(below(vfs), rest...); };
    view.xCurrentTime = [](auto* vfs, auto... rest) { return below(vfs)->xCurrentTime(below(vfs), rest...); };
    view.xGetLastError = [](auto* vfs, auto... rest) { return below(vfs)->xGetLastError(below(vfs), rest...); };
    return sqlite3_vfs_register(&view, 0) == SQLITE_OK ? kName : nullptr;
}

} // namespace

const char* viewVfs() {
    static const char* const name = registerVfs();
    return name;
}

} // namespace rankscope::store
