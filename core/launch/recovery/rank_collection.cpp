// SPDX-License-Identifier: Apache-2.0
#include "core/launch/recovery/rank_collection.h"

#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/result.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe.h"
#include "core/diagnosis/evidence/cause_finder.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/process/run_outcome.h"
#include "core/launch/process/training_verdict.h"
#include "core/launch/recording/program_recipe.h"
#include "core/launch/recording/run_creation.h"
#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"
#include "core/store/write/run_writer.h"
#include "core/telemetry/format/limits.h"
#include "core/telemetry/format/records.h"
#include "core/telemetry/journal/journal_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>

namespace rankscope::launch {

namespace fs = std::filesystem;
using namespace telemetry;

namespace {

constexpr std::size_t kRecordsPerRound = 8192;       ///< per rank: bounds memory and the length of a transaction
constexpr std::size_t kCollectivesLookedAt = 20'000; ///< per rank: enough to distinguish clocks

/// One rank's journal, and what it says about itself.
struct RankFolder {
    fs::path dir;
    AnchorRecord anchor;
    ClockEvidence evidence;
    std::int64_t offsetNs = 0;
};

bool plausible(std::int64_t ns) {
    return ns > -kMostNs && ns < kMostNs;
}

std::optional<int> rankOfFolder(const fs::path& dir) {
    const std::string name = dir.filename().string();
    int rank = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
    const bool whole = error == std::errc() && end == name.data() + name.size();
    return whole && rank >= 0 && rank < kMaxRanks ? std::optional(rank) : std::nullopt;
}

void scanRecord(const AnyRecord& record, RankFolder& found, bool& anchored) {
    const auto* anchor = record.as<AnchorRecord>();
    if (anchor && (!anchored || anchor->monotonicNs == found.anchor.monotonicNs)) {
        anchored = true;
        found.anchor = *anchor;
        found.evidence.rank = anchor->rank;
        found.evidence.host = getText(anchor->host, sizeof anchor->host);
        found.evidence.monotonicNs = anchor->monotonicNs;
        found.evidence.realtimeNs = anchor->realtimeNs;
    } else if (const auto* c = record.as<CollectiveRecord>();
               c && !c->failed && synchronises(c->op) && plausible(c->arrivedNs) && plausible(c->doneNs)) {
        found.evidence.collectives[{c->group, c->sequence}] = {c->arrivedNs, c->doneNs};
    }
}

/// Reads the beginning of a rank's journal. If the rank was started again, a later attempt continues in the same file:
/// the anchors of the first process count, of which the last one says most.
Result<RankFolder> readBeginning(const fs::path& dir, int rank) {
    RankFolder found{dir, {}, {}, 0};
    bool anchored = false;
    JournalReader reader(dir);
    std::vector<AnyRecord> records;
    while (found.evidence.collectives.size() < kCollectivesLookedAt &&
           reader.read(records, kRecordsPerRound, true) > 0) {
        for (const AnyRecord& record : records)
            scanRecord(record, found, anchored);
        records.clear();
    }
    const AnchorRecord& a = found.anchor;
    if (!anchored)
        return fail(Errc::Malformed, "has no journal that starts like a rank's journal", dir.string());
    if (a.rank != rank || a.worldSize < 1 || a.worldSize > kMaxRanks || rank >= a.worldSize)
        return fail(Errc::Malformed,
                    {"its journal claims to be from rank {} of {}: it is damaged", a.rank, a.worldSize}, dir.string());
    if (a.monotonicNs < 0 || a.monotonicNs > kMostNs || a.realtimeNs < 0 || a.realtimeNs > kLatestRealtimeNs)
        return fail(Errc::Malformed,
                    {"its journal claims a start {} ns after boot and {} ns after 1970: it is damaged, or that "
                     "machine's clock was wrong",
                     a.monotonicNs, a.realtimeNs},
                    dir.string());
    return found;
}

using RankFolders = std::map<int, RankFolder>;

/// Links in a run's folder are not followed; this error is clearer than one about a missing journal.
Result<void> checkNoLink(const fs::path& path) {
    std::error_code ec;
    if (!fs::is_symlink(path, ec))
        return {};
    return fail(Errc::BadInput, "is a link, which is not followed: give the folder that contains its target",
                path.string());
}

Result<void> readFolder(const fs::path& folder, RankFolders& ranks) {
    std::error_code ec;
    if (fs::exists(folder / "run.json", ec))
        return fail(Errc::BadInput, "is already a run: rankscopectl show reads it", folder.string());
    RS_TRY(checkNoLink(folder / "ranks"));
    bool any = false;
    for (const auto& entry : entriesOf(folder / "ranks", ec)) {
        const auto rank = rankOfFolder(entry.path());
        if (!rank)
            continue;
        RS_TRY(checkNoLink(entry.path()));
        any = true;
        RS_TRY_ASSIGN(auto found, readBeginning(entry.path(), *rank));
        const auto [at, fresh] = ranks.try_emplace(*rank, std::move(found));
        if (!fresh)
            return fail(Errc::BadInput, {"contains rank {}, but so does {}", *rank, at->second.dir.string()},
                        entry.path().string());
    }
    if (ec && ec != std::errc::no_such_file_or_directory)
        return fail(Errc::Io, {"cannot be read: {}", ec.message()}, (folder / "ranks").string());
    if (!any)
        return fail(Errc::NotFound,
                    "contains no rank (ranks/<r>/journal.*): give the folder that was passed as "
                    "--run-dir",
                    folder.string());
    return {};
}

Result<RankFolders> readFolders(const std::vector<fs::path>& folders) {
    RankFolders ranks;
    for (const fs::path& folder : folders)
        RS_TRY(readFolder(folder, ranks));
    const RankFolder& first = ranks.begin()->second;
    for (const auto& [rank, found] : ranks)
        if (found.anchor.worldSize != first.anchor.worldSize)
            return fail(Errc::BadInput,
                        {"is rank {} of {}, but {} is of {}: they belong to different runs", rank,
                         found.anchor.worldSize, first.dir.string(), first.anchor.worldSize},
                        found.dir.string());
    if (const int most = clampRankCount(ranks.size()); first.anchor.worldSize > most)
        return fail(
            Errc::BadInput,
            {"says that its run has {} ranks, but a run of at most {} can be made of the {} that were found. Give "
             "the folders of the other hosts as well",
             first.anchor.worldSize, most, ranks.size()},
            first.dir.string());
    return ranks;
}

std::int64_t startOf(const RankFolders& ranks) {
    std::int64_t start = kMostNs;
    for (const auto& [rank, found] : ranks)
        start = std::min(start, found.anchor.monotonicNs + found.offsetNs);
    return start;
}

void alignClocks(RankFolders& ranks) {
    std::vector<ClockEvidence> evidence;
    for (auto& [rank, found] : ranks)
        evidence.push_back(std::move(found.evidence));
    const auto offsets = clockOffsets(evidence);
    std::size_t i = 0;
    for (auto& [rank, found] : ranks) {
        found.evidence = {evidence[i].rank, evidence[i].host, evidence[i].monotonicNs, evidence[i].realtimeNs, {}};
        found.offsetNs = offsets[i++];
    }
    // no run may begin before its clock does: if rank 0's host started later, all times are moved to an earlier clock
    const std::int64_t before = std::min<std::int64_t>(0, startOf(ranks));
    for (auto& [rank, found] : ranks)
        found.offsetNs -= before;
}

struct CollectedRecipe {
    std::string text; ///< empty: there is none
    std::string from; ///< RunInfo::recipeFrom
};

/// Returns the given recipe, else the first one in the folders, else the first that a watched program wrote.
Result<CollectedRecipe> recipeOf(const CollectOptions& options) {
    if (!options.config.empty()) {
        RS_TRY_ASSIGN(auto text, readFile(options.config));
        return CollectedRecipe{std::move(text), {}};
    }
    for (const fs::path& folder : options.folders) {
        auto text = readRunFile(folder / "effective.yaml");
        if (!text && text.error().code != Errc::NotFound)
            return tl::unexpected(text.error());
        if (text)
            return CollectedRecipe{std::move(*text), {}};
    }
    for (const fs::path& folder : options.folders)
        if (auto reported = ProgramRecipeFile(RunPaths{folder}).changed(); reported && *reported)
            return CollectedRecipe{(*reported)->text, (*reported)->from};
    return CollectedRecipe{};
}

/// Returns the name of the recipe. A text that is no longer a valid recipe is kept nevertheless.
std::string nameOf(const std::string& recipeText) {
    const auto recipe = config::readRecipe(recipeText, "effective.yaml");
    return recipe && !recipeText.empty() && !recipe->name.empty() ? recipe->name : "collected";
}

Result<void> storeRecords(store::RunWriter& store, const RankFolders& ranks) {
    struct RecordSource {
        int rank;
        std::int64_t offsetNs;
        JournalReader reader;
        std::vector<AnyRecord> records;
    };
    std::vector<RecordSource> sources;
    for (const auto& [rank, found] : ranks)
        sources.push_back({rank, found.offsetNs, JournalReader(found.dir), {}});
    for (bool more = true; more;) {
        more = false;
        std::vector<store::RunWriter::Chunk> chunks;
        for (RecordSource& s : sources) {
            s.records.clear();
            more |= s.reader.read(s.records, kRecordsPerRound, true) > 0;
            for (AnyRecord& record : s.records)
                rebaseClock(record, s.offsetNs);
            chunks.push_back({s.rank, s.records, s.reader.position(), s.reader.counters()});
        }
        RS_TRY(store.commit(chunks, {}));
    }
    return {};
}

/// `ours`: the rank is a trainer of ours; the exit codes of other programs have no meaning.
EndKind kindOfFailure(const store::RankSummary& rank, bool ours) {
    return diagnosis::mentionsFullDisk(rank.endText)   ? EndKind::DiskFull
           : ours && rank.exitCode == kOutOfMemoryExit ? EndKind::OutOfMemory
           : ours && rank.exitCode == kRefusedExit     ? EndKind::Refused
                                                       : EndKind::Exited;
}

/// Determines how the run ended, from the last records of its ranks.
void judge(const std::vector<store::RankSummary>& ranks, RunInfo& info, bool ours) {
    const auto all = [&](EndCause cause) {
        return std::all_of(ranks.begin(), ranks.end(),
                           [cause](const auto& r) { return r.ended && r.endCause == cause; });
    };
    info.state = RunState::Failed;
    info.exitCode = 3;
    for (const auto& r : ranks)
        if (r.ended && r.endCause == EndCause::Failed) {
            info.cause = {"rank {}: {}", r.rank, r.endText};
            info.reason = {kindOfFailure(r, ours), r.rank, r.lastStep};
            return;
        }
    for (const auto& r : ranks)
        if (!r.ended) {
            info.cause = r.host.empty() ? Message("rank {} left no records", r.rank)
                                        : Message("rank {} was cut off after step {}", r.rank, r.lastStep);
            info.reason = {EndKind::Exited, r.rank, r.lastStep};
            return;
        }
    const bool equal = std::all_of(ranks.begin(), ranks.end(),
                                   [&](const auto& r) { return r.weightsHash == ranks.front().weightsHash; });
    if (all(EndCause::Finished) && !equal) {
        info.cause = "the ranks hold different weights at the end";
        info.reason = {EndKind::WeightsDiffer};
        return;
    }
    info.state = all(EndCause::Finished) ? RunState::Finished : RunState::Stopped;
    info.exitCode = all(EndCause::Finished) ? 0 : 4;
    info.cause = all(EndCause::Finished) ? Message("finished") : Message("stopped by the user");
}

std::vector<std::string> remarksOf(const RankFolders& ranks, int worldSize) {
    std::vector<std::string> remarks;
    std::vector<int> missing;
    for (int r = 0; r < worldSize; ++r)
        if (!ranks.contains(r))
            missing.push_back(r);
    if (!missing.empty())
        remarks.push_back(fmt::format("The folders hold no records of rank {}.", joinInts(missing)));
    const RankFolder& first = ranks.begin()->second;
    for (const auto& [rank, found] : ranks)
        if (const std::int64_t offset = found.offsetNs - first.offsetNs;
            offset != 0 && found.evidence.host != first.evidence.host)
            remarks.push_back(fmt::format("Rank {} ran on {}; its times were converted to the clock of {} ({}).", rank,
                                          found.evidence.host, first.evidence.host, formatDuration(std::abs(offset))));
    return remarks;
}

Result<void> fill(Collected& out, const RankFolders& ranks, bool ours) {
    RS_TRY_ASSIGN(auto store, store::RunWriter::open(out.run.store(), {out.info.id, out.info.worldSize,
                                                                       out.info.startNs, out.info.startRealtimeNs, 0}));
    RS_TRY(storeRecords(store, ranks));
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(out.run.store()));
    RS_TRY_ASSIGN(const auto summaries, reader.ranks());
    judge(summaries, out.info, ours);
    RS_TRY(judgeTraining(out.info, reader));
    std::int64_t lastNs = 0;
    for (const auto& r : summaries)
        lastNs = std::max(lastNs, r.lastNs);
    out.info.endRealtimeNs = std::min(out.info.startRealtimeNs + lastNs, kLatestRealtimeNs);
    out.remarks.push_back(
        fmt::format("The run ended: {}. It was collected from what its ranks wrote.", out.info.cause.english()));
    for (const std::string& remark : out.remarks)
        RS_TRY(store.note(NoteSeverity::Info, remark, out.info.startNs + lastNs));
    return store.finish();
}

RunInfo infoOf(const CollectOptions& options, const RankFolders& ranks, const std::string& name) {
    const RankFolder& first = ranks.begin()->second;
    RunInfo info;
    info.name = name;
    info.worldSize = first.anchor.worldSize;
    info.startNs = startOf(ranks);
    const std::int64_t firstBegan = first.anchor.monotonicNs + first.offsetNs;
    info.startRealtimeNs =
        std::clamp<std::int64_t>(first.anchor.realtimeNs - (firstBegan - info.startNs), 0, kLatestRealtimeNs);
    info.id = newRunId(name, info.startRealtimeNs);
    info.host = first.evidence.host;
    info.argv = options.argv;
    info.configPath = options.config.string();
    info.tags = {"collected"};
    return info;
}

/// Limit for the difference between two processes on one host in wall minus monotonic time: corrections of the wall
/// clock between their starts.
constexpr std::int64_t kSameClockNs = 1'000'000'000;

struct Bounds {
    std::int64_t low = INT64_MIN, high = INT64_MAX;
};

/// Returns bounds of the offset added to b's times, from the collectives that both took part in.
Bounds boundsOf(const ClockEvidence& a, const ClockEvidence& b) {
    Bounds bounds;
    for (const auto& [key, there] : b.collectives) {
        const auto here = a.collectives.find(key);
        if (here == a.collectives.end())
            continue;
        bounds.low = std::max(bounds.low, here->second.arrivedNs - there.doneNs);
        bounds.high = std::min(bounds.high, here->second.doneNs - there.arrivedNs);
    }
    return bounds;
}

std::int64_t wallMinusMonotonic(const ClockEvidence& rank) {
    return rank.realtimeNs - rank.monotonicNs;
}

std::int64_t offsetOf(const ClockEvidence& first, const ClockEvidence& other) {
    const std::int64_t byWall = wallMinusMonotonic(other) - wallMinusMonotonic(first);
    const Bounds bounds = boundsOf(first, other);
    if (bounds.low == Bounds{}.low)
        return byWall; // they have no collective in common
    return bounds.low + (bounds.high - bounds.low) / 2;
}

} // namespace

Result<Collected> collect(const CollectOptions& options) {
    RS_TRY_ASSIGN(auto ranks, readFolders(options.folders));
    RS_TRY_ASSIGN(const auto recipe, recipeOf(options));
    alignClocks(ranks);
    PreparedLaunch plan;
    plan.info = infoOf(options, ranks, nameOf(recipe.text));
    plan.info.recipeFrom = recipe.from;
    plan.run.dir = options.runsDir / plan.info.id;
    plan.configText = plan.effectiveText = recipe.text;
    for (const auto& [rank, found] : ranks)
        plan.ranks.push_back({rank, 0, {}, {}});
    RS_TRY_ASSIGN(const auto lock, createRunFolder(plan, plan.info));
    Collected out{plan.run, plan.info, remarksOf(ranks, plan.info.worldSize)};
    auto filled = fill(out, ranks, !recipe.text.empty() && recipe.from.empty());
    if (filled)
        filled = writeRunInfo(out.run, out.info);
    if (filled)
        return out;
    removeRunFolder(out.run);
    return tl::unexpected(filled.error());
}

bool synchronises(telemetry::CollectiveOp op) {
    using telemetry::CollectiveOp;
    return op == CollectiveOp::AllReduce || op == CollectiveOp::AllGather || op == CollectiveOp::Barrier ||
           op == CollectiveOp::ReduceScatter || op == CollectiveOp::AllToAll;
}

std::vector<std::int64_t> clockOffsets(std::span<const ClockEvidence> ranks) {
    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        // ranks of one host share the offset found for the first of them
        std::size_t same = 0;
        while (same < i && !(ranks[same].host == ranks[i].host &&
                             std::abs(wallMinusMonotonic(ranks[same]) - wallMinusMonotonic(ranks[i])) < kSameClockNs))
            ++same;
        offsets.push_back(same < i ? offsets[same] : i == 0 ? 0 : offsetOf(ranks[0], ranks[i]));
    }
    return offsets;
}

} // namespace rankscope::launch
