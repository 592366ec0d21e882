// SPDX-License-Identifier: Apache-2.0
#include "core/config/resume_check.h"

#include "core/config/effective_text.h"
#include "core/config/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace rankscope::config {
namespace {

constexpr std::size_t kNamed = 5; ///< keys that an error shows

/// Keys whose value no loss depends on; a section counts with all that is in it.
constexpr std::string_view kFree[] = {
    "name", "exp_manager", "hydra", "init_from_nemo_model", "init_from_ptl_ckpt", "model.target", "model.nemo_version",
    "model.test_ds", "trainer.max_steps", "trainer.max_epochs", "trainer.max_time", "trainer.min_steps",
    "trainer.min_epochs", "trainer.logger", "trainer.log_every_n_steps", "trainer.enable_checkpointing",
    "trainer.enable_progress_bar", "trainer.enable_model_summary", "trainer.default_root_dir", "trainer.callbacks",
    "trainer.profiler", "trainer.num_sanity_val_steps", "trainer.limit_test_batches", "trainer.limit_predict_batches",
    // the number of ranks is compared by itself
    "trainer.devices", "trainer.num_nodes", "rankscope.stall", "rankscope.straggler", "rankscope.retention",
    "rankscope.join_seconds", "rankscope.collective_timeout_s", "rankscope.stop_grace_s", "rankscope.max_broken_share",
    "rankscope.faults", "rankscope.on_incident"};

/// ... and in each dataset.
constexpr std::string_view kFreeOfDataset[] = {"manifest_filepath", "noise_manifest", "tarred_audio_filepaths",
                                               "num_workers",       "pin_memory",     "prefetch_factor"};

bool isUnder(std::string_view key, std::string_view section) {
    return key.starts_with(section) &&
           (key.size() == section.size() || key[section.size()] == '.' || key[section.size()] == '[');
}

bool isFree(std::string_view key) {
    if (std::any_of(std::begin(kFree), std::end(kFree), [&](auto free) { return isUnder(key, free); }))
        return true;
    for (const std::string_view set : {"model.train_ds.", "model.validation_ds."})
        if (key.starts_with(set) && std::any_of(std::begin(kFreeOfDataset), std::end(kFreeOfDataset),
                                                [&](auto free) { return isUnder(key.substr(set.size()), free); }))
            return true;
    return false;
}

/// Values that count, by key; a list is one value.
std::map<std::string, std::string> valuesOf(const std::string& text, const Facts& facts) {
    const Node tree = withCodeDefaults(load(text, {}, facts).resolved, facts);
    std::map<std::string, std::string> out;
    for (const std::string& key : allKeys(tree)) {
        const Node* node = find(tree, key);
        if (node && !node->isMap() && !isFree(key))
            out.emplace(key, toText(*node));
    }
    return out;
}

bool same(const std::string& a, const std::string& b) {
    return a == b || sameValue(nodeOfText(a), nodeOfText(b));
}

} // namespace

Result<void> checkSameTraining(const std::string& before, const std::string& now, const std::string& where) {
    const Facts& facts = builtinFacts();
    const auto old = valuesOf(before, facts), fresh = valuesOf(now, facts);
    std::set<std::string> keys;
    for (const auto* values : {&old, &fresh})
        for (const auto& item : *values)
            keys.insert(item.first);
    std::string text;
    std::size_t differing = 0;
    for (const std::string& key : keys) {
        const auto a = old.find(key), b = fresh.find(key);
        const std::string was = a == old.end() ? "not there" : a->second,
                          is = b == fresh.end() ? "not there" : b->second;
        if ((a != old.end()) == (b != fresh.end()) && same(was, is))
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

} // namespace rankscope::config
