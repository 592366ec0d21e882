// SPDX-License-Identifier: Apache-2.0
// The values that ranks exchange before they train and about their first batches, and the checks of these values. Pure:
// nothing here communicates with another rank.
#pragma once

#include "core/trainer/checks/check_result.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::trainer {

/// A setting or number as it takes effect on a rank, as text, so that any two can be compared and quoted.
struct Figure {
    std::string check; ///< the check it belongs to
    std::string key;   ///< of the recipe if there is one
    std::string value;
    bool stops = false; ///< ranks that differ here must not start

    bool operator==(const Figure&) const = default;
};

struct RankFigures {
    int rank = 0;
    std::vector<Figure> figures; ///< the same checks and keys on every rank, in the same order
    std::string host, device;    ///< device: "cpu", "cuda:1"
    std::string config;          ///< effective.yaml, as text
    std::uint64_t configHash = 0;

    bool operator==(const RankFigures&) const = default;
};

inline constexpr std::size_t kMostFigureBytes = 4u << 20; ///< of one rank, encoded

std::string encodeFigures(const RankFigures& figures);
/// Decodes text that another process wrote: sizes and types are checked, an error names the rank.
Result<RankFigures> decodeFigures(std::string_view text, int rank);

/// Returns one result for each check of rank 0's figures: every key is the same on all ranks, or the differing one is
/// named with its values and ranks. `all` is in rank order.
std::vector<CheckResult> compareFigures(std::span<const RankFigures> all);

/// "configuration": compares the effective configurations, key by key.
CheckResult compareConfigurations(std::span<const RankFigures> all);

struct ProcessLayout {
    std::string devices; ///< trainer.devices: "auto", "-1", "4", "0,2"
    int nodes = 1;       ///< trainer.num_nodes
    int worldSize = 1;
    bool led = false;    ///< a supervisor chose the number of processes: --ranks may override the recipe
    bool shared = false; ///< over Gloo several ranks may use one GPU; NCCL rejects that
};
/// "processes": there must be as many as the recipe names devices, and no GPU may have two unless sharing is allowed.
CheckResult checkProcesses(const ProcessLayout& layout, std::span<const RankFigures> all);

/// "8 on rank 0, 2 and 4 on rank 1"; `values` in rank order. Long lists of ranks are cut.
std::string valuesByRank(std::span<const std::string> values);
/// "rank 0, 2 and 3 more".
std::string ranksText(std::span<const int> ranks);

struct FirstBatch {
    std::array<std::int64_t, 3> shape{}; ///< of the encoder's input [B, D, T]
    std::string device;                  ///< of the encoder's input
    std::string expectedDevice;          ///< the device it should be on
    std::int64_t configuredSize = 0;     ///< batch_size; 0: buckets have their own
    int features = 0;                    ///< in the recipe
    std::vector<std::int64_t> samples;   ///< of each utterance, from the loader
    std::vector<std::int64_t> lengths;   ///< of each utterance in mel frames, as passed to the encoder
    std::int64_t hop = 160;              ///< samples per mel frame
    std::int64_t notFinite = 0;          ///< values of the encoder's input that are NaN or infinite
};

/// Returns the checks that a rank makes alone: "first_batch" (shape and device), "batch_lengths", "finite_input".
std::vector<CheckResult> checkFirstBatch(const FirstBatch& batch);

/// Returns the figures that rank 0 compares: features, device and size of all ranks' first batches.
std::vector<Figure> figuresOf(const FirstBatch& batch);

/// "first_batch" over all ranks: the shapes if they fit, the differences if not.
CheckResult compareFirstBatches(std::span<const RankFigures> all);

} // namespace rankscope::trainer
