// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/detector/detector_state.h"
#include "core/diagnosis/model/observation.h"

namespace rankscope::diagnosis {

/// Tracks, in one round, losses and gradients that are not finite, and batches without a masked frame.
class NonFiniteTracker {
public:
    NonFiniteTracker(DetectorState& state, const Observation& observation) : m_s(state), m_o(observation) {}

    void take(int rank, const telemetry::AnyRecord& record);
    void track();

private:
    void takeStep(int rank, const telemetry::StepRecord& record);
    void takeNote(int rank, const telemetry::NoteRecord& record);
    void addBad(int rank, std::int64_t step, NonFinite what);
    void open();

    DetectorState& m_s;
    const Observation& m_o;
};

} // namespace rankscope::diagnosis
