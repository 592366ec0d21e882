// SPDX-License-Identifier: Apache-2.0
#include "core/launch/run/end_reason.h"

#include "core/telemetry/format/limits.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

namespace rankscope::launch {

static constexpr std::array<std::string_view, 14> kEndKindNames{
    "none",      "killed",          "out_of_memory",     "crashed", "refused",
    "exited",    "supervisor_lost", "machine_restarted", "copied",  "folder_removed",
    "disk_full", "weights_differ",  "not_finite",        "other"};
static_assert(kEndKindNames.size() == static_cast<std::size_t>(EndKind::Other) + 1);

std::string_view endKindName(EndKind kind) {
    return kEndKindNames[std::min(static_cast<std::size_t>(kind), kEndKindNames.size() - 1)];
}

namespace {

EndKind kindNamed(std::string_view name) {
    const auto at = std::find(kEndKindNames.begin(), kEndKindNames.end(), name);
    return at == kEndKindNames.end() ? EndKind::Other : static_cast<EndKind>(at - kEndKindNames.begin());
}

using KindOfWords = std::pair<std::string_view, EndKind>;

/// In sentences that begin with a rank; the first that occurs counts. A full disk is the reason, no matter how the rank
/// that met it ended.
constexpr KindOfWords kOfARank[]{{"because the disk or quota is full", EndKind::DiskFull},
                                 {"No space left on device", EndKind::DiskFull},
                                 {"Disk quota exceeded", EndKind::DiskFull},
                                 {"for want of memory", EndKind::OutOfMemory},
                                 {"ran out of memory", EndKind::OutOfMemory},
                                 {"ended with SIGKILL", EndKind::Killed},
                                 {"ended with SIG", EndKind::Crashed},
                                 {"ended with signal ", EndKind::Crashed},
                                 {"cannot train with this", EndKind::Refused},
                                 {"", EndKind::Exited}};

/// At the beginning of all others.
constexpr KindOfWords kOfTheRun[]{{"the loss has been NaN since step ", EndKind::NotFinite},
                                  {"the weights have been NaN since step ", EndKind::NotFinite},
                                  {"its supervisor was lost (killed)", EndKind::SupervisorLost},
                                  {"its supervisor was lost", EndKind::MachineRestarted},
                                  {"this folder is a copy of a run", EndKind::Copied},
                                  {"the run's folder ", EndKind::FolderRemoved},
                                  {"the ranks hold different weights", EndKind::WeightsDiffer},
                                  {"finished", EndKind::None},
                                  {"stopped ", EndKind::None},
                                  {"from ", EndKind::None}, // imported
                                  {"", EndKind::Other}};

/// Returns the number behind the first of these words; -1: there is none.
template <class Number> Number numberBehind(std::string_view text, std::string_view words) {
    Number number = -1;
    if (const auto at = text.find(words); at != text.npos)
        std::from_chars(text.data() + at + words.size(), text.data() + text.size(), number);
    return number;
}

EndReason reasonOfSentence(std::string_view cause) {
    EndReason reason;
    if (cause.empty())
        return reason;
    if (cause.starts_with("rank "))
        reason.rank = numberBehind<int>(cause, "rank ");
    const bool ofARank = reason.rank >= 0;
    for (const auto& [words, kind] : ofARank ? std::span<const KindOfWords>(kOfARank) : kOfTheRun)
        if (ofARank ? cause.find(words) != cause.npos : cause.starts_with(words)) {
            reason.kind = kind;
            break;
        }
    reason.step = numberBehind<std::int64_t>(cause, " step ");
    return reason;
}

} // namespace

EndReason readReason(std::string_view kind, int rank, std::int64_t step, std::string_view cause, int worldSize) {
    EndReason reason = kind.empty() ? reasonOfSentence(cause) : EndReason{kindNamed(kind), rank, step};
    if (reason.rank < 0 || reason.rank >= worldSize)
        reason.rank = -1;
    if (reason.step < 0 || reason.step > telemetry::kMaxStep)
        reason.step = -1;
    return reason;
}

} // namespace rankscope::launch
