// SPDX-License-Identifier: Apache-2.0
// Tar files (libarchive: ustar, pax, GNU), uncompressed: what is in them, and one member read from its place. Nothing
// in a header is trusted.
#pragma once

#include "core/base/values/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::trainer {

struct TarMember {
    std::string name;
    std::int64_t at = 0;    ///< byte at which its header begins
    std::int64_t bytes = 0; ///< of its content
};

struct TarListing {
    std::vector<TarMember> members; ///< regular files, in their order
    std::optional<Error> damage;    ///< where the file breaks off: what lies behind is unknown
};

constexpr std::int64_t kMaxMemberBytes = std::int64_t{1} << 30; ///< more than an hour of what anybody records

/// Reads headers only. An error when the file cannot be opened or does not begin as a tar file does.
Result<TarListing> listTar(const std::string& path);

/// The content of one member. An error when the file is no longer what it was listed as, breaks off, or the member
/// claims more than kMaxMemberBytes.
Result<std::string> readTarMember(const std::string& path, const TarMember& member);

} // namespace rankscope::trainer
