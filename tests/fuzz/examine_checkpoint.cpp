// SPDX-License-Identifier: Apache-2.0
// A file of torch.save: the zip and its records.
#include "tests/fuzz/examine_records.h"

namespace rankscope::fuzz {

static void examine(const std::string& bytes) {
    using trainer::ArchiveReader;
    const auto open = [&] { return ArchiveReader::openBytes(bytes, "fuzz", ArchiveReader::ArchiveKind::Zip); };
    const auto records = readCheckpointRecords(open(), "fuzz");
    isSound(records, bytes.size());
    const auto tensors = readCheckpointTensors(open(), "fuzz");
    require(!records || (tensors && tensors->size() == records->tensors.size()),
            "what can be read is not what was said to be there");
}

RANKSCOPE_FUZZ_TARGET(checkpoint)

} // namespace rankscope::fuzz
