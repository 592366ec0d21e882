// SPDX-License-Identifier: Apache-2.0
// Imports runs that Rankscope did not launch, from TensorBoard event files (PyTorch's, Lightning's, its own) and from
// the folder of NeMo's exp_manager.
#pragma once

#include "core/exchange/tensorboard/event_import.h"
#include "core/launch/run/run_folder.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::exchange {

struct ImportOptions {
    std::vector<std::filesystem::path> paths;
    std::filesystem::path config; ///< the recipe; empty: hparams.yaml if there is one
    std::string name;             ///< empty: the name of the recipe, else of the folder
    std::filesystem::path runsDir;
    std::vector<std::string> argv;
};

struct Imported {
    launch::RunPaths run;
    launch::RunInfo info;
    std::map<std::string, EventImport::SeriesFound> series; ///< by tag
    std::int64_t points = 0;
    std::vector<Message> remarks; ///< what could not be read or was left out; also stored as notes
};

/// Creates a run's folder in the state `imported`. The folder is built under a name with a leading dot and renamed when
/// it is complete; the sources are not changed. The readable part of a damaged file is imported; returns an error if
/// nothing is readable.
Result<Imported> importRun(const ImportOptions& options);

/// Returns a hparams.yaml as a recipe: NeMo's models save their whole configuration in it under `cfg`, which a recipe
/// calls `model`. Any other text is returned unchanged.
std::string recipeOfHparams(std::string text);

} // namespace rankscope::exchange
