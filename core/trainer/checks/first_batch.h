// SPDX-License-Identifier: Apache-2.0
// The first batch of a rank, as it stands before the encoder. Pure.
#pragma once

#include "core/trainer/checks/rank_figures.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rankscope::trainer {

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
