// SPDX-License-Identifier: Apache-2.0
#include "core/launch/recording/run_info_reserve.h"

#include "core/base/files/guarded_folder.h"
#include "core/base/values/result.h"
#include "core/telemetry/format/mapped_page.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <span>
#include <utility>

namespace rankscope::launch {

static std::filesystem::path fileIn(const RunPaths& run) {
    return run.dir / ".run.json.reserved";
}

void RunInfoReserve::removeLeftOver(const RunPaths& run) {
    ::unlink(fileIn(run).c_str());
}

Result<RunInfoReserve> RunInfoReserve::make(const RunPaths& run, std::size_t bytes) {
    std::string file = fileIn(run).string();
    UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd || ::fchmod(fd.get(), 0600) != 0)
        return tl::unexpected(systemError("reserve room for", run.runJson().string(), errno));
    RunInfoReserve reserve(std::move(fd), std::move(file));
    RS_TRY(telemetry::reserve(reserve.m_fd.get(), bytes, run.runJson()));
    return reserve;
}

RunInfoReserve::RunInfoReserve(RunInfoReserve&& other) noexcept
    : m_fd(std::move(other.m_fd)), m_file(std::exchange(other.m_file, {})) {}

RunInfoReserve::~RunInfoReserve() {
    if (!m_file.empty() && isInPlace())
        ::unlink(m_file.c_str());
}

/// Returns whether the path still names the file that make() created, and it was neither removed nor replaced.
bool RunInfoReserve::isInPlace() const {
    struct stat made {
    }, named{};
    return ::fstat(m_fd.get(), &made) == 0 && ::lstat(m_file.c_str(), &named) == 0 && made.st_dev == named.st_dev &&
           made.st_ino == named.st_ino;
}

Result<void> RunInfoReserve::write(const RunPaths& run, std::string_view text) {
    const std::string where = run.runJson().string();
    if (!isInPlace())
        return fail(Errc::NotFound, "was removed or replaced by another program", m_file);
    if (!telemetry::writeAt(m_fd.get(), std::as_bytes(std::span(text)), 0) ||
        ::ftruncate(m_fd.get(), static_cast<off_t>(text.size())) != 0 || ::fsync(m_fd.get()) != 0)
        return tl::unexpected(systemError("write", where, errno));
    if (::rename(m_file.c_str(), where.c_str()) != 0)
        return tl::unexpected(systemError("replace", where, errno));
    m_file.clear();
    return GuardedFolder::open(run.dir).and_then([](const GuardedFolder& folder) { return folder.sync(); });
}

} // namespace rankscope::launch
