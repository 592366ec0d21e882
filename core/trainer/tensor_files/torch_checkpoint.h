// SPDX-License-Identifier: Apache-2.0
// PyTorch's own format for weights (torch.save of a state dict): a zip with a pickle and one record per storage. Read
// and written without executing anything.
#pragma once

#include "core/base/values/error.h"
#include "core/trainer/named_tensors.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace rankscope::trainer {

/// Reads to the CPU; tensors that share a storage in the file share it here. Checksums, sizes, offsets and strides are
/// checked, and no more memory is used than the file has bytes (and as much again for its description).
Result<StateDict> readTorchCheckpoint(const std::filesystem::path& path);
/// Does the same for a file with these bytes; `where` names it in errors.
Result<StateDict> readTorchCheckpoint(std::string_view bytes, const std::string& where);

/// Writes a temporary file, syncs it and renames it. Python's torch.load(weights_only=True) accepts it. Equal states
/// give equal bytes.
Result<void> writeTorchCheckpoint(const std::filesystem::path& path, const StateDict& state);

namespace detail {
/// Passes the bytes of such a file, in order, to `sink`. Error: a name occurs twice, or a type has no storage class.
Result<void> streamTorchCheckpoint(const StateDict& state, const std::string& where,
                                   const std::function<void(const void*, std::size_t)>& sink);
} // namespace detail

} // namespace rankscope::trainer
