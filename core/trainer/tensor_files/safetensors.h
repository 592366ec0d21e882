// SPDX-License-Identifier: Apache-2.0
// The safetensors format: u64 header size, JSON header, tensor bytes (https://github.com/huggingface/safetensors).
#pragma once

#include "core/base/files/atomic_file.h"
#include "core/base/values/error.h"
#include "core/trainer/named_tensors.h"

#include <filesystem>
#include <map>
#include <string>

namespace rankscope::trainer {

struct SafeTensors {
    StateDict tensors; ///< in the order of their bytes
    std::map<std::string, std::string> metadata;

    /// Returns the tensor of that name, undefined if there is none.
    torch::Tensor find(const std::string& name) const;
    /// Returns the tensors whose name starts with `prefix`, without the prefix.
    StateDict under(const std::string& prefix) const;
};

/// Reads F64, F32, F16, BF16, I64, I32, I16, I8, U8 and BOOL tensors to the CPU. Sizes, shapes and offsets are checked
/// against the file before anything is allocated: a damaged file is an error of code Malformed that says what is wrong.
Result<SafeTensors> readSafetensors(const std::filesystem::path& path);
/// Reads only the metadata; the file's length and the header are checked as well.
Result<std::map<std::string, std::string>> readSafetensorsMetadata(const std::filesystem::path& path);

/// Writes a file next to `path`, syncs it and renames it over `path`, as AtomicFile does. Names must differ.
Result<void> writeSafetensors(AtomicFile file, const StateDict& tensors,
                              const std::map<std::string, std::string>& metadata = {});
/// Does the same with the file that AtomicFile::create() makes of `path`.
Result<void> writeSafetensors(const std::filesystem::path& path, const StateDict& tensors,
                              const std::map<std::string, std::string>& metadata = {});

} // namespace rankscope::trainer
