// SPDX-License-Identifier: Apache-2.0
// NeMo's model files: a tar with model_config.yaml and model_weights.ckpt.
#pragma once

#include "core/base/values/error.h"
#include "core/trainer/named_tensors.h"

#include <filesystem>
#include <string>

namespace rankscope::trainer {

struct NemoFile {
    std::string modelConfig; ///< YAML: NeMo's `model` section, with target and nemo_version
    StateDict weights;
};

/// A plain tar or one packed with gzip. Other members (NeMo's artefacts) are passed over; a member that is a link or
/// whose name leads out of the archive is an error, and so is a size that the archive cannot hold.
Result<NemoFile> readNemo(const std::filesystem::path& path);

/// Written aside, synced, renamed. NeMo's restore_from takes it. Equal contents, equal bytes.
Result<void> writeNemo(const std::filesystem::path& path, const NemoFile& file);

/// model_config.yaml of a recipe, or of a file that is only its model section: interpolations resolved, `target` and
/// `nemo_version` as NeMo writes them, and keys that not every version of NeMo has only where they are not at their
/// default.
Result<std::string> nemoModelConfig(const std::string& yamlText, const std::string& fileName);

} // namespace rankscope::trainer
