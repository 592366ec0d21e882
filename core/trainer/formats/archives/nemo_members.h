// SPDX-License-Identifier: Apache-2.0
// The two members of a .nemo file (a tar, possibly compressed with gzip) that are used, as bytes.
#pragma once

#include "core/base/values/error.h"
#include "core/trainer/formats/tensors/raw_bytes.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace rankscope::trainer {

inline constexpr std::string_view kNemoConfig = "model_config.yaml", kNemoWeights = "model_weights.ckpt";

struct NemoMembers {
    RawBytes config, weights;
};

/// Other members are skipped, whatever they contain; a link, a device, or a name that leads out of the archive is an
/// error. No more memory is used than the file has bytes (compressed: 50 times that), and 16 MiB for the configuration.
Result<NemoMembers> readNemoMembers(const std::filesystem::path& path);

struct NemoWeightsPlace {
    std::uint64_t begin = 0, size = 0; ///< bytes of the file
};

/// Returns where the weights are, checked as above without reading them. None: the file is compressed.
Result<std::optional<NemoWeightsPlace>> findNemoWeights(const std::filesystem::path& path);

} // namespace rankscope::trainer
