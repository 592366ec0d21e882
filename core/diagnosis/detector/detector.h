// SPDX-License-Identifier: Apache-2.0
// The detector: a pure function (state, records and boards, now) -> (state, transitions). No clock, no file, no thread:
// the same code runs live, over a recorded run, and in tests with a simulated clock.
#pragma once

#include "core/base/values/byte_codec.h"
#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/observation.h"
#include "core/diagnosis/model/settings.h"

#include <memory>
#include <vector>

namespace rankscope::diagnosis {

/// Grows with every change of what the detector concludes from the same observations.
inline constexpr int kDetectorVersion = 6;
/// Whose saved states load() takes, too.
inline constexpr int kOldestDetectorVersion = 3;

struct Transition {
    enum class Kind : std::uint8_t { Opened, Updated, Closed } kind = Kind::Opened;
    Incident incident; ///< whole, as it stands after the transition
};

class Detector {
public:
    Detector(int worldSize, Settings settings);
    Detector(Detector&&) noexcept;
    Detector& operator=(Detector&&) noexcept;
    ~Detector();

    std::vector<Transition> advance(const Observation& observation);
    std::vector<Incident> open() const;
    bool anyOpen() const;
    double typicalStepSeconds() const; ///< median over the newest steps of all ranks; 0 before the first
    double thresholdSeconds() const;

    /// All that it knows, as bytes: another one that loads them goes on exactly as this one would.
    void save(WireWriter& out) const;
    /// False when they are not a detector's of this world size and of a version since kOldestDetectorVersion; it must
    /// not be used then.
    bool load(WireReader& in);

    struct State; ///< the detector's own

private:
    std::unique_ptr<State> m;
};

} // namespace rankscope::diagnosis
