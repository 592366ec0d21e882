// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/text/message.h"
#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"

#include <filesystem>

namespace rankscope::exchange {

/// Writes a report of a run on one page: its outcome, figures per rank, incidents with cause and remedy, the notes of
/// users, which rank waited for which, curves, warnings, settings that differ from NeMo's. The file loads nothing else,
/// runs no script, and follows the light or dark mode of the reader's system. Its size does not grow with the steps.
/// Text that the run itself recorded, such as its warnings, is always English.
Result<void> exportHtml(store::RunReader& reader, const launch::RunPaths& run, const launch::RunInfo& info,
                        const std::filesystem::path& file, Language language = Language::English);

} // namespace rankscope::exchange
