// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/resume_compatibility.h"

#include "core/config/effective/key_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace rankscope::config {
namespace {

constexpr std::size_t kNamed = 5; ///< keys that an error shows

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
    if (std::any_of(std::begin(kFree), std::end(kFree), [&](auto free) { return isUnder(key, free); }))
        return true;
    for (const std::string_view set : {"model.train_ds.", "model.validation_ds."})
        if (key.starts_with(set) && std::any_of(std::begin(kFreeOfDataset), std::end(kFreeOfDataset),
                                                [&](auto free) { return isUnder(key.substr(set.size()), free); }))
            return true;
    return false;
}

} // namespace

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

} // namespace rankscope::config
