// SPDX-License-Identifier: Apache-2.0
// NeMo's model files: a tar with model_config.yaml and model_weights.ckpt.
#pragma once

#include "core/base/files/atomic_file.h"
#include "core/base/values/error.h"
#include "core/trainer/named_tensors.h"

#include <filesystem>
#include <string>

namespace rankscope::trainer {

struct NemoFile {
    std::string modelConfig; ///< YAML: NeMo's `model` section, with target and nemo_version
    StateDict weights;
};

/// Reads a plain tar or one compressed with gzip. Other members (NeMo's artifacts) are skipped; a member that is a link
/// or whose name leads out of the archive is an error, and so is a size that the archive cannot hold.
Result<NemoFile> readNemo(const std::filesystem::path& path);

/// Writes and commits the file. NeMo's restore_from accepts it. Equal contents give equal bytes.
Result<void> writeNemo(AtomicFile file, const NemoFile& content);
/// Does the same with the file that AtomicFile::create() makes of `path`.
Result<void> writeNemo(const std::filesystem::path& path, const NemoFile& content);

/// Returns the model_config.yaml of a recipe, or of a file with only its model section: interpolations resolved,
/// `target` and `nemo_version` as NeMo writes them, and keys that not every version of NeMo has only if they differ
/// from their default.
Result<std::string> nemoModelConfig(const std::string& yamlText, const std::string& fileName);

} // namespace rankscope::trainer
