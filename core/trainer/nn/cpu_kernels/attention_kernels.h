// SPDX-License-Identifier: Apache-2.0
// CPU kernels of relative attention, one row of scores at a time. A row of distance scores is 2T-1 long; frame i reads
// it from column T-1-i on ("rel_shift"), so no data is shifted in memory.
#pragma once

#include <cstdint>

namespace rankscope::trainer::rows {

struct Keys {
    std::int64_t begin = 0, end = 0; ///< the visible ones, [begin, end)
};

/// scores [rows, T]: products of query and key on entry, softmax(products + distances) over the visible keys on return,
/// 0 elsewhere. distances [rows, 2T-1]. Row r is frame r % T and sees keys[r % (batch * T)]; rows [first, last) are
/// processed.
void softmaxRows(float* scores, const float* distances, const Keys* keys, std::int64_t batchFrames, std::int64_t time,
                 std::int64_t first, std::int64_t last);

/// dWeights [rows, T]: gradient with respect to the softmax on entry, to the scores on return; the latter is also
/// written, shifted, to dDistances [rows, 2T-1], 0 elsewhere.
void softmaxGradientRows(float* dWeights, const float* weights, float* dDistances, std::int64_t time,
                         std::int64_t first, std::int64_t last);

} // namespace rankscope::trainer::rows
