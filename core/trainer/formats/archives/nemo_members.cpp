// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/formats/archives/nemo_members.h"

#include "core/base/files/file.h"
#include "core/base/values/result.h"
#include "core/trainer/formats/archives/archive_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace rankscope::trainer {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxConfig = 16u << 20;
constexpr std::size_t kMaxNemoMembers = 10'000;
constexpr std::uint64_t kMaxPacking = 50; ///< largest accepted gzip ratio; for weights it is about 1.1 in practice

struct FoundMembers {
    NemoMembers members;
    bool config = false, weights = false; ///< whether each was found
    NemoWeightsPlace place;               ///< if only that is requested
};

/// Returns the name without leading "./"; none if it leads out of the archive.
std::optional<std::string> insideName(const std::string& name) {
    if (name.starts_with('/'))
        return std::nullopt;
    std::string out;
    for (const auto& part : fs::path(name)) {
        if (part == "..")
            return std::nullopt;
        if (part.empty() || part == ".")
            continue;
        out += (out.empty() ? "" : "/") + part.string();
    }
    return out;
}

bool isGzip(const fs::path& path) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    unsigned char magic[2] = {};
    return fd && ::pread(fd.get(), magic, sizeof magic, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
}

class NemoReader {
public:
    NemoReader(const fs::path& path, bool withWeights) : m_path(path), m_withWeights(withWeights) {}

    Result<FoundMembers> found() {
        RS_TRY_ASSIGN(auto tar, ArchiveReader::openFile(m_path, ArchiveReader::ArchiveKind::Tar));
        m_limit = tar.size();
        if (isGzip(m_path))
            m_limit = std::min<std::uint64_t>(m_limit, ~0ull / kMaxPacking) * kMaxPacking;
        FoundMembers out;
        for (std::size_t count = 0;; ++count) {
            RS_TRY_ASSIGN(const auto member, tar.next());
            if (!member)
                break;
            if (count >= kMaxNemoMembers)
                return malformed({"has more than {} members", kMaxNemoMembers});
            RS_TRY(take(tar, *member, out));
        }
        if (!out.config || !out.weights)
            return malformed({"is not a NeMo file: it has no member {}", out.config ? kNemoWeights : kNemoConfig});
        return out;
    }

private:
    tl::unexpected<Error> malformed(Message what) const {
        return fail(Errc::Malformed, std::move(what), m_path.string());
    }

    Result<void> take(ArchiveReader& tar, const ArchiveReader::Member& member, FoundMembers& out) {
        const auto name = insideName(member.name);
        if (!name)
            return malformed({"member {} points outside the archive", member.name});
        if (member.type == ArchiveReader::Member::MemberType::Link)
            return malformed({"member {} is a link", member.name});
        if (member.type == ArchiveReader::Member::MemberType::Other)
            return malformed({"member {} is neither a file nor a folder", member.name});
        if (*name != kNemoConfig && *name != kNemoWeights)
            return {};
        const bool isConfig = *name == kNemoConfig;
        const std::uint64_t limit = isConfig ? std::min(kMaxConfig, m_limit) : m_limit;
        const bool twice = std::exchange(isConfig ? out.config : out.weights, true);
        if (twice)
            return malformed({"member {} occurs twice", member.name});
        if (member.type != ArchiveReader::Member::MemberType::File)
            return malformed({"member {} is a folder; a file was expected", member.name});
        if (member.size > limit)
            return malformed({"member {} claims {} bytes; at most {} are possible", member.name,
                              std::to_string(member.size), std::to_string(limit)});
        if (!isConfig && !m_withWeights) {
            out.place = {tar.contentBegin(), member.size};
            return {};
        }
        auto bytes = RawBytes::ofSize(member.size);
        if (!bytes)
            return malformed({"member {}: not enough memory for {} bytes", member.name, member.size});
        RawBytes& target = isConfig ? out.members.config : out.members.weights;
        target = std::move(*bytes);
        return tar.read(target.data(), member.size);
    }

    const fs::path& m_path;
    bool m_withWeights;
    std::uint64_t m_limit = 0; ///< of a member's size
};

} // namespace

Result<NemoMembers> readNemoMembers(const fs::path& path) {
    RS_TRY_ASSIGN(auto found, NemoReader(path, true).found());
    return std::move(found.members);
}

Result<std::optional<NemoWeightsPlace>> findNemoWeights(const fs::path& path) {
    if (isGzip(path))
        return std::optional<NemoWeightsPlace>();
    RS_TRY_ASSIGN(const auto found, NemoReader(path, false).found());
    return std::optional(found.place);
}

} // namespace rankscope::trainer
