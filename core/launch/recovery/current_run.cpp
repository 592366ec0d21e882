// SPDX-License-Identifier: Apache-2.0
#include "core/launch/recovery/current_run.h"

#include "core/base/values/result.h"
#include "core/launch/recording/journal_drain.h"
#include "core/launch/recovery/run_recovery.h"
#include "core/launch/run/run_folder.h"
#include "core/store/open/open_store.h"

namespace rankscope::launch {

static bool isOfTheStore(const NotCurrent& missing) {
    return missing.why.code == Errc::Malformed || missing.why.code == Errc::Unsupported;
}

/// Returns the files to move away. Once a damaged log is gone, the store is at its last checkpoint, and the journals
/// continue from there.
static std::string filesInTheWay(const RunPaths& run) {
    const auto store = store::OpenStore::open(run.store());
    if (store && (*store)->condition().newerSchema > 0)
        return {};
    if (store && (*store)->condition().log == store::StoreHealth::LogState::Torn &&
        (*store)->condition().tables.empty() && (*store)->condition().missingPages == 0)
        return "run.sqlite-wal";
    return "run.sqlite, run.sqlite-wal and run.sqlite-shm";
}

Result<CurrentRun> currentRun(const RunPaths& run) {
    const auto recovered = recover(run);
    RS_TRY_ASSIGN(auto info, readRunInfo(run));
    CurrentRun current{std::move(info), std::nullopt};
    if (recovered)
        return current;
    current.missing = NotCurrent{recovered.error(), hasJournals(run), {}};
    if (current.missing->journals && isOfTheStore(*current.missing))
        current.missing->inTheWay = filesInTheWay(run);
    return current;
}

std::string_view reasonName(const NotCurrent& missing) {
    switch (missing.why.code) {
    case Errc::NoSpace:
        return "no_space";
    case Errc::Permission:
        return "not_writable";
    case Errc::Malformed:
    case Errc::Unsupported:
        return "store";
    case Errc::Busy:
        return "busy";
    default:
        return "other";
    }
}

/// Returns what is missing and why.
static Message whatIsMissing(const NotCurrent& missing) {
    const Message why = missing.why.asMessage();
    return missing.journals ? Message("the latest measurements of its ranks are only in their journals ({})", why)
                            : Message("how it ended could not be recorded ({})", why);
}

Message missingText(const NotCurrent& missing) {
    const Message what = whatIsMissing(missing);
    if (!missing.inTheWay.empty())
        return {"{}: move {} out of the folder; 'rankscopectl show' then reads the journals", what, missing.inTheWay};
    switch (missing.why.code) {
    case Errc::NoSpace:
        return {"{}: once there is space, 'rankscopectl show' brings it up to date", what};
    case Errc::Permission:
        return {"{}: copy the folder to a place where you can write; 'rankscopectl show' then brings the copy up to "
                "date",
                what};
    case Errc::Busy:
        return {"{}: try again later", what};
    default:
        return what;
    }
}

} // namespace rankscope::launch
