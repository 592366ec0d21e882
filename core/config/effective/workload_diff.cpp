// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/workload_diff.h"

#include "core/config/effective/key_diff.h"

#include <algorithm>
#include <iterator>
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

} // namespace

std::vector<std::string> differingWork(const std::string& a, const std::string& b) {
    std::vector<std::string> keys;
    for (const auto& difference : differences(a, b))
        if (std::none_of(std::begin(kNoWork), std::end(kNoWork),
                         [&](auto none) { return isUnder(difference.key, none); }))
            keys.push_back(difference.key);
    return keys;
}

} // namespace rankscope::config
