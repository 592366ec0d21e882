// SPDX-License-Identifier: Apache-2.0
// Runs that Rankscope did not make, from TensorBoard event files (PyTorch's, Lightning's, its own) and the folder of
// NeMo's exp_manager.
#pragma once

#include "core/exchange/tensorboard/event_import.h"
#include "core/launch/run/run_folder.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::exchange {

struct ImportOptions {
    std::vector<std::filesystem::path> paths;
    std::filesystem::path config; ///< the recipe; empty: hparams.yaml where there is one
    std::string name;             ///< empty: of the recipe, else of the folder
    std::filesystem::path runsDir;
    std::vector<std::string> argv;
};

struct Imported {
    launch::RunPaths run;
    launch::RunInfo info;
    std::map<std::string, EventImport::SeriesFound> series; ///< by tag
    std::int64_t points = 0;
    std::vector<std::string> remarks; ///< what could not be read or was left out; notes in the store, too
};

/// Makes a run's folder, in the state `imported`. It is built under a name with a dot in front and renamed when it is
/// whole; the sources are left as they are. Of a damaged file what can be read is read; an Error where that is nothing.
Result<Imported> importRun(const ImportOptions& options);

/// NeMo's models save their configuration as hparams.yaml with all of it under `cfg`; in a recipe that is `model`. Any
/// other text stays as it is.
std::string recipeOfHparams(std::string text);

} // namespace rankscope::exchange
