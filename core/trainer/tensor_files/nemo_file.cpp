// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/tensor_files/nemo_file.h"

#include "core/base/values/result.h"
#include "core/trainer/formats/archives/nemo_members.h"
#include "core/trainer/tensor_files/torch_checkpoint.h"

#include <fmt/format.h>

namespace rankscope::trainer {

Result<NemoFile> readNemo(const std::filesystem::path& path) {
    RS_TRY_ASSIGN(const auto members, readNemoMembers(path));
    NemoFile out;
    out.modelConfig = members.config.view();
    RS_TRY_ASSIGN(auto weights,
                  readTorchCheckpoint(members.weights.view(), fmt::format("{}:{}", path.string(), kNemoWeights)));
    out.weights = std::move(weights);
    return out;
}

} // namespace rankscope::trainer
