// SPDX-License-Identifier: Apache-2.0
// marks.json in a run's folder: the notes that people make about a run. The window and the command line write it, never
// the supervisor; the measured run is not changed.
#pragma once

#include "core/launch/run/run_folder.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::launch {

/// A note at one step or over a range of steps.
struct Annotation {
    std::int64_t id = 0;                        ///< unique within the run
    std::int64_t firstStep = -1, lastStep = -1; ///< equal: a single step
    std::int64_t timeNs = 0;                    ///< of firstStep, since the run's start; for a time axis
    int rank = -1;                              ///< -1: all ranks
    std::string text;
    std::int64_t madeRealtimeNs = 0; ///< wall clock
    friend bool operator==(const Annotation&, const Annotation&) = default;
};

/// The contents of marks.json.
struct RunMarks {
    std::string title;             ///< the run's title, one line; empty: named after its recipe
    std::vector<std::string> tags; ///< in addition to those that run.json got at launch or import
    std::string note;
    bool favourite = false;
    bool archived = false;               ///< left out of lists unless asked for
    std::vector<Annotation> annotations; ///< sorted by firstStep
    friend bool operator==(const RunMarks&, const RunMarks&) = default;

    /// Inserts the annotation in order of its first step and gives it an id, which is returned.
    std::int64_t annotate(Annotation annotation);
};

/// Returns empty marks for a run without the file. The error Malformed names the key.
Result<RunMarks> readMarks(const RunPaths& run);
/// Reads the marks, applies `change`, and replaces the whole file while no other process does; returns what was
/// written. Tags are trimmed, and empty and repeated ones are dropped. Fields added by a newer version are kept.
/// Returns Busy if another process holds the marks for seconds; a damaged file is not replaced.
Result<RunMarks> editMarks(const RunPaths& run, const std::function<void(RunMarks&)>& change);

} // namespace rankscope::launch
