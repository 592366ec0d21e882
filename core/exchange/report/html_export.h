// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"

#include <filesystem>

namespace rankscope::exchange {

/// A run on one page: how it ended, figures per rank, curves, who waited for whom, incidents with cause and remedy,
/// settings that differ from NeMo's. One file that loads nothing else and runs no script; light or dark as the reader's
/// system is. Its size does not grow with the steps.
Result<void> exportHtml(store::RunReader& reader, const launch::RunPaths& run, const launch::RunInfo& info,
                        const std::filesystem::path& file);

} // namespace rankscope::exchange
