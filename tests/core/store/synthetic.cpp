// SPDX-License-Identifier: Apache-2.0
#include "synthetic.h"

#include <algorithm>
#include <cmath>

using namespace rankscope;
using namespace rankscope::telemetry;

namespace synthetic {

static std::int64_t beginOf(std::int64_t step) {
    return kStartNs + step * 1'000'000'000;
}

AnyRecord stepRecord(std::int64_t step, double loss) {
    StepRecord record;
    record.header.step = step;
    record.header.timeNs = beginOf(step) + 900'000'000;
    record.loss = loss;
    record.flags = std::isnan(loss) ? 1 : 0;
    record.learningRate = 1e-3;
    record.gradientNorm = 2;
    record.beginNs = beginOf(step);
    record.endNs = record.header.timeNs;
    return AnyRecord::of(record);
}

static AnyRecord collective(const std::string& tag, std::uint64_t sequence, std::int64_t step, std::int64_t arrivedNs) {
    CollectiveRecord record;
    record.header.step = step;
    record.header.timeNs = arrivedNs + 1000;
    record.sequence = sequence;
    record.op = CollectiveOp::AllReduce;
    record.arrivedNs = record.startedNs = arrivedNs;
    record.doneNs = arrivedNs + 1000;
    record.exposedNs = 10;
    putText(record.tag, sizeof record.tag, tag);
    return AnyRecord::of(record);
}

static AnyRecord phase(Phase which, std::int64_t step, std::int64_t beginNs, std::int64_t lengthNs) {
    PhaseRecord record;
    record.header.step = step;
    record.header.timeNs = beginNs + lengthNs;
    record.phase = which;
    record.beginNs = beginNs;
    record.endNs = beginNs + lengthNs;
    return AnyRecord::of(record);
}

Stream makeStream(const Options& options) {
    Stream s;
    s.ranks.resize(static_cast<std::size_t>(options.worldSize));
    std::mt19937_64 random(options.seed);
    std::uint64_t sequence = options.firstSequence;
    for (std::int64_t step = options.firstStep; step < options.firstStep + options.steps; ++step) {
        for (int r = 0; r < options.worldSize; ++r)
            s.ranks[static_cast<std::size_t>(r)].push_back(phase(Phase::DataWait, step, beginOf(step), 1000 * (r + 1)));
        for (std::size_t t = 0; t < options.tags.size(); ++t, ++sequence) {
            std::vector<std::int64_t> arrived;
            for (int r = 0; r < options.worldSize; ++r) {
                arrived.push_back(beginOf(step) + static_cast<std::int64_t>(t) * 100'000'000 +
                                  static_cast<std::int64_t>(random() % 90'000'000));
                s.ranks[static_cast<std::size_t>(r)].push_back(
                    collective(options.tags[t], sequence, step, arrived.back()));
            }
            const std::string family = options.tags[t].substr(0, options.tags[t].find(':'));
            int holder = 0;
            for (int r = 0; r < options.worldSize; ++r)
                if (arrived[static_cast<std::size_t>(r)] > arrived[static_cast<std::size_t>(holder)])
                    holder = r;
            for (int r = 0; r < options.worldSize; ++r) {
                const std::int64_t wait =
                    arrived[static_cast<std::size_t>(holder)] - arrived[static_cast<std::size_t>(r)];
                s.waits[{r, step, family}] += wait;
                s.waits[{r, step, ""}] += wait;
                if (wait > 0)
                    s.pairs[{r, holder, family, step}] += wait;
            }
        }
        for (int r = 0; r < options.worldSize; ++r) {
            const double loss = static_cast<double>(random() % 10000) / 100 + r;
            s.loss[{r, step}] = loss;
            s.ranks[static_cast<std::size_t>(r)].push_back(stepRecord(step, loss));
        }
    }
    s.nextSequence = sequence;
    return s;
}

store::RunWriter::Chunk chunk(const Stream& stream, int rank, std::size_t from, std::size_t to) {
    const auto& records = stream.ranks[static_cast<std::size_t>(rank)];
    store::RunWriter::Chunk c;
    c.rank = rank;
    c.records = std::span(records).subspan(from, to - from);
    c.after = {0, to};
    c.counters.records = to;
    return c;
}

Result<void> commitAll(store::RunWriter& target, const Stream& stream, unsigned seed, std::size_t largest) {
    std::mt19937 random(seed);
    std::vector<std::size_t> done(stream.ranks.size());
    for (;;) {
        std::vector<store::RunWriter::Chunk> chunks;
        bool left = false;
        for (std::size_t r = 0; r < done.size(); ++r) {
            const std::size_t to = std::min(done[r] + random() % largest, stream.ranks[r].size());
            if (to > done[r])
                chunks.push_back(chunk(stream, static_cast<int>(r), done[r], to));
            done[r] = to;
            left |= to < stream.ranks[r].size();
        }
        if (auto committed = target.commit(chunks, {}); !committed || !left)
            return committed;
    }
}

void commit(store::RunWriter& target, int rank, const std::vector<AnyRecord>& records) {
    const store::RunWriter::Chunk chunk{rank, records, {}, {}};
    if (auto committed = target.commit({&chunk, 1}, {}); !committed)
        qFatal("%s", committed.error().message().c_str());
}

std::int64_t counter(const std::filesystem::path& file, const std::string& name) {
    std::int64_t sum = 0;
    auto reader = take(store::RunReader::open(file));
    for (const store::Counter& c : take(reader.counters()))
        sum += c.name == name ? c.value : 0;
    return sum;
}

} // namespace synthetic
