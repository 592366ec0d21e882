// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/resampler.h"

#include <samplerate.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace rankscope::trainer {

struct Resampler::State {
    State(int fromRate, int toRate) : from(fromRate), to(toRate) {
        int error = 0;
        src = src_new(SRC_SINC_MEDIUM_QUALITY, 1, &error);
    }
    ~State() { src_delete(src); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    SRC_STATE* src = nullptr;
    std::int64_t from, to;
};

Resampler::Resampler(int fromRate, int toRate) {
    if (fromRate == toRate)
        return;
    m_state = std::make_unique<State>(fromRate, toRate);
    m_ratio = static_cast<double>(toRate) / fromRate;
}

Resampler::~Resampler() = default;

bool Resampler::push(const float* samples, std::int64_t count, std::vector<float>& out) {
    if (!m_state) {
        out.insert(out.end(), samples, samples + count);
        return true;
    }
    return process(samples, count, false, out);
}

bool Resampler::finish(std::vector<float>& out) {
    if (!m_state)
        return true;
    if (!process(nullptr, 0, true, out))
        return false;
    // the library may give a few samples more or fewer than the exact length
    const std::int64_t exact = (m_in * m_state->to + m_state->from - 1) / m_state->from;
    out.resize(out.size() + static_cast<std::size_t>(exact) - static_cast<std::size_t>(m_out));
    m_out = exact;
    return true;
}

bool Resampler::process(const float* samples, std::int64_t count, bool last, std::vector<float>& out) {
    static const float none = 0;
    std::array<float, 4096> piece;
    SRC_DATA data{};
    data.data_in = samples ? samples : &none;
    data.input_frames = static_cast<long>(count);
    data.data_out = piece.data();
    data.output_frames = static_cast<long>(piece.size());
    data.src_ratio = m_ratio;
    data.end_of_input = last ? 1 : 0;
    m_in += count;
    for (;;) {
        if (!m_state->src || src_process(m_state->src, &data) != 0)
            return false;
        out.insert(out.end(), piece.data(), piece.data() + data.output_frames_gen);
        m_out += data.output_frames_gen;
        data.data_in += data.input_frames_used;
        data.input_frames -= data.input_frames_used;
        if (data.input_frames == 0 && data.output_frames_gen < data.output_frames)
            return true;
        if (data.input_frames_used == 0 && data.output_frames_gen == 0)
            return false; // no progress: never happens with sane ratios
    }
}

} // namespace rankscope::trainer
