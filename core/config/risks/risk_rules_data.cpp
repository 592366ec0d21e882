// SPDX-License-Identifier: Apache-2.0
#include "core/config/risks/risk_rules_data.h"

#include "core/config/yaml/scalar.h"

#include <algorithm>

namespace rankscope::config {
namespace {

constexpr double kWideDurations = 20; ///< longest / shortest
constexpr double kShortestBlock = 0.1;

bool noLimit(const RuleValues& v, const std::string& key) {
    const auto n = v.node(key);
    return !n || typeOf(*n) == Type::Null || v.number(key, 0) <= 0;
}

/// Returns each rank's share of the cores as a number of workers, 1 to 8.
std::string workersFor(const RuleValues& v) {
    const auto& machine = v.context().machine;
    const int fair = machine && v.ranks() > 0 ? machine->cores / v.ranks() : 4;
    return std::to_string(std::clamp(fair, 1, 8));
}

/// Returns whether the key `shuffle` takes effect. Lightning's DistributedSampler, used with several ranks or a DDP
/// strategy, shuffles whatever the key says.
bool ordersItself(const RuleValues& v) {
    const auto strategy = v.node("trainer.strategy");
    const bool single = v.oneRank() && !v.node("trainer.strategy._target_") &&
                        (!strategy || (strategy->isScalar() && strategy->text == "auto"));
    return v.isTrue("model.train_ds.is_tarred") || !v.isTrue("trainer.use_distributed_sampler") || single;
}

/// Returns whether all shares have the same size: only Lightning's DistributedSampler ensures that.
bool equalShares(const RuleValues& v) {
    return v.isTrue("trainer.use_distributed_sampler") && !v.isTrue("model.train_ds.is_tarred");
}

constexpr double kMuchLeftOut = 0.2, kMuchWaiting = 0.15, kHeavyTail = 3;
constexpr const char* kManifest = "model.train_ds.manifest_filepath";
constexpr const char* kValidation = "model.validation_ds.manifest_filepath";

bool hasBuckets(const RuleValues& v) {
    const auto n = v.node(kManifest);
    return n && n->isList() && n->items.size() > 1 && n->items.front().isList();
}

/// Returns the first reason found in the training set or, failing that, the validation set, at that set's key. Skips a
/// set whose manifests cannot be read. None if neither has a reason.
template <class Reason> std::optional<RuleHit> firedAtSet(const RuleValues& v, const Reason& reasonOf) {
    for (const auto& [facts, key] : {std::pair(&v.context().train, kManifest), {&v.context().validation, kValidation}})
        if (*facts && (*facts)->problem.empty())
            if (Message reason = reasonOf(**facts); !reason.empty())
                return RuleHit{std::move(reason), std::nullopt, key};
    return std::nullopt;
}

double share(std::int64_t part, std::int64_t all) {
    return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

/// Fires if audio files are missing: more than the allowed share if `tooMany`, otherwise at most that share.
std::optional<RuleHit> missingAudio(const RuleValues& v, bool tooMany) {
    const double most = v.number("rankscope.max_broken_share", 0.5);
    return firedAtSet(v, [&](const ManifestFacts& f) {
        return f.audioMissing > 0 && (share(f.audioMissing, f.audioLooked) > most) == tooMany
                   ? Message("{} of the {} audio files checked do not exist; the first is {}", f.audioMissing,
                             f.audioLooked, f.firstMissing)
                   : Message();
    });
}

} // namespace

std::vector<RuleEntry> dataRules() {
    return {
        {{"drop-last-uneven",
          {"model.train_ds.drop_last"},
          RiskSeverity::Danger,
          "Without a distributed sampler, and with tar files in NeMo, ranks may have different numbers of batches. The "
          "first rank to finish leaves the others in a collective that never completes. (Rankscope's trainer pads the "
          "shares; NeMo does not.)",
          "Set drop_last to true, and make shards of equal size.",
          "uneven_batches"},
         [](const RuleValues& v) {
             return firedIf(
                 v.isFalse("model.train_ds.drop_last") && !v.oneRank() && !equalShares(v),
                 "the last batch of an epoch may be smaller or missing on some ranks: uneven batches end in a "
                 "stall",
                 RiskRemedy{"model.train_ds.drop_last", "true"});
         }},
        {{"drop-last-small-batch",
          {"model.train_ds.drop_last"},
          RiskSeverity::Caution,
          "The distributed sampler gives all ranks the same number of utterances, so they end together; but the last "
          "batch of an epoch contains the remainder, perhaps a single utterance, and has the same weight as a full "
          "one.",
          "Set drop_last to true.",
          "uneven_batches"},
         [](const RuleValues& v) {
             return firedIf(v.isFalse("model.train_ds.drop_last") && !v.oneRank() && equalShares(v),
                            "the last batch of an epoch is the remainder: smaller, on all ranks alike",
                            RiskRemedy{"model.train_ds.drop_last", "true"});
         }},
        {{"no-workers",
          {"model.train_ds.num_workers"},
          RiskSeverity::Danger,
          "With 0, the training thread itself reads, decodes and mixes. A file on a slow disk then holds up not only "
          "this rank, but all ranks that wait for it in the next collective.",
          "Give each rank workers.",
          "data_loading"},
         [](const RuleValues& v) {
             return firedIf(v.number("model.train_ds.num_workers", 1) == 0,
                            "batches are read in the training thread: every slow file holds up all ranks",
                            RiskRemedy{"model.train_ds.num_workers", workersFor(v)});
         }},
        {{"no-validation-workers",
          {"model.validation_ds.num_workers"},
          RiskSeverity::Caution,
          "Validation reads in the training thread: a slow file makes every validation as slow.",
          "Give validation workers as well.",
          "data_loading"},
         [](const RuleValues& v) {
             return firedIf(v.node("model.validation_ds.num_workers") &&
                                v.number("model.validation_ds.num_workers", 1) == 0,
                            "validation batches are read in the training thread",
                            RiskRemedy{"model.validation_ds.num_workers", workersFor(v)});
         }},
        {{"prefetch-short",
          {"model.train_ds.prefetch_factor"},
          RiskSeverity::Caution,
          "Each worker keeps this many batches ready. With one worker and one batch, training waits for each slow "
          "file.",
          "Use 2 or more.",
          "data_loading"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const double workers = v.number("model.train_ds.num_workers", 0);
             const double each = v.number("model.train_ds.prefetch_factor", 2);
             if (workers < 1 || workers * each > 1)
                 return std::nullopt;
             return RuleHit{"one batch is kept ready: training waits for each slow file",
                            RiskRemedy{"model.train_ds.prefetch_factor", "2"}};
         }},
        {{"workers-beyond-cores",
          {"model.train_ds.num_workers"},
          RiskSeverity::Caution,
          "The workers of all ranks compete with the training threads for cores, and each rank is slow in turn.",
          "Use fewer workers.",
          "slow_compute"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const auto& machine = v.context().machine;
             const double workers = v.number("model.train_ds.num_workers", 0), ranks = v.context().ranks;
             const double nodes = std::max(1.0, v.number("trainer.num_nodes", 1)), here = ranks / nodes * workers;
             if (!machine || ranks < 1 || workers <= 1 || here <= 2 * machine->cores)
                 return std::nullopt;
             return RuleHit{Message("{:g} workers on {} cores", here, machine->cores),
                            RiskRemedy{"model.train_ds.num_workers", workersFor(v)}};
         }},
        {{"no-longest",
          {"model.train_ds.max_duration"},
          RiskSeverity::Danger,
          "The memory for attention grows with the square of the length. One uncut recording slows its rank for a "
          "step, or makes it run out of memory, which ends all ranks.",
          "Set a limit, such as 60 s.",
          "long_batch"},
         [](const RuleValues& v) {
             return firedIf(v.node("model.train_ds.batch_size") && noLimit(v, "model.train_ds.max_duration"),
                            "no limit: one long recording holds up all ranks for a step",
                            RiskRemedy{"model.train_ds.max_duration", "60.0"});
         }},
        {{"wide-durations",
          {"model.train_ds.max_duration"},
          RiskSeverity::Info,
          "Ranks with short batches wait for the rank with the longest one. rankscopectl plan estimates the wait for "
          "your manifest.",
          "Sort the manifests into buckets, or narrow the limits.",
          "long_batch"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             if (noLimit(v, "model.train_ds.max_duration") || v.oneRank())
                 return std::nullopt;
             const double high = v.number("model.train_ds.max_duration", 0);
             if (high < kWideDurations * std::max(v.number("model.train_ds.min_duration", 0), 0.05))
                 return std::nullopt;
             return RuleHit{Message("lengths up to {:g} s: ranks with short batches wait for the longest one", high)};
         }},
        {{"no-shortest",
          {"model.train_ds.min_duration"},
          RiskSeverity::Caution,
          "A clip shorter than a masked block has nothing to predict. A batch of such clips has no loss, and NaN "
          "spreads through SyncBN to all ranks.",
          "Set a limit, such as 1 s.",
          "empty_batch"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             if (!v.node("model.train_ds.batch_size") || v.number("model.train_ds.min_duration", 0) >= kShortestBlock)
                 return std::nullopt;
             return RuleHit{"clips shorter than one masked block give batches without a masked frame (no loss)",
                            RiskRemedy{"model.train_ds.min_duration", "1.0"}};
         }},
        {{"not-shuffled",
          {"model.train_ds.shuffle"},
          RiskSeverity::Caution,
          "Ranks take the rows of the manifest in turn, in the same order every epoch. A manifest that is sorted by "
          "length or by speaker is trained on in that order.",
          "Set shuffle to true.",
          "long_batch"},
         [](const RuleValues& v) {
             return firedIf(v.isFalse("model.train_ds.shuffle") && ordersItself(v),
                            "manifest order: sorted lengths give one rank the long ones",
                            RiskRemedy{"model.train_ds.shuffle", "true"});
         }},
        {{"no-distributed-sampler",
          {"trainer.use_distributed_sampler"},
          RiskSeverity::Danger,
          "Without Lightning's sampler the set is not divided among the ranks. Every rank trains on all of it and, "
          "with a seed or without shuffle, in the same order, so that all compute the same step.",
          "Set trainer.use_distributed_sampler to true.",
          "#checks-before-and-at-start"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             if (!v.isFalse("trainer.use_distributed_sampler") || v.oneRank() || v.isTrue("model.train_ds.is_tarred"))
                 return std::nullopt;
             const auto seed = v.node("rankscope.seed");
             const bool own = v.isTrue("model.train_ds.shuffle") && (!seed || typeOf(*seed) == Type::Null);
             return RuleHit{own ? Message("every rank reads the whole set, in its own order")
                                : Message("every rank reads the same batches and computes the same step"),
                            RiskRemedy{"trainer.use_distributed_sampler", "true"}};
         }},
        {{"tarred-shares",
          {"model.train_ds.is_tarred"},
          RiskSeverity::Info,
          "Tar files are assigned as a whole. If a rank's files contain fewer utterances than another's, it repeats "
          "some of them, so that all ranks have the same number of batches.",
          "",
          "uneven_batches"},
         [](const RuleValues& v) {
             return firedIf(v.isTrue("model.train_ds.is_tarred"),
                            "shards of unequal size: a rank with fewer utterances sees some of them twice an epoch");
         }},
        {{"fewer-shards-than-ranks",
          {"model.train_ds.tarred_audio_filepaths", "model.train_ds.tarred_shard_strategy"},
          RiskSeverity::Danger,
          "With tarred_shard_strategy: scatter each rank has its own tar files. A rank that gets none has nothing to "
          "train on, and the launch ends.",
          "Make more shards, use fewer ranks, or set tarred_shard_strategy to replicate.",
          "uneven_batches"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const auto& train = v.context().train;
             if (!train || !v.isTrue("model.train_ds.is_tarred") || v.ranks() == 0 || train->shards >= v.ranks() ||
                 v.text("model.train_ds.tarred_shard_strategy") == "replicate")
                 return std::nullopt;
             return RuleHit{Message("{} tar files for {} ranks: some get none", train->shards, v.ranks()),
                            RiskRemedy{"model.train_ds.tarred_shard_strategy", "replicate"}};
         }},
        {{"path-missing",
          {kManifest, kValidation, "model.train_ds.noise_manifest", "model.validation_ds.noise_manifest",
           "model.train_ds.tarred_audio_filepaths"},
          RiskSeverity::Danger,
          "A launch checks its files before it starts anything, but only on this node; on other nodes, a rank that "
          "does not find them never joins. Relative paths start at the working folder.",
          "Give a path that is valid on every machine.",
          "never_joined"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const auto& paths = v.context().paths;
             const auto gone = std::find_if(paths.begin(), paths.end(), [](const PathFact& p) { return !p.exists; });
             if (gone == paths.end())
                 return std::nullopt;
             const auto more = std::count_if(gone + 1, paths.end(), [](const PathFact& p) { return !p.exists; });
             return RuleHit{more > 0 ? Message("{} does not exist, nor do {} others", gone->path, more)
                                     : Message("{} does not exist", gone->path),
                            std::nullopt, gone->key};
         }},
        {{"manifest-lines-bad",
          {kManifest, kValidation},
          RiskSeverity::Danger,
          "Every line is a JSON object with audio_filepath and duration. The trainer stops at the first line that is "
          "not, on all ranks.",
          "Fix or remove these lines.",
          "never_joined"},
         [](const RuleValues& v) {
             return firedAtSet(v, [](const ManifestFacts& f) {
                 return f.bad > 0 ? Message("{} of {} lines are unusable; the first: {}", f.bad, f.lines,
                                            f.firstBad.empty() ? Message() : f.firstBad.front())
                                  : Message();
             });
         }},
        {{"audio-missing",
          {kManifest, kValidation},
          RiskSeverity::Danger,
          "More audio files are missing than rankscope.max_broken_share allows, so a launch is refused. A relative "
          "path starts at the manifest's folder, or at the working folder if only that has the file.",
          "Fix the paths, or start in the folder that they are relative to.",
          "empty_batch"},
         [](const RuleValues& v) { return missingAudio(v, true); }},
        {{"some-audio-missing",
          {kManifest, kValidation},
          RiskSeverity::Caution,
          "A missing audio file is left out of its batch, counted and reported. A relative path starts at the "
          "manifest's folder, or at the working folder if only that has the file.",
          "Fix the paths, or start in the folder that they are relative to.",
          "empty_batch"},
         [](const RuleValues& v) { return missingAudio(v, false); }},
        {{"manifest-empty",
          {kManifest, kValidation},
          RiskSeverity::Danger,
          "Nothing is left to train on: the launch ends at its start.",
          "Look at min_duration and max_duration, which are in seconds.",
          "empty_batch"},
         [](const RuleValues& v) {
             return firedAtSet(v, [](const ManifestFacts& f) {
                 return f.used == 0 && f.bad == 0
                            ? Message("none of {} utterances is within the limits: {} too short, {} too long", f.lines,
                                      f.tooShort, f.tooLong)
                            : Message();
             });
         }},
        {{"durations-outside-limits",
          {kManifest, kValidation, "model.train_ds.min_duration", "model.train_ds.max_duration"},
          RiskSeverity::Caution,
          "Utterances outside min_duration and max_duration are left out silently. That may be intended, or a duration "
          "may be in the wrong unit.",
          "Cut long recordings into pieces, or widen the limits.",
          "long_batch"},
         [](const RuleValues& v) {
             return firedAtSet(v, [](const ManifestFacts& f) {
                 return f.used > 0 && share(f.tooShort + f.tooLong, f.lines) > kMuchLeftOut
                            ? Message("{} of {} utterances are left out: {} too short, {} too long",
                                      f.tooShort + f.tooLong, f.lines, f.tooShort, f.tooLong)
                            : Message();
             });
         }},
        {{"long-tail-without-buckets",
          {kManifest},
          RiskSeverity::Caution,
          "Most utterances are short and a few are long. A batch with one long utterance pads all others in it, and "
          "its rank holds up all ranks.",
          "Sort the utterances into buckets: manifest_filepath as a list of lists.",
          "long_batch"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const auto& train = v.context().train;
             if (!train || train->used == 0 || train->p95 < kHeavyTail * train->median || hasBuckets(v) || v.oneRank())
                 return std::nullopt;
             return RuleHit{Message("durations have a long tail: median {:.1f} s, 95 % below {:.1f} s, longest "
                                    "{:.1f} s, and no buckets",
                                    train->median, train->p95, train->longest)};
         }},
        {{"ranks-wait-for-lengths",
          {kManifest, "model.train_ds.max_duration"},
          RiskSeverity::Caution,
          "Computed from the batches of the first epoch, as if a batch took as long as its padded audio. Ranks "
          "synchronize in each batch if there is a length sync or SyncBN, otherwise once per step.",
          "Sort the utterances into buckets: manifest_filepath as a list of lists.",
          "long_batch"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const double lost = v.context().lostToImbalance.value_or(0);
             if (lost < kMuchWaiting || v.oneRank())
                 return std::nullopt;
             return RuleHit{Message("ranks will spend {:.0f} % of their time waiting for longer batches on other ranks",
                                    100 * lost)};
         }},
        {{"interpolation-empty",
          {},
          RiskSeverity::Caution,
          "An interpolation that resolves to null, or to nothing, acts as if the key were missing: the default in the "
          "code applies, which is often not the value you meant.",
          "Check what it points to.",
          "configuration_differs"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             for (const KeyRow& row : v.rows())
                 if (row.yours && row.yours->find("${") != std::string::npos && row.effective &&
                     (*row.effective == "null" || *row.effective == "\"\"" || *row.effective == "''" ||
                      row.effective->empty()))
                     return RuleHit{Message("{} resolves to nothing", *row.yours), std::nullopt, row.key};
             return std::nullopt;
         }},
        {{"value-from-environment",
          {},
          RiskSeverity::Caution,
          "Each host resolves ${oc.env:NAME} with its own environment. Where it differs, so do the ranks' settings: "
          "other batches, other collectives, a stall.",
          "Write the value, or start all ranks with the output of rankscopectl resolve.",
          "configuration_differs"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             if (v.number("trainer.num_nodes", 1) <= 1)
                 return std::nullopt;
             for (const KeyRow& row : v.rows())
                 if (row.affectsRanks && row.yours && row.yours->find("${oc.env:") != std::string::npos)
                     return RuleHit{Message("{} may have a different value on each host", *row.yours), std::nullopt,
                                    row.key};
             return std::nullopt;
         }},
    };
}

} // namespace rankscope::config
