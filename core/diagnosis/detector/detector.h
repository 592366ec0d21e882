// SPDX-License-Identifier: Apache-2.0
// The detector: a pure function (state, records and boards, now) -> (state, transitions). It uses no clock, file or
// thread: the same code runs live, over a recorded run, and in tests with a simulated clock.
#pragma once

#include "core/base/values/byte_codec.h"
#include "core/base/values/hidden_part.h"
#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/observation.h"
#include "core/diagnosis/model/settings.h"
#include "core/telemetry/format/process_groups.h"

#include <vector>

namespace rankscope::diagnosis {

/// Increases with every change of what the detector concludes from the same observations.
inline constexpr int kDetectorVersion = 10;
/// The oldest version whose saved states load() accepts.
inline constexpr int kOldestDetectorVersion = 3;

struct DetectorState;

class Detector {
public:
    /// `firstIncident`: the ID of the first incident. A run whose ranks were started again continues an earlier count.
    Detector(int worldSize, const Settings& settings, std::int64_t firstIncident = 1);

    std::vector<Transition> advance(const Observation& observation);
    /// Takes settings that differ in what they say about a program's recipe, which becomes known while it trains: later
    /// incidents get remedies that name its keys.
    void use(const Settings& settings);
    std::vector<Incident> open() const;
    bool anyOpen() const;
    /// Returns the ID that the next incident will get.
    std::int64_t nextIncident() const;
    /// Returns the members of the run's process groups, as far as the ranks have reported them.
    const telemetry::ProcessGroups& groups() const;

    /// Writes the whole state. A detector that loads it continues exactly as this one would.
    void save(ByteEncoder& out) const;
    /// Returns false if the bytes are not the state of a detector of this world size and of version
    /// kOldestDetectorVersion or later. The detector must not be used then.
    bool load(ByteDecoder& in);

private:
    HiddenPart<DetectorState> m;
};

} // namespace rankscope::diagnosis
