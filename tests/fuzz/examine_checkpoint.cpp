// SPDX-License-Identifier: Apache-2.0
// A file of torch.save: the zip and what is in it.
#include "tests/fuzz/examine_records.h"

namespace rankscope::fuzz {

static void examine(const std::string& bytes) {
    using trainer::ArchiveReader;
    isSound(readCheckpointRecords(ArchiveReader::openBytes(bytes, "fuzz", ArchiveReader::Kind::Zip), "fuzz"),
            bytes.size());
}

RANKSCOPE_FUZZ_TARGET(checkpoint)

} // namespace rankscope::fuzz
