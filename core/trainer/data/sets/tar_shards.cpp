// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/sets/tar_shards.h"

#include "core/plan/data/random.h"
#include "core/trainer/formats/archives/tar_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <string_view>
#include <thread>
#include <unordered_map>

namespace rankscope::trainer {

using plan::Rng;
using plan::shardSize;

namespace {

constexpr std::uint64_t kShardTag = 0x736861726473; // keeps these draws apart from others
constexpr std::size_t kListers = 8;                 // threads: listing waits for I/O, it does not compute

std::string_view baseName(std::string_view path) {
    return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

/// Returns the name without folder and extension.
std::string_view fileId(std::string_view path) {
    const std::string_view base = baseName(path);
    const auto dot = base.rfind('.');
    return dot == std::string_view::npos || dot == 0 ? base : base.substr(0, dot);
}

std::vector<Result<TarListing>> listAll(const std::vector<std::string>& shards) {
    std::vector<Result<TarListing>> listings(shards.size(), fail(Errc::Internal, "was not listed"));
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < shards.size(); i = next++)
            listings[i] = listTar(shards[i]);
    };
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(kListers, shards.size()); ++i)
        threads.emplace_back(work);
    work();
    return listings;
}

/// Shuffles through a buffer of `n` rows: each row that enters pushes out a random one.
void shuffleStream(std::vector<std::int64_t>& rows, std::int64_t n, Rng& rng) {
    if (n < 2)
        return;
    std::vector<std::int64_t> buffer, out;
    out.reserve(rows.size());
    const auto release = [&] {
        const auto at = static_cast<std::size_t>(rng.integer(0, static_cast<std::int64_t>(buffer.size()) - 1));
        out.push_back(std::exchange(buffer[at], buffer.back()));
        buffer.pop_back();
    };
    for (const std::int64_t row : rows) {
        buffer.push_back(row);
        if (static_cast<std::int64_t>(buffer.size()) >= n)
            release();
    }
    while (!buffer.empty())
        release();
    rows = std::move(out);
}

/// Shuffles a list as webdataset's shuffle(n) does: items begin to leave the buffer once it holds min(100, n), and two
/// items enter for each one that leaves, until it holds n.
std::vector<std::size_t> shuffledShards(const std::vector<std::size_t>& shards, std::int64_t n, Rng& rng) {
    constexpr std::size_t kInitial = 100;
    const auto most = static_cast<std::size_t>(std::max<std::int64_t>(n, 1));
    std::vector<std::size_t> buffer, out;
    out.reserve(shards.size());
    const auto release = [&] {
        const auto at = static_cast<std::size_t>(rng.integer(0, static_cast<std::int64_t>(buffer.size()) - 1));
        out.push_back(std::exchange(buffer[at], buffer.back()));
        buffer.pop_back();
    };
    for (std::size_t next = 0; next < shards.size();) {
        buffer.push_back(shards[next++]);
        if (buffer.size() < most && next < shards.size())
            buffer.push_back(shards[next++]);
        if (buffer.size() >= std::min(kInitial, most))
            release();
    }
    while (!buffer.empty())
        release();
    return out;
}

} // namespace

Result<ShardedRows> findInShards(const std::vector<Utterance>& rows, const std::vector<std::string>& shards,
                                 const std::function<void(const std::string&)>& warn) {
    std::unordered_map<std::string_view, std::vector<std::size_t>> byId;
    for (std::size_t i = 0; i < rows.size(); ++i)
        byId[fileId(rows[i].path)].push_back(i);
    std::vector<bool> found(rows.size());
    ShardedRows out;
    auto listings = listAll(shards);
    for (std::size_t s = 0; s < shards.size(); ++s) {
        if (!listings[s])
            return tl::unexpected(listings[s].error());
        if (listings[s]->damage)
            warn(listings[s]->damage->message());
        out.begin.push_back(static_cast<std::int64_t>(out.utterances.size()));
        const auto shard = std::make_shared<const std::string>(shards[s]);
        for (TarMember& member : listings[s]->members) {
            const auto named = byId.find(fileId(member.name));
            if (named == byId.end())
                continue;
            for (const std::size_t row : named->second) {
                Utterance utterance = rows[row];
                utterance.path = member.name;
                utterance.shard = shard;
                utterance.shardAt = member.at;
                utterance.bytes = member.bytes;
                out.utterances.push_back(std::move(utterance));
                found[row] = true;
            }
        }
        listings[s]->members = {}; // frees memory: there may be as many entries as utterances
    }
    out.begin.push_back(static_cast<std::int64_t>(out.utterances.size()));
    const auto lost = std::count(found.begin(), found.end(), false);
    if (lost > 0) {
        const auto first = static_cast<std::size_t>(std::find(found.begin(), found.end(), false) - found.begin());
        warn(fmt::format("{} of {} utterances of the manifest are in no tar file and are not used, the first is {}",
                         lost, rows.size(), rows[first].path));
    }
    return out;
}

Result<std::shared_ptr<const ShardedBucket>> ShardedBucket::create(std::vector<std::int64_t> shardBegin,
                                                                   const ShardOrderOptions& options) {
    const std::size_t shards = shardBegin.size() - 1;
    const auto ranks = static_cast<std::size_t>(options.worldSize);
    std::shared_ptr<ShardedBucket> bucket(new ShardedBucket(std::move(shardBegin), options));
    const std::vector<std::int64_t>& begin = bucket->m_begin;
    const std::size_t each = bucket->m_shards = options.replicate ? shards : shards / ranks;
    if (each == 0)
        return fail(Errc::BadInput,
                    {"names {} tar files for {} ranks, but with tarred_shard_strategy scatter each rank needs its own: "
                     "make more shards, use fewer ranks, or set replicate",
                     shards, ranks},
                    "tarred_audio_filepaths");
    bucket->m_sizes.assign(options.streams, 0);
    for (int rank = 0; rank < (options.replicate ? 1 : options.worldSize); ++rank) {
        const std::size_t first = bucket->firstShard(rank);
        if (begin[first + each] == begin[first] && begin.back() > begin.front())
            return fail(Errc::BadInput,
                        {"leaves rank {} without an utterance: its tar files {} to {} contain none from the manifest",
                         rank, first, first + each - 1},
                        "tarred_audio_filepaths");
        for (std::size_t stream = 0; stream < options.streams; ++stream) {
            std::int64_t share = 0;
            for (const std::size_t shard : bucket->shardsOf(rank, stream))
                share += begin[shard + 1] - begin[shard];
            bucket->m_sizes[stream] = std::max(bucket->m_sizes[stream], share);
        }
    }
    return bucket;
}

std::int64_t ShardedBucket::unused() const {
    return m_begin.back() - m_begin[firstShard(m_options.worldSize - 1) + m_shards];
}

std::vector<std::size_t> ShardedBucket::shardsOf(int rank, std::size_t stream) const {
    std::vector<std::size_t> shards;
    for (std::size_t i = stream; i < m_shards; i += m_options.streams)
        shards.push_back(firstShard(rank) + i);
    return shards;
}

std::vector<std::int64_t> ShardedBucket::rowsOf(const std::vector<std::size_t>& shards) const {
    std::vector<std::int64_t> rows;
    for (const std::size_t shard : shards)
        for (std::int64_t row = m_begin[shard]; row < m_begin[shard + 1]; ++row)
            rows.push_back(row);
    return rows;
}

std::vector<std::int64_t> ShardedBucket::rows(int epoch, std::uint64_t pass, std::size_t stream) const {
    std::vector<std::size_t> shards = shardsOf(m_options.rank, stream);
    Rng rng{m_options.seed, kShardTag, static_cast<std::uint64_t>(epoch), pass,
            static_cast<std::uint64_t>(m_options.rank) + (std::uint64_t{stream} << 32)};
    if (m_options.shuffle && m_options.within)
        shuffle(shards, rng);
    else if (m_options.shuffle)
        shards = shuffledShards(shards, m_options.shuffleN, rng);
    std::vector<std::int64_t> mine = rowsOf(shards);
    // some other rank has utterances in this stream: this one fills it from its other streams
    for (std::size_t other = 0; mine.empty() && other < m_options.streams; ++other)
        mine = rowsOf(shardsOf(m_options.rank, other));
    if (m_options.shuffle && m_options.within)
        shuffleStream(mine, m_options.shuffleN, rng);
    // without shuffling, ranks that share all shards begin at different places, so that together they see everything
    const std::int64_t size = m_sizes[stream];
    const std::int64_t from =
        m_options.replicate && !m_options.shuffle ? m_options.rank * shardSize(size, m_options.worldSize, false) : 0;
    std::vector<std::int64_t> out;
    out.reserve(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i)
        out.push_back(mine[static_cast<std::size_t>((from + i) % static_cast<std::int64_t>(mine.size()))]);
    return out;
}

} // namespace rankscope::trainer
