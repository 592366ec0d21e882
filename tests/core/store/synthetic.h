// SPDX-License-Identifier: Apache-2.0
// Records as ranks would write them, and an independent computation of how long ranks wait for each other.
#pragma once

#include "core/store/read/run_reader.h"
#include "core/store/write/run_writer.h"

#include <QtGlobal>

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace synthetic {

using rankscope::telemetry::AnyRecord;

inline constexpr std::int64_t kStartNs = 5'000'000'000;

inline rankscope::store::RunMeta meta(int worldSize) {
    return {"20260101-120000-test-ab12", worldSize, kStartNs, 1'700'000'000'000'000'000, 1000};
}

struct Options {
    int worldSize = 2;
    int steps = 50;
    int firstStep = 0;
    unsigned seed = 1;
    std::uint64_t firstSequence = 0;
    std::vector<std::string> tags{"sync_max_audio_length",
                                  "sync_batchnorm:encoder.layers.0",
                                  "gradient:0",
                                  "gradient:1",
                                  "metrics",
                                  "barrier:epoch",
                                  "something_else"};
};

/// A run, and the waits that an independent computation finds in it.
struct Stream {
    std::vector<std::vector<AnyRecord>> ranks;
    /// waits by rank, step and family ("" is the total)
    std::map<std::tuple<int, std::int64_t, std::string>, std::int64_t> waits;
    /// by waiter, holder, family and step: total wait and number of waits
    std::map<std::tuple<int, int, std::string, std::int64_t>, std::int64_t> pairs;
    std::map<std::pair<int, std::int64_t>, double> loss;
    std::uint64_t nextSequence = 0;
};
Stream makeStream(const Options& options);

/// Returns the records [from, to) of a rank as a chunk whose journal position is the number of records.
rankscope::store::RunWriter::Chunk chunk(const Stream& stream, int rank, std::size_t from, std::size_t to);
/// Commits everything in chunks of random size, with ranks lagging behind each other.
rankscope::Result<void> commitAll(rankscope::store::RunWriter& store, const Stream& stream, unsigned seed,
                                  std::size_t largest = 200);

/// Returns the value itself, so that a loop can iterate over the result of a call.
template <class T> T take(rankscope::Result<T> result) {
    if (!result)
        qFatal("%s", result.error().message().c_str());
    return std::move(*result);
}

/// Commits records that do not come from a journal; a failure ends the test.
void commit(rankscope::store::RunWriter& store, int rank, const std::vector<AnyRecord>& records);
/// Returns a counter of the store, summed over all ranks.
std::int64_t counter(const std::filesystem::path& file, const std::string& name);

AnyRecord stepRecord(std::int64_t step, double loss);

} // namespace synthetic
