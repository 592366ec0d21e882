// SPDX-License-Identifier: Apache-2.0
#include "core/plan/data/data_plan.h"

#include <algorithm>

namespace rankscope::plan {

Result<BatchSampler> batchesOf(const config::DatasetConfig& data, const std::vector<std::int64_t>& begin, int rank,
                               int worldSize, bool sharded, std::uint64_t seed) {
    std::vector<std::shared_ptr<const BucketOrder>> buckets;
    for (std::size_t i = 0; i + 1 < begin.size(); ++i)
        buckets.push_back(
            sampledBucket(data, begin[i], begin[i + 1] - begin[i], sharded ? rank : 0, sharded ? worldSize : 1, seed));
    return batchSampler(data, std::move(buckets), sharded ? rank : 0, seed);
}

namespace {

/// Seconds of padded audio in each batch of a rank.
using BatchDurations = std::vector<double>;

class EpochLayout {
public:
    EpochLayout(DataPlan& plan, const Durations& durations) : m_plan(plan), m_durations(durations) {}

    BatchDurations add(int rank, const BatchOrder& order, std::int64_t batches) {
        RankShare share;
        share.rank = rank;
        share.batches = batches;
        BatchDurations lengths;
        lengths.reserve(static_cast<std::size_t>(batches));
        for (std::int64_t b = 0; b < batches; ++b) {
            const auto begin = order.begin[static_cast<std::size_t>(b)];
            const auto end = order.begin[static_cast<std::size_t>(b) + 1];
            double longest = 0;
            for (auto i = begin; i < end; ++i) {
                const double seconds =
                    m_durations.seconds[static_cast<std::size_t>(order.rows[static_cast<std::size_t>(i)])];
                share.speechSeconds += seconds;
                longest = std::max(longest, seconds);
            }
            const double padded = longest * static_cast<double>(end - begin);
            share.utterances += end - begin;
            share.paddedSeconds += padded;
            share.longestSeconds = std::max(share.longestSeconds, longest);
            if (padded > m_plan.longestBatchSeconds) {
                m_plan.longestBatchSeconds = padded;
                m_plan.longestBatchSize = end - begin;
            }
            lengths.push_back(padded);
        }
        m_plan.ranks.push_back(share);
        return lengths;
    }

    /// Computes which rank waits how long if a batch takes as long as its padded audio.
    void meet(const std::vector<BatchDurations>& lengths, int batchesPerMeeting) {
        const auto ranks = static_cast<double>(lengths.size());
        const std::size_t batches = lengths.front().size(), each = static_cast<std::size_t>(batchesPerMeeting);
        double waited = 0, passed = 0;
        for (std::size_t first = 0; first < batches; first += each) {
            std::vector<double> took;
            for (const BatchDurations& of : lengths) {
                double sum = 0;
                for (std::size_t b = first; b < std::min(first + each, batches); ++b)
                    sum += of[b];
                took.push_back(sum);
            }
            const double longest = *std::max_element(took.begin(), took.end());
            passed += longest * ranks;
            for (std::size_t r = 0; r < took.size(); ++r) {
                m_plan.ranks[r].waitsSeconds += longest - took[r];
                waited += longest - took[r];
            }
        }
        m_plan.imbalance = passed > 0 ? waited / passed : 0;
    }

    void sumUp() {
        double speech = 0, padded = 0;
        for (const RankShare& share : m_plan.ranks) {
            speech += share.speechSeconds;
            padded += share.paddedSeconds;
        }
        m_plan.paddingShare = padded > 0 ? 1 - speech / padded : 0;
    }

private:
    DataPlan& m_plan;
    const Durations& m_durations;
};

/// Returns why there are no shares for these manifests; empty if there are.
Message whyNot(const config::DatasetConfig& data, const config::ManifestFacts& facts) {
    if (facts.bad > 0)
        return {"{} of {} lines are unusable; the first: {}", facts.bad, facts.lines, facts.firstBad.front()};
    if (facts.used == 0)
        return {"none of the {} utterances is left: {} are shorter than min_duration {:g} s, {} longer than "
                "max_duration {:g} s",
                facts.lines,
                facts.tooShort,
                data.minDuration,
                facts.tooLong,
                data.maxDuration};
    if (data.tarred.enabled)
        return "the shares depend on the contents of the tar files, which a plan does not open";
    return {};
}

std::int64_t fewestShards(const config::TarredConfig& tarred) {
    std::size_t fewest = tarred.shards.empty() ? 0 : tarred.shards.front().size();
    for (const auto& shards : tarred.shards)
        fewest = std::min(fewest, shards.size());
    return static_cast<std::int64_t>(fewest);
}

} // namespace

Result<DataPlan> planData(const std::string& section, const config::DatasetConfig& data, const DataOptions& options) {
    DataPlan plan;
    plan.section = section;
    auto durations = readDurations(data, options.cancelled);
    if (!durations) {
        if (durations.error().code == Errc::Busy)
            return tl::unexpected(durations.error());
        plan.problem = plan.facts.problem = durations.error().asMessage();
        return plan;
    }
    plan.facts = durations->facts;
    plan.facts.shards = data.tarred.enabled ? fewestShards(data.tarred) : 0;
    plan.problem = whyNot(data, plan.facts);
    if (!plan.problem.empty())
        return plan;
    EpochLayout layout(plan, *durations);
    std::vector<BatchDurations> lengths;
    for (int rank = 0; rank < options.ranks; ++rank) {
        if (options.cancelled && options.cancelled())
            return fail(Errc::Busy, "was cancelled", section);
        const auto sampler =
            batchesOf(data, durations->bucketBegin, rank, options.ranks, options.sharded, options.seed(rank));
        if (!sampler) {
            plan.problem = sampler.error().asMessage();
            return plan;
        }
        plan.batchesPerRank = sampler->batches();
        lengths.push_back(layout.add(rank, sampler->order(0), options.limit.of(plan.batchesPerRank)));
    }
    layout.sumUp();
    layout.meet(lengths, std::max(1, options.batchesPerMeeting));
    return plan;
}

} // namespace rankscope::plan
