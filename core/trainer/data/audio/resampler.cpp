// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/audio/resampler.h"

#include <soxr.h>

#include <algorithm>
#include <array>

namespace rankscope::trainer {

struct Resampler::State {
    State(int fromRate, int toRate) : from(fromRate), to(toRate) {
        const soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I);
        const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
        const soxr_runtime_spec_t runtime = soxr_runtime_spec(1); // the loader's workers are the threads
        soxr_error_t error = nullptr;
        soxr = soxr_create(fromRate, toRate, 1, &error, &io, &quality, &runtime);
        if (error && soxr) {
            soxr_delete(soxr);
            soxr = nullptr;
        }
    }
    ~State() { soxr_delete(soxr); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    soxr_t soxr = nullptr;
    std::int64_t from, to;
};

Resampler::Resampler(int fromRate, int toRate) {
    if (fromRate != toRate)
        m_state = std::make_unique<State>(fromRate, toRate);
}

Resampler::~Resampler() = default;

bool Resampler::push(const float* samples, std::int64_t count, std::vector<float>& out) {
    if (!m_state) {
        out.insert(out.end(), samples, samples + count);
        return true;
    }
    m_in += count;
    return count <= 0 || process(samples, count, out);
}

bool Resampler::finish(std::vector<float>& out) {
    if (!m_state)
        return true;
    if (!process(nullptr, 0, out))
        return false;
    // the library may give a few samples more or fewer than the exact length
    const std::int64_t exact = (m_in * m_state->to + m_state->from - 1) / m_state->from;
    out.resize(out.size() + static_cast<std::size_t>(exact) - static_cast<std::size_t>(m_out));
    m_out = exact;
    return true;
}

/// Without samples: what is still inside.
bool Resampler::process(const float* samples, std::int64_t count, std::vector<float>& out) {
    std::array<float, 4096> piece;
    for (;;) {
        std::size_t used = 0, made = 0;
        if (!m_state->soxr || soxr_process(m_state->soxr, samples, static_cast<std::size_t>(count), &used, piece.data(),
                                           piece.size(), &made) != nullptr)
            return false;
        out.insert(out.end(), piece.data(), piece.data() + made);
        m_out += static_cast<std::int64_t>(made);
        samples = samples ? samples + used : nullptr;
        count -= static_cast<std::int64_t>(used);
        if (made < piece.size() && count == 0)
            return true;
        if (made == 0 && used == 0)
            return false; // no progress
    }
}

} // namespace rankscope::trainer
