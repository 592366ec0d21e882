// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/key_diff.h"

#include "core/config/effective/load_recipe.h"
#include "core/config/schema/key_lookup.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace rankscope::config {
namespace {

/// How a difference in a key is judged; a section's traits apply to all its keys.
enum Trait : unsigned {
    PerHost = 1,     ///< KeyScope::PerHost
    ShouldMatch = 2, ///< KeyScope::ShouldMatch
    Free = 4,        ///< losses do not depend on it: a run may be resumed with another value
    Costless = 8,    ///< the cost of a step does not depend on it
};

struct KeyTraits {
    std::string_view key;
    unsigned traits;
};

constexpr KeyTraits kKeys[] = {
    {"name", PerHost | Free | Costless},
    {"hydra", PerHost | Free | Costless},
    {"init_from_nemo_model", PerHost | Free | Costless},
    {"init_from_ptl_ckpt", PerHost | Free | Costless},
    {"init_strict", Free},
    {"exp_manager", Free | Costless},
    {"exp_manager.name", PerHost},
    {"exp_manager.exp_dir", PerHost},
    {"exp_manager.explicit_log_dir", PerHost},
    {"exp_manager.version", PerHost},
    {"exp_manager.resume_from_checkpoint", PerHost},
    {"model.target", ShouldMatch | Free | Costless},
    {"model.nemo_version", ShouldMatch | Free | Costless},
    {"model.test_ds", ShouldMatch | Free | Costless},
    {"model.optim.sched.max_steps", Costless},
    {"trainer.devices", Free | Costless}, // the number of ranks is compared separately
    {"trainer.num_nodes", Free | Costless},
    {"trainer.accelerator", Costless},
    {"trainer.strategy", Costless},
    {"trainer.sync_batchnorm", Costless},
    {"trainer.use_distributed_sampler", Costless},
    {"trainer.max_steps", Free | Costless},
    {"trainer.max_epochs", Free | Costless},
    {"trainer.max_time", Free | Costless},
    {"trainer.min_steps", Free | Costless},
    {"trainer.min_epochs", Free | Costless},
    {"trainer.logger", PerHost | Free | Costless},
    {"trainer.default_root_dir", PerHost | Free | Costless},
    {"trainer.log_every_n_steps", ShouldMatch | Free | Costless},
    {"trainer.enable_checkpointing", Free | Costless},
    {"trainer.enable_progress_bar", ShouldMatch | Free | Costless},
    {"trainer.enable_model_summary", ShouldMatch | Free | Costless},
    {"trainer.callbacks", ShouldMatch | Free | Costless},
    {"trainer.profiler", ShouldMatch | Free | Costless},
    {"trainer.num_sanity_val_steps", Free | Costless},
    {"trainer.limit_test_batches", Free | Costless},
    {"trainer.limit_predict_batches", Free | Costless},
    {"trainer.benchmark", ShouldMatch},
    {"rankscope", Costless},
    {"rankscope.length_sync", Free},
    {"rankscope.collective_timeout_s", Free},
    {"rankscope.faults", Free},
    {"rankscope.stall", ShouldMatch | Free},
    {"rankscope.straggler", ShouldMatch | Free},
    {"rankscope.retention", ShouldMatch | Free},
    {"rankscope.join_seconds", ShouldMatch | Free},
    {"rankscope.stop_grace_s", ShouldMatch | Free},
    {"rankscope.on_incident", ShouldMatch | Free},
    {"rankscope.max_broken_share", ShouldMatch | Free},
    {"rankscope.data.tar_readers", Free}, // a checkpoint records how tar files were read
    {"rankscope.data.reorder_buckets", Free},
    {"rankscope.threads_per_rank", ShouldMatch},
};

constexpr KeyTraits kDatasetKeys[] = {
    {"manifest_filepath", PerHost | Free},      {"noise_manifest", PerHost | Free},
    {"tarred_audio_filepaths", PerHost | Free}, {"num_workers", ShouldMatch | Free},
    {"pin_memory", ShouldMatch | Free},         {"prefetch_factor", ShouldMatch | Free},
};

/// Returns whether `key` is `section` or is in it.
bool isUnder(std::string_view key, std::string_view section) {
    return key.starts_with(section) &&
           (key.size() == section.size() || key[section.size()] == '.' || key[section.size()] == '[');
}

bool hasTrait(std::string_view key, Trait trait) {
    const auto in = [trait](std::string_view name, const auto& table) {
        return std::any_of(std::begin(table), std::end(table), [&](const KeyTraits& known) {
            return (known.traits & trait) != 0 && isUnder(name, known.key);
        });
    };
    for (const std::string_view set : {"model.train_ds.", "model.validation_ds."})
        if (key.starts_with(set) && in(key.substr(set.size()), kDatasetKeys))
            return true;
    return in(key, kKeys);
}

/// Returns the values by key; a list is one value.
std::map<std::string, std::string> valuesOf(const std::string& text) {
    const Loaded loaded = load(text, {}, builtinSchema());
    const Node tree = withCodeDefaults(loaded.resolved, *loaded.facts);
    std::map<std::string, std::string> out;
    for (const std::string& key : allKeys(tree)) {
        const Node* node = find(tree, key);
        if (node && !node->isMap())
            out.emplace(key, toText(*node));
    }
    return out;
}

constexpr const char* kNotThere = "not there";

Message shownValue(const std::string& value) {
    return value == kNotThere ? Message("not there") : Message(value);
}

bool same(const std::string& a, const std::string& b) {
    return a == b || sameValue(parseValue(a), parseValue(b));
}

} // namespace

std::vector<KeyDifference> keyDiff(const std::string& first, const std::string& second) {
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
        out.push_back({key, left == a.end() ? kNotThere : left->second, right == b.end() ? kNotThere : right->second});
    }
    return out;
}

KeyScope rankKey(std::string_view key) {
    if (isUnder(key, "rankscope.faults"))
        return KeyScope::Ignored;
    return hasTrait(key, PerHost)       ? KeyScope::PerHost
           : hasTrait(key, ShouldMatch) ? KeyScope::ShouldMatch
                                        : KeyScope::MustMatch;
}

Result<void> checkResumable(const std::string& before, const std::string& now, const std::string& where) {
    constexpr std::size_t kNamed = 5;
    Message text;
    std::size_t differing = 0;
    for (const auto& [key, was, is] : keyDiff(before, now)) {
        if (hasTrait(key, Free))
            continue;
        if (++differing > kNamed)
            continue;
        Message one("{} was {} and is now {}", key, shownValue(was), shownValue(is));
        text = text.empty() ? std::move(one) : Message("{}; {}", std::move(text), std::move(one));
    }
    if (differing == 0)
        return {};
    if (differing > kNamed)
        text = {"{}; and {} more", std::move(text), differing - kNamed};
    return fail(Errc::BadInput, {"was written with a different recipe: {}", std::move(text)}, where);
}

std::vector<std::string> workloadDiff(const std::string& a, const std::string& b) {
    std::vector<std::string> keys;
    for (const auto& difference : keyDiff(a, b))
        if (!hasTrait(difference.key, Costless))
            keys.push_back(difference.key);
    return keys;
}

} // namespace rankscope::config
