// SPDX-License-Identifier: Apache-2.0
// What of a .nemo file (a tar, perhaps packed with gzip) is used: two members, as bytes.
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

/// Other members are passed over, whatever is in them; a link, a device, or a name that leads out of the archive is an
/// error. No more memory is used than the file has bytes (packed: 50 times that), and 16 MiB for the configuration.
Result<NemoMembers> readNemoMembers(const std::filesystem::path& path);

struct NemoWeightsPlace {
    std::uint64_t begin = 0, size = 0; ///< bytes of the file
};

/// Where the weights lie, checked as above without reading them. None: the file is packed.
Result<std::optional<NemoWeightsPlace>> findNemoWeights(const std::filesystem::path& path);

} // namespace rankscope::trainer
