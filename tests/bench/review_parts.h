// SPDX-License-Identifier: Apache-2.0
// The parts of bench_review; each runs in a process of its own and returns its exit code.
#pragma once

#include "tests/bench/support.h"

#include <filesystem>

namespace rankscope::bench {

/// Opens the run and prints what it took: the window's own time, and since `execNs` (monotonic), before the process
/// was started.
int measureOpen(int& argc, char** argv, const std::filesystem::path& run, std::int64_t execNs);
int measureFrames(int& argc, char** argv, const std::filesystem::path& run, const Arguments& a);
/// What the store keeps, and what the plots draw at every zoom, against all raw rows.
int proveExtremes(int& argc, char** argv, const std::filesystem::path& run, const Arguments& a);
/// The same questions that other viewers were asked.
int besideViewers(int& argc, char** argv, const std::filesystem::path& dir, const Arguments& a);

/// 1 and a line when the value is above its goal; a goal of 0 is none.
int misses(const char* what, double value, std::int64_t goal);

} // namespace rankscope::bench
