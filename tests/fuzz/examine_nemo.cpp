// SPDX-License-Identifier: Apache-2.0
// A .nemo file.
#include "core/trainer/formats/archives/nemo_members.h"
#include "tests/fuzz/examine_records.h"

namespace rankscope::fuzz {

using namespace trainer;

static void examine(const std::string& bytes) {
    const auto members = readNemoMembers(put("fuzz.nemo", bytes));
    if (!members)
        return require(!members.error().what.empty() && !members.error().where.empty(),
                       "refused without a reason or a place");
    ++taken;
    require(members->config.size() <= (16u << 20) && members->weights.size() <= 50 * bytes.size(),
            "more bytes than the file can hold");
    isSound(readCheckpointRecords(
                ArchiveReader::openBytes(members->weights.view(), "fuzz", ArchiveReader::ArchiveKind::Zip), "fuzz"),
            members->weights.size());
}

RANKSCOPE_FUZZ_TARGET(nemo)

} // namespace rankscope::fuzz
