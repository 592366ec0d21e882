// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/key_diff.h"

#include "core/config/effective/load_recipe.h"
#include "core/config/schema/code_defaults.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace rankscope::config {
namespace {

constexpr std::string_view kOfHost[] = {"name",
                                        "hydra",
                                        "init_from_nemo_model",
                                        "init_from_ptl_ckpt",
                                        "trainer.default_root_dir",
                                        "trainer.logger",
                                        "exp_manager.name",
                                        "exp_manager.exp_dir",
                                        "exp_manager.explicit_log_dir",
                                        "exp_manager.version",
                                        "exp_manager.resume_from_checkpoint"};
constexpr std::string_view kOfHostInDataset[] = {"manifest_filepath", "noise_manifest", "tarred_audio_filepaths"};

constexpr std::string_view kAlike[] = {"model.test_ds",
                                       "model.target",
                                       "model.nemo_version",
                                       "trainer.log_every_n_steps",
                                       "trainer.enable_progress_bar",
                                       "trainer.enable_model_summary",
                                       "trainer.profiler",
                                       "trainer.callbacks",
                                       "trainer.benchmark",
                                       "rankscope.stall",
                                       "rankscope.straggler",
                                       "rankscope.retention",
                                       "rankscope.join_seconds",
                                       "rankscope.stop_grace_s",
                                       "rankscope.on_incident",
                                       "rankscope.threads_per_rank",
                                       "rankscope.max_broken_share"};
constexpr std::string_view kAlikeInDataset[] = {"num_workers", "pin_memory", "prefetch_factor"};

/// `key` is `section` or is in it.
bool isUnder(std::string_view key, std::string_view section) {
    return key.starts_with(section) &&
           (key.size() == section.size() || key[section.size()] == '.' || key[section.size()] == '[');
}

template <std::size_t N> bool isUnderAny(std::string_view key, const std::string_view (&sections)[N]) {
    return std::any_of(std::begin(sections), std::end(sections), [&](auto section) { return isUnder(key, section); });
}

/// Values by key; a list is one value.
std::map<std::string, std::string> valuesOf(const std::string& text) {
    const Loaded loaded = load(text, {}, builtinFacts());
    const Node tree = withCodeDefaults(loaded.resolved, *loaded.facts);
    std::map<std::string, std::string> out;
    for (const std::string& key : allKeys(tree)) {
        const Node* node = find(tree, key);
        if (node && !node->isMap())
            out.emplace(key, toText(*node));
    }
    return out;
}

bool same(const std::string& a, const std::string& b) {
    return a == b || sameValue(nodeOfText(a), nodeOfText(b));
}

constexpr std::size_t kNamed = 5; ///< keys that an error of checkSameTraining() shows

/// Keys whose value no loss depends on; a section counts with all that is in it.
constexpr std::string_view kFree[] = {
    "name", "exp_manager", "hydra", "init_from_nemo_model", "init_from_ptl_ckpt", "init_strict", "model.target",
    "model.nemo_version", "model.test_ds", "trainer.max_steps", "trainer.max_epochs", "trainer.max_time",
    "trainer.min_steps", "trainer.min_epochs", "trainer.logger", "trainer.log_every_n_steps",
    "trainer.enable_checkpointing", "trainer.enable_progress_bar", "trainer.enable_model_summary",
    "trainer.default_root_dir", "trainer.callbacks", "trainer.profiler", "trainer.num_sanity_val_steps",
    "trainer.limit_test_batches", "trainer.limit_predict_batches",
    // the number of ranks is compared by itself
    "trainer.devices", "trainer.num_nodes", "rankscope.length_sync", "rankscope.stall", "rankscope.straggler",
    "rankscope.retention", "rankscope.join_seconds", "rankscope.collective_timeout_s", "rankscope.stop_grace_s",
    "rankscope.max_broken_share", "rankscope.faults", "rankscope.on_incident"};

/// ... and in each dataset.
constexpr std::string_view kFreeOfDataset[] = {"manifest_filepath", "noise_manifest", "tarred_audio_filepaths",
                                               "num_workers",       "pin_memory",     "prefetch_factor"};

bool isFree(std::string_view key) {
    if (isUnderAny(key, kFree))
        return true;
    for (const std::string_view set : {"model.train_ds.", "model.validation_ds."})
        if (key.starts_with(set) && isUnderAny(key.substr(set.size()), kFreeOfDataset))
            return true;
    return false;
}

/// Keys on which the cost of no step depends; a section counts with all that is in it.
constexpr std::string_view kNoWork[] = {"name",
                                        "exp_manager",
                                        "hydra",
                                        "init_from_nemo_model",
                                        "init_from_ptl_ckpt",
                                        "model.target",
                                        "model.nemo_version",
                                        "model.test_ds",
                                        "model.optim.sched.max_steps",
                                        "rankscope",
                                        "trainer.devices",
                                        "trainer.num_nodes",
                                        "trainer.accelerator",
                                        "trainer.strategy",
                                        "trainer.sync_batchnorm",
                                        "trainer.use_distributed_sampler",
                                        "trainer.max_steps",
                                        "trainer.max_epochs",
                                        "trainer.max_time",
                                        "trainer.min_steps",
                                        "trainer.min_epochs",
                                        "trainer.logger",
                                        "trainer.log_every_n_steps",
                                        "trainer.enable_checkpointing",
                                        "trainer.enable_progress_bar",
                                        "trainer.enable_model_summary",
                                        "trainer.default_root_dir",
                                        "trainer.callbacks",
                                        "trainer.profiler",
                                        "trainer.num_sanity_val_steps",
                                        "trainer.limit_test_batches",
                                        "trainer.limit_predict_batches"};

} // namespace

std::vector<KeyDifference> differences(const std::string& first, const std::string& second) {
    const auto a = valuesOf(first), b = valuesOf(second);
    std::set<std::string> keys;
    for (const auto* values : {&a, &b})
        for (const auto& item : *values)
            keys.insert(item.first);
    std::vector<KeyDifference> out;
    for (const std::string& key : keys) {
        const auto left = a.find(key), right = b.find(key);
        const bool both = left != a.end() && right != b.end();
        if (both && same(left->second, right->second))
            continue;
        out.push_back(
            {key, left == a.end() ? "not there" : left->second, right == b.end() ? "not there" : right->second});
    }
    return out;
}

RankKey rankKey(std::string_view key) {
    if (isUnder(key, "rankscope.faults"))
        return RankKey::Ignored;
    for (const std::string_view set : {"model.train_ds.", "model.validation_ds."}) {
        if (!key.starts_with(set))
            continue;
        if (isUnderAny(key.substr(set.size()), kOfHostInDataset))
            return RankKey::OfHost;
        if (isUnderAny(key.substr(set.size()), kAlikeInDataset))
            return RankKey::Alike;
    }
    return isUnderAny(key, kOfHost) ? RankKey::OfHost : isUnderAny(key, kAlike) ? RankKey::Alike : RankKey::Same;
}

Result<void> checkSameTraining(const std::string& before, const std::string& now, const std::string& where) {
    std::string text;
    std::size_t differing = 0;
    for (const auto& [key, was, is] : differences(before, now)) {
        if (isFree(key))
            continue;
        if (++differing <= kNamed)
            text += fmt::format("{}{} was {} and is now {}", text.empty() ? "" : "; ", key, was, is);
    }
    if (differing == 0)
        return {};
    if (differing > kNamed)
        text += fmt::format("; and {} more", differing - kNamed);
    return fail(Errc::BadInput, "was made by another recipe: " + text, where);
}

std::vector<std::string> differingWork(const std::string& a, const std::string& b) {
    std::vector<std::string> keys;
    for (const auto& difference : differences(a, b))
        if (!isUnderAny(difference.key, kNoWork))
            keys.push_back(difference.key);
    return keys;
}

} // namespace rankscope::config
