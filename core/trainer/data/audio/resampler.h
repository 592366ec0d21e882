// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace rankscope::trainer {

/// A mono stream from one sample rate to another (libsoxr at its high quality, as librosa, and so NeMo, has it). Equal
/// rates pass through.
/// The result of n samples has ceil(n x to / from) samples, as librosa's.
class Resampler {
public:
    /// Rates above 0 whose ratio lies in 1/256 ... 256.
    Resampler(int fromRate, int toRate);
    ~Resampler();
    Resampler(const Resampler&) = delete;
    Resampler& operator=(const Resampler&) = delete;

    /// Appends what is ready to `out`. False when the library fails.
    bool push(const float* samples, std::int64_t count, std::vector<float>& out);
    /// Appends the rest; the stream is over.
    bool finish(std::vector<float>& out);

private:
    bool process(const float* samples, std::int64_t count, std::vector<float>& out);

    struct State;
    std::unique_ptr<State> m_state; // none: equal rates
    std::int64_t m_in = 0, m_out = 0;
};

} // namespace rankscope::trainer
