// SPDX-License-Identifier: Apache-2.0
// The facts that a rule may use besides the recipe: the machine, the manifests, the files, the plan. They are values,
// so that rules stay pure; the caller fills in the facts it has determined. A missing fact is left empty; rules never
// guess.
#pragma once

#include "core/base/text/message.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::config {

struct MachineFacts {
    int cores = 1, gpus = 0;
    std::int64_t memoryBytes = 0;    ///< of the machine (its control group's limit where that is lower); 0: unknown
    std::int64_t gpuMemoryBytes = 0; ///< of the smallest GPU; 0: unknown
    bool bfloat16Units = false;      ///< the CPU multiplies bfloat16 natively (AVX512-BF16 or AMX)
    int gpuComputeCapability = 0;    ///< of the oldest GPU; 80: 8.0, which has bfloat16; 0: unknown
    std::optional<std::vector<std::string>> visibleGpus; ///< the GPUs in CUDA_VISIBLE_DEVICES, if it is set
};

/// The contents of one section's manifests. Durations are those of the utterances within the section's limits.
struct ManifestFacts {
    std::int64_t lines = 0;                                    ///< non-empty lines
    std::int64_t used = 0, tooShort = 0, tooLong = 0, bad = 0; ///< bad: not a JSON object with a path and a duration
    std::vector<Message> firstBad;                             ///< "train.json:12: has no duration …", at most five
    Message problem; ///< a manifest cannot be read at all: "a.json: …"; everything else is 0 then
    std::int64_t audioLooked = 0, audioMissing = 0; ///< audio files of a sample of the lines; not for tarred datasets
    std::string firstMissing;
    double seconds = 0;                                    ///< total
    double shortest = 0, median = 0, p95 = 0, longest = 0; ///< seconds
    std::int64_t shards = 0;                               ///< tar files of the bucket with the fewest; 0: not tarred
};

/// A file or folder that the recipe names.
struct PathFact {
    std::string key, path;
    bool exists = false;
};

struct RiskContext {
    std::optional<MachineFacts> machine;
    std::optional<ManifestFacts> train, validation;
    std::vector<PathFact> paths;
    int ranks = 0;      ///< number that a launch would start; 0: unknown, the recipe's number applies
    std::string device; ///< "cpu", "cuda"; empty: unknown
    std::optional<std::int64_t> rankMemoryBytes; ///< estimated, of one rank
    /// Largest batch of batch_size, its half, its quarter, … for which a rank has enough memory; 0: not even one
    /// utterance fits.
    std::optional<std::int64_t> fittingBatch;
    std::optional<std::int64_t> batchesPerEpoch, totalSteps; ///< per rank; totalSteps 0: no limit
    std::optional<double> lostToImbalance;                   ///< share of the ranks' time, 0 ... 1
};

} // namespace rankscope::config
