// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/tensor_files/nemo_file.h"

#include "core/trainer/tensor_files/torch_checkpoint.h"
#include "core/trainer/formats/archives/nemo_members.h"

#include <fmt/format.h>

namespace rankscope::trainer {

Result<NemoFile> readNemo(const std::filesystem::path& path) {
    const auto members = readNemoMembers(path);
    if (!members)
        return tl::unexpected(members.error());
    NemoFile out;
    out.modelConfig = members->config.view();
    auto weights = readTorchCheckpoint(members->weights.view(), fmt::format("{}:{}", path.string(), kNemoWeights));
    if (!weights)
        return tl::unexpected(weights.error());
    out.weights = std::move(*weights);
    return out;
}

} // namespace rankscope::trainer
