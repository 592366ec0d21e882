// SPDX-License-Identifier: Apache-2.0
// Lists uncompressed tar files (libarchive: ustar, pax, GNU), and reads single members at their position. Headers are
// not trusted.
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
    std::optional<Error> damage;    ///< where the file is truncated; its content after that is unknown
};

constexpr std::int64_t kMaxMemberBytes = std::int64_t{1} << 30; ///< more than an hour of any usual recording

/// Reads headers only. Returns an error if the file cannot be opened or does not start as a tar file.
Result<TarListing> listTar(const std::string& path);

/// Returns the content of one member, or an error if the file has changed since it was listed or is truncated, or if
/// the member claims more than kMaxMemberBytes.
Result<std::string> readTarMember(const std::string& path, const TarMember& member);

} // namespace rankscope::trainer
