// SPDX-License-Identifier: Apache-2.0
#include "core/config/risks/rule_inputs.h"
#include "core/config/yaml/scalar.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::config {
namespace {

constexpr double kMuchLeftOut = 0.2, kMuchWaiting = 0.15, kHeavyTail = 3;
constexpr const char* kManifest = "model.train_ds.manifest_filepath";
constexpr const char* kValidation = "model.validation_ds.manifest_filepath";

bool hasBuckets(const RuleValues& v) {
    const auto n = v.node(kManifest);
    return n && n->isList() && n->items.size() > 1 && n->items.front().isList();
}

/// The first of both sets whose manifests can be read and for which `is` holds.
template <class Is> std::optional<std::pair<ManifestFacts, std::string>> firstSet(const RuleValues& v, const Is& is) {
    if (const auto& train = v.around().train; train && train->problem.empty() && is(*train))
        return std::pair(*train, std::string(kManifest));
    if (const auto& validation = v.around().validation; validation && validation->problem.empty() && is(*validation))
        return std::pair(*validation, std::string(kValidation));
    return std::nullopt;
}

double share(std::int64_t part, std::int64_t all) {
    return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

/// More than may be missing, or fewer.
std::optional<Fired> missingAudio(const RuleValues& v, bool tooMany) {
    const double most = v.number("rankscope.max_broken_share", 0.5);
    const auto set = firstSet(v, [&](const ManifestFacts& f) {
        return f.audioMissing > 0 && (share(f.audioMissing, f.audioLooked) > most) == tooMany;
    });
    if (!set)
        return std::nullopt;
    return Fired{fmt::format("{} of the {} audio files that were looked for do not exist; the first is {}",
                             set->first.audioMissing, set->first.audioLooked, set->first.firstMissing),
                 std::nullopt, set->second};
}

} // namespace

std::vector<RuleEntry> manifestRules() {
    using S = RiskSeverity;
    return {
        {{"path-missing",
          {kManifest, kValidation, "model.train_ds.noise_manifest", "model.validation_ds.noise_manifest",
           "model.train_ds.tarred_audio_filepaths"},
          S::Danger,
          "A launch checks its files before it starts anything; on other nodes nobody does, and a rank that does not "
          "find them never joins. Relative paths start at the working folder.",
          "Give the path as it is on every machine.",
          "never_joined"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const auto& paths = v.around().paths;
             const auto gone = std::find_if(paths.begin(), paths.end(), [](const PathFact& p) { return !p.exists; });
             if (gone == paths.end())
                 return std::nullopt;
             const auto more = std::count_if(gone + 1, paths.end(), [](const PathFact& p) { return !p.exists; });
             return Fired{more > 0 ? fmt::format("{} does not exist, nor do {} others", gone->path, more)
                                   : fmt::format("{} does not exist", gone->path),
                          std::nullopt, gone->key};
         }},
        {{"manifest-lines-bad",
          {kManifest, kValidation},
          S::Danger,
          "Every line is a JSON object with audio_filepath and duration. The trainer stops at the first line that is "
          "not, on all ranks.",
          "Mend or remove these lines.",
          "never_joined"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const auto set = firstSet(v, [](const ManifestFacts& f) { return f.bad > 0; });
             if (!set)
                 return std::nullopt;
             return Fired{fmt::format("{} of {} lines cannot be used; the first: {}", set->first.bad, set->first.lines,
                                      set->first.firstBad.empty() ? "" : set->first.firstBad.front()),
                          std::nullopt, set->second};
         }},
        {{"audio-missing",
          {kManifest, kValidation},
          S::Danger,
          "More audio files are missing than rankscope.max_broken_share lets be left out: a launch is refused. A "
          "relative path starts at the manifest's folder, or at the working folder where only that has the file.",
          "Mend the paths, or start where they begin.",
          "empty_batch"},
         [](const RuleValues& v) { return missingAudio(v, true); }},
        {{"some-audio-missing",
          {kManifest, kValidation},
          S::Caution,
          "An audio file that is not there is left out of its batch, counted and named. A relative path starts at the "
          "manifest's folder, or at the working folder where only that has the file.",
          "Mend the paths, or start where they begin.",
          "empty_batch"},
         [](const RuleValues& v) { return missingAudio(v, false); }},
        {{"manifest-empty",
          {kManifest, kValidation},
          S::Danger,
          "Nothing is left to train on: the launch ends at its start.",
          "Look at min_duration and max_duration, which are in seconds.",
          "empty_batch"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const auto set = firstSet(v, [](const ManifestFacts& f) { return f.used == 0 && f.bad == 0; });
             if (!set)
                 return std::nullopt;
             return Fired{fmt::format("none of {} utterances is within the limits: {} too short, {} too long",
                                      set->first.lines, set->first.tooShort, set->first.tooLong),
                          std::nullopt, set->second};
         }},
        {{"durations-outside-limits",
          {kManifest, kValidation, "model.train_ds.min_duration", "model.train_ds.max_duration"},
          S::Caution,
          "Utterances outside min_duration and max_duration are left out without a word. That may be what you want, "
          "or a duration in the wrong unit.",
          "Cut long recordings into pieces, or widen the limits.",
          "long_batch"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const auto set = firstSet(v, [](const ManifestFacts& f) {
                 return f.used > 0 && share(f.tooShort + f.tooLong, f.lines) > kMuchLeftOut;
             });
             if (!set)
                 return std::nullopt;
             const auto& [facts, key] = *set;
             return Fired{fmt::format("{} of {} utterances are left out: {} too short, {} too long",
                                      facts.tooShort + facts.tooLong, facts.lines, facts.tooShort, facts.tooLong),
                          std::nullopt, key};
         }},
        {{"long-tail-without-buckets",
          {kManifest},
          S::Caution,
          "Most utterances are short and a few are long. A batch with one long utterance pads all others in it, and "
          "the rank that drew it holds all ranks.",
          "Sort the utterances into buckets: manifest_filepath as a list of lists.",
          "long_batch"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const auto& train = v.around().train;
             if (!train || train->used == 0 || train->p95 < kHeavyTail * train->median || hasBuckets(v) || v.oneRank())
                 return std::nullopt;
             return Fired{fmt::format("durations have a long tail: median {:.1f} s, 95 % below {:.1f} s, longest "
                                      "{:.1f} s, and no buckets",
                                      train->median, train->p95, train->longest)};
         }},
        {{"ranks-wait-for-lengths",
          {kManifest, "model.train_ds.max_duration"},
          S::Caution,
          "Counted with the batches of the first epoch, as if a batch took as long as its padded audio. Ranks meet in "
          "each batch where there is a length sync or SyncBN, else once a step.",
          "Sort the utterances into buckets: manifest_filepath as a list of lists.",
          "long_batch"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const double lost = v.around().lostToImbalance.value_or(0);
             if (lost < kMuchWaiting || v.oneRank())
                 return std::nullopt;
             return Fired{fmt::format("ranks will wait {:.0f} % of their time for longer batches", 100 * lost)};
         }},
        {{"interpolation-empty",
          {},
          S::Caution,
          "An interpolation that ends in null, or in nothing, reads as if the key were not there: the default in the "
          "code acts, and that is often another value than the one you meant.",
          "Look at what it points to.",
          "configuration_differs"},
         [](const RuleValues& v) -> std::optional<Fired> {
             for (const KeyRow& row : v.rows())
                 if (row.yours && row.yours->find("${") != std::string::npos && row.effective &&
                     (*row.effective == "null" || *row.effective == "\"\"" || *row.effective == "''" ||
                      row.effective->empty()))
                     return Fired{fmt::format("{} resolves to nothing", *row.yours), std::nullopt, row.key};
             return std::nullopt;
         }},
        {{"value-from-environment",
          {},
          S::Caution,
          "Each host resolves ${oc.env:NAME} with its own environment. Where it differs, so do the ranks' settings: "
          "other batches, other collectives, a stall.",
          "Write the value, or start all ranks with what rankscopectl resolve prints.",
          "configuration_differs"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (v.number("trainer.num_nodes", 1) <= 1)
                 return std::nullopt;
             for (const KeyRow& row : v.rows())
                 if (row.affectsRanks && row.yours && row.yours->find("${oc.env:") != std::string::npos)
                     return Fired{fmt::format("{} may be another value on each host", *row.yours), std::nullopt,
                                  row.key};
             return std::nullopt;
         }},
    };
}

} // namespace rankscope::config
