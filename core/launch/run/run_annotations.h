// SPDX-License-Identifier: Apache-2.0
// marks.json in a run's folder: what people say of a run. The window and the command line write it, never the
// supervisor; the measured run stays as it is.
#pragma once

#include "core/launch/run/run_folder.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::launch {

/// A remark at a step or over some.
struct Annotation {
    std::int64_t id = 0;                        ///< of its own within the run
    std::int64_t firstStep = -1, lastStep = -1; ///< the same: a point
    std::int64_t timeNs = 0;                    ///< of firstStep, since the run's start; for a time axis
    int rank = -1;                              ///< -1: of all
    std::string text;
    std::int64_t madeRealtimeNs = 0; ///< wall clock
    friend bool operator==(const Annotation&, const Annotation&) = default;
};

struct RunMarks {
    std::string title;             ///< what the run is called, one line; empty: as its recipe
    std::vector<std::string> tags; ///< beside those that run.json got at launch or import
    std::string note;
    bool favourite = false;
    bool archived = false;               ///< left out of lists unless asked for
    std::vector<Annotation> annotations; ///< by firstStep
    friend bool operator==(const RunMarks&, const RunMarks&) = default;

    /// Gives it an id and its place; returns the id.
    std::int64_t annotate(Annotation annotation);
};

/// A run without the file has none. Malformed names the key.
Result<RunMarks> readMarks(const RunPaths& run);
/// Reads, lets `change` change, and replaces the file as a whole while no other process does; returns what was written.
/// Tags are trimmed, empty and repeated ones dropped. What a newer version wrote beside is kept. Busy when another
/// process holds the marks for seconds; a damaged file is not replaced.
Result<RunMarks> editMarks(const RunPaths& run, const std::function<void(RunMarks&)>& change);

} // namespace rankscope::launch
