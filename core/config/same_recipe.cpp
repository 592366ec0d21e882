// SPDX-License-Identifier: Apache-2.0
#include "core/config/same_recipe.h"

#include "core/config/effective_text.h"
#include "core/config/scalar.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace rankscope::config {
namespace {

/// A section counts with all that is in it.
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

bool isUnder(std::string_view key, std::string_view section) {
    return key.starts_with(section) &&
           (key.size() == section.size() || key[section.size()] == '.' || key[section.size()] == '[');
}

/// A list is one value.
std::map<std::string, std::string> workOf(const std::string& text) {
    const Facts& facts = builtinFacts();
    const Node tree = withCodeDefaults(load(text, {}, facts).resolved, facts);
    std::map<std::string, std::string> values;
    for (const std::string& key : allKeys(tree)) {
        const Node* node = find(tree, key);
        if (node && !node->isMap() &&
            std::none_of(std::begin(kNoWork), std::end(kNoWork), [&](auto none) { return isUnder(key, none); }))
            values.emplace(key, toText(*node));
    }
    return values;
}

} // namespace

std::vector<std::string> differingWork(const std::string& a, const std::string& b) {
    const auto mine = workOf(a), theirs = workOf(b);
    std::set<std::string> differing;
    const auto compare = [&](const auto& one, const auto& other) {
        for (const auto& [key, value] : one) {
            const auto at = other.find(key);
            if (at == other.end() || (at->second != value && !sameValue(nodeOfText(at->second), nodeOfText(value))))
                differing.insert(key);
        }
    };
    compare(mine, theirs);
    compare(theirs, mine);
    return {differing.begin(), differing.end()};
}

} // namespace rankscope::config
