// SPDX-License-Identifier: Apache-2.0
#include "core/launch/figures/store_lag.h"

#include "core/base/text/unit_format.h"
#include "core/launch/run/run_folder.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <system_error>

namespace rankscope::launch {

static std::int64_t freeBytesAt(const std::filesystem::path& dir) {
    std::error_code ec;
    const auto space = std::filesystem::space(dir, ec);
    return ec || space.available > static_cast<std::uintmax_t>(INT64_MAX) ? -1
                                                                          : static_cast<std::int64_t>(space.available);
}

static bool isReadOnly(const std::filesystem::path& dir) {
    struct statvfs fs {};
    return ::statvfs(dir.c_str(), &fs) == 0 && (fs.f_flag & ST_RDONLY) != 0;
}

std::optional<StoreLag> storeLag(const RunPaths& run, const RunInfo& info, const telemetry::StoredUntil& stored,
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
    } else if (isReadOnly(run.dir)) { // then the supervisor cannot say so
        lag.reason = StoreLag::Reason::CannotWrite;
        lag.trouble = "its file system is read-only now, as after an error of the disk";
    }
    return lag;
}

std::optional<StoreLag> storeLag(const RunPaths& run, const RunInfo& info, std::int64_t nowNs) {
    const auto page = telemetry::ControlPage::open(run.control());
    return storeLag(run, info, page ? page->storedUntil() : telemetry::StoredUntil{}, nowNs);
}

std::string lagText(const StoreLag& lag) {
    switch (lag.reason) {
    case StoreLag::Reason::SupervisorStopped:
        return "its supervisor is stopped (SIGSTOP or Ctrl-Z)";
    case StoreLag::Reason::CannotWrite:
        return lag.freeBytes < 0 ? lag.trouble
                                 : fmt::format("{} ({} free on that disk)", lag.trouble, formatBytes(lag.freeBytes));
    case StoreLag::Reason::Silent:
        break;
    }
    return "its supervisor lives and has stored nothing since";
}

} // namespace rankscope::launch
