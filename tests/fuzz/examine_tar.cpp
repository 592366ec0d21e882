// SPDX-License-Identifier: Apache-2.0
// A tar file of utterances.
#include "core/trainer/formats/archives/tar_file.h"
#include "tests/fuzz/target.h"

#include <algorithm>

namespace rankscope::fuzz {

using namespace trainer;

static void examine(const std::string& bytes) {
    const auto path = put("fuzz.tar", bytes).string();
    const auto listing = listTar(path);
    if (!listing)
        return require(!listing.error().what.empty(), "refused without a reason");
    taken += listing->members.empty() ? 0 : 1;
    require(!listing->damage || !listing->damage->what.empty(), "damaged, but it is not said how");
    for (std::size_t i = 0; i < std::min<std::size_t>(listing->members.size(), 8); ++i) {
        const TarMember& member = listing->members[i];
        require(member.at >= 0 && member.bytes >= 0 &&
                    member.at + member.bytes <= static_cast<std::int64_t>(bytes.size()),
                "a member outside of the file");
        const auto content = readTarMember(path, member);
        require(content ? content->size() == static_cast<std::size_t>(member.bytes) : !content.error().what.empty(),
                "another size than was listed");
    }
}

RANKSCOPE_FUZZ_TARGET(tar)

} // namespace rankscope::fuzz
