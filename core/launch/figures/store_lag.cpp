// SPDX-License-Identifier: Apache-2.0
#include "core/launch/figures/store_lag.h"

#include "core/base/files/unique_fd.h"
#include "core/launch/run/run_folder.h"

#include <fcntl.h>

#include <cerrno>
#include <system_error>

namespace rankscope::launch {

static std::int64_t freeBytesAt(const std::filesystem::path& dir) {
    std::error_code ec;
    const auto space = std::filesystem::space(dir, ec);
    return ec || space.available > static_cast<std::uintmax_t>(INT64_MAX) ? -1
                                                                          : static_cast<std::int64_t>(space.available);
}

/// Opens an existing file to find out: if the kernel stops writing after a disk error, the mount's flags do not show
/// it.
static bool isReadOnly(const RunPaths& run) {
    const UniqueFd control(::open(run.control().c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    return !control && errno == EROFS;
}

std::optional<StoreLag> storeLag(const RunPaths& run, const RunInfo& info, const telemetry::StoreProgress& stored,
                                 std::int64_t nowNs) {
    if (!isLive(info.state) || !seesProcesses(info))
        return std::nullopt;
    StoreLag lag;
    lag.sinceNs = stored.atNs;
    if (info.supervisor == SupervisorLife::Stopped) {
        lag.reason = StoreLag::Reason::SupervisorStopped;
    } else if (!stored.trouble.empty()) {
        lag.reason = StoreLag::Reason::CannotWrite;
        lag.trouble = stored.trouble;
        lag.freeBytes = freeBytesAt(run.dir);
        if (lag.sinceNs == 0)
            lag.sinceNs = stored.troubleSinceNs;
    } else if (stored.atNs == 0 || nowNs - stored.atNs <= kStoreLagNs) {
        return std::nullopt;
    } else if (isReadOnly(run)) { // in this case the supervisor cannot report it
        lag.reason = StoreLag::Reason::CannotWrite;
        lag.trouble = "its file system is now read-only, as after a disk error";
    }
    return lag;
}

std::optional<StoreLag> storeLag(const RunPaths& run, const RunInfo& info, std::int64_t nowNs) {
    const auto page = telemetry::ControlPage::open(run.control());
    return storeLag(run, info, page ? page->storedUntil() : telemetry::StoreProgress{}, nowNs);
}

Message lagText(const StoreLag& lag) {
    switch (lag.reason) {
    case StoreLag::Reason::SupervisorStopped:
        return "its supervisor is stopped (SIGSTOP or Ctrl-Z)";
    case StoreLag::Reason::CannotWrite:
        return lag.freeBytes < 0 ? lag.trouble
                                 : Message("{} ({} free on that disk)", lag.trouble, ByteSize{lag.freeBytes});
    case StoreLag::Reason::Silent:
        break;
    }
    return "its supervisor is alive, but has stored nothing since";
}

} // namespace rankscope::launch
