// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/open/open_store.h"
#include "core/store/tables/metrics.h"
#include "core/store/waits/wait_report.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace rankscope::store {

/// Selects the rows and columns of the CSV files. `steps` also limits single collectives and phases.
struct CsvOptions {
    std::vector<Metric> series;        ///< columns of steps.csv; empty: all
    std::vector<int> ranks;            ///< empty: all
    StepInterval steps{-1, INT64_MAX}; ///< -1: before training
};

/// Writes figures as stored, times and waits in ns: steps.csv, collectives.csv, phases.csv, waits.csv, resources.csv,
/// incidents.csv, notes.csv, checks.csv, validations.csv, and scalars.csv of an imported run, each as in RFC 4180 and
/// with a header line. Memory does not grow with the rows; each file appears whole or not at all.
Result<void> exportCsv(const OpenStore& store, const std::filesystem::path& dir, const CsvOptions& options = {});

} // namespace rankscope::store
