// SPDX-License-Identifier: Apache-2.0
// The parts of bench_review; each runs in a separate process and returns its exit code.
#pragma once

#include "tests/bench/support.h"

#include <filesystem>

namespace rankscope::bench {

/// Opens the run and prints how long that took: for the window alone, and since `execNs` (monotonic), a moment before
/// the process was started.
int measureOpen(int& argc, char** argv, const std::filesystem::path& run, std::int64_t execNs);
int measureFrames(int& argc, char** argv, const std::filesystem::path& run, const Arguments& a);
/// Compares what the store keeps, and what the plots draw at every zoom, with all raw rows.
int proveExtremes(int& argc, char** argv, const std::filesystem::path& run, const Arguments& a);
/// Measures what was measured of other viewers.
int besideViewers(int& argc, char** argv, const std::filesystem::path& dir, const Arguments& a);

/// Returns 1 and prints a line if the value is above its goal. A goal of 0 is none.
int misses(const char* what, double value, std::int64_t goal);

} // namespace rankscope::bench
