// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/libtorch.h"

namespace rankscope::trainer {

struct MelFilterbankOptions {
    int sampleRate = 16000, nFft = 512, mels = 80;
    double lowfreq = 0, highfreq = 8000; ///< Hz
    bool slaneyNorm = true;              ///< each triangle has unit area
};

/// [1, mels, nFft / 2 + 1] float32: triangles on Slaney's mel scale (linear below 1 kHz, logarithmic above), as
/// librosa.filters.mel computes them with htk=False.
torch::Tensor melFilterbank(const MelFilterbankOptions& options);

} // namespace rankscope::trainer
