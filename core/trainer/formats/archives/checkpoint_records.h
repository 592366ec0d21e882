// SPDX-License-Identifier: Apache-2.0
// Reads a file of torch.save from its zip: the pickle's description of the tensors, and the bytes that they are views
// of.
#pragma once

#include "core/trainer/formats/archives/archive_reader.h"
#include "core/trainer/formats/pickle/pickled_state.h"
#include "core/trainer/formats/tensors/raw_bytes.h"

#include <map>
#include <string>
#include <vector>

namespace rankscope::trainer {

struct CheckpointRecords {
    /// Each is inside its storage. Tensors of one storage agree on its type and size, and the storage has that many
    /// bytes.
    std::vector<TensorSpec> tensors;
    std::map<std::string, RawBytes> storages; ///< by key; those that a tensor uses
};

/// Reads the archive once and skips storages that no tensor uses (an optimizer's). No more memory is used than the
/// archive has bytes (and as much again for its description). `where` names it in errors.
Result<CheckpointRecords> readCheckpointRecords(Result<ArchiveReader> zip, const std::string& where);
/// Reads only the tensors, checked as above against the sizes that the archive declares; no storage is read.
Result<std::vector<TensorSpec>> readCheckpointTensors(Result<ArchiveReader> zip, const std::string& where);

} // namespace rankscope::trainer
