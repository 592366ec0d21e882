// SPDX-License-Identifier: Apache-2.0
// Turns a list of utterances into one padded batch of clean and noisy audio: reads, pads, adds noise. Starts no
// threads; any number of threads may call make() at the same time.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/trainer/data/audio/noise_bank.h"
#include "core/trainer/data/batches/batch.h"
#include "core/trainer/data/sets/utterance.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::trainer {

struct BatchPlan {
    int epoch = 0;
    std::int64_t inEpoch = 0; ///< batch number in the epoch
    std::vector<Utterance> utterances;
    std::vector<Utterance> spares; ///< read one by one if none of the batch's own files can be read: a rank must not
                                   ///< be without a batch while the others continue
};

struct BrokenFile {
    std::int64_t row = -1; ///< -1: a noise clip
    Error error;           ///< where: the path
};

struct MadeBatch {
    std::optional<Batch> batch; ///< none: none of its files could be read, or the work was canceled
    std::vector<BrokenFile> broken;
    std::vector<Error> shorter; ///< utterances that are used although they are much shorter than the manifest says
};

struct MakerHooks {
    std::function<void(const std::string& path)> reading;
    std::function<bool()> givenUp; ///< checked between files
    std::function<void()> beforeFile = [] {};
};

class BatchMaker {
public:
    /// NeMo's AudioNoiseDataset repeats shorter audio up to this length.
    static constexpr double kMinSeconds = 1.0;

    BatchMaker(const config::DatasetConfig& config, NoiseBank noise, int rank, std::uint64_t seed);

    MadeBatch make(const BatchPlan& plan, const MakerHooks& hooks) const;

private:
    void read(const std::vector<Utterance>& utterances, std::size_t enough, const MakerHooks& hooks,
              std::vector<std::vector<float>>& audio, MadeBatch& made) const;
    void addNoise(const BatchPlan& plan, MadeBatch& made) const;

    config::DatasetConfig m_config;
    NoiseBank m_noise;
    int m_rank;
    std::uint64_t m_seed;
};

} // namespace rankscope::trainer
