// SPDX-License-Identifier: Apache-2.0
// What the ranks tell each other before they train and of their first batches, and what follows from it. Pure: nothing
// here meets another rank.
#pragma once

#include "core/trainer/checks/check_result.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::trainer {

/// A setting or number as it acts on a rank, as text: any two can be compared and named.
struct Figure {
    std::string check; ///< which one it belongs to
    std::string key;   ///< of the recipe where there is one
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
/// Text that another process wrote: sizes and types are checked, an error names the rank.
Result<RankFigures> decodeFigures(std::string_view text, int rank);

/// One result for each check of rank 0's figures: every key is the same on all ranks, or the one that differs is named
/// with its values and ranks. `all` is in rank order.
std::vector<CheckResult> compareFigures(std::span<const RankFigures> all);

/// "configuration": the effective configurations, key by key.
CheckResult compareConfigurations(std::span<const RankFigures> all);

struct Layout {
    std::string devices; ///< trainer.devices: "auto", "-1", "4", "0,2"
    int nodes = 1;       ///< trainer.num_nodes
    int worldSize = 1;
    bool led = false;    ///< a supervisor chose the number of processes: --ranks may overrule the recipe
    bool shared = false; ///< over Gloo several ranks may use one GPU; NCCL refuses that
};
/// "processes": as many as the recipe names devices, and no GPU has two, unless they may share it.
CheckResult checkProcesses(const Layout& layout, std::span<const RankFigures> all);

/// "8 on rank 0, 2 and 4 on rank 1"; `values` in rank order. Long lists of ranks are cut.
std::string valuesByRank(std::span<const std::string> values);
/// "rank 0, 2 and 3 more".
std::string ranksText(std::span<const int> ranks);

struct FirstBatch {
    std::array<std::int64_t, 3> shape{}; ///< of the encoder's input [B, D, T]
    std::string device;                  ///< where it lies
    std::string expectedDevice;          ///< where it should
    std::int64_t configuredSize = 0;     ///< batch_size; 0: buckets have their own
    int features = 0;                    ///< as the recipe says
    std::vector<std::int64_t> samples;   ///< of each utterance, as the loader says
    std::vector<std::int64_t> lengths;   ///< of each utterance in mel frames, as the encoder is told
    std::int64_t hop = 160;              ///< samples a mel frame
    std::int64_t notFinite = 0;          ///< values of the encoder's input that are NaN or infinite
};

/// What a rank finds by itself: "first_batch" (shape and device), "batch_lengths", "finite_input".
std::vector<CheckResult> checkFirstBatch(const FirstBatch& batch);

/// What rank 0 compares: features, device and size of all ranks' first batches.
std::vector<Figure> figuresOf(const FirstBatch& batch);

/// "first_batch" over all ranks: the shapes when they fit, what differs when they do not.
CheckResult compareFirstBatches(std::span<const RankFigures> all);

} // namespace rankscope::trainer
