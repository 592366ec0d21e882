// SPDX-License-Identifier: Apache-2.0
// A small set of tones on disk, and batch loaders over it.
#pragma once

#include "core/trainer/data/batches/batch_loader.h"
#include "tests/core/trainer/data/synthetic_audio.h"

#include <QTemporaryDir>

#include <condition_variable>
#include <mutex>

namespace rankscope::test {

using namespace rankscope::trainer;

constexpr int kFiles = 13;

/// A door that blocks a hook until it is opened. It is shared, because a worker may outlive its loader.
struct Door {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false, reached = false;

    void wait() {
        std::unique_lock lock(mutex);
        reached = true;
        changed.notify_all();
        changed.wait(lock, [this] { return open; });
    }
    void waitUntilReached() {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return reached; });
    }
    void release() {
        const std::lock_guard lock(mutex);
        open = true;
        changed.notify_all();
    }
};

/// Returns everything in a batch that must not depend on which worker made it.
inline std::string contentOf(const Batch& batch) {
    std::string text = std::to_string(batch.epoch) + batch.longestFile;
    for (const auto& tensor : {batch.audio, batch.audioLen, batch.noisy, batch.noisyLen}) {
        const torch::Tensor whole = tensor.contiguous();
        text.append(static_cast<const char*>(whole.const_data_ptr()), whole.nbytes());
    }
    for (const auto row : batch.indices)
        text.append(1, ',').append(std::to_string(row));
    return text;
}

/// Writes files 0.wav ... 12.wav of 0.5, 0.75 ... 3.5 s, train.json with them, and a noise clip with noise.json.
class LoaderFixture {
public:
    LoaderFixture() {
        std::vector<std::pair<std::string, double>> rows;
        for (int i = 0; i < kFiles; ++i) {
            const std::string name = std::to_string(i) + ".wav";
            writeAudio(at(name), tone(200 + 50 * i, secondsOf(i), 16000, 0.1 + 0.05 * i), 16000);
            rows.emplace_back(name, secondsOf(i));
        }
        writeText(at("train.json"), manifestText(rows));
        writeAudio(at("noise.wav"), tone(3000, 2, 16000, 0.2), 16000);
        writeText(at("noise.json"), manifestText({{"noise.wav", 2.0}}));
    }

    std::string at(const std::string& name) const { return m_dir.filePath(QString::fromStdString(name)).toStdString(); }

    static double secondsOf(int file) { return 0.5 + 0.25 * file; }

    config::DatasetConfig config(int workers = 0) const {
        config::DatasetConfig config;
        config.manifests = {at("train.json")};
        config.noiseManifests = {at("noise.json")};
        config.batchSize = 3;
        config.numWorkers = workers;
        config.augmentor.present = true;
        config.augmentor.prob = 0.7;
        config.augmentor.noiseRatio = 0.5;
        return config;
    }

    static std::unique_ptr<BatchLoader> make(const config::DatasetConfig& config, int rank = 0, int worldSize = 1,
                                             LoaderHooks hooks = {}, std::uint64_t seed = 5) {
        auto loader = BatchLoader::create(config, rank, worldSize, seed, std::move(hooks));
        if (!loader)
            qFatal("%s", loader.error().message().c_str());
        return std::move(*loader);
    }

    static std::vector<Batch> epoch(BatchLoader& loader, int number) {
        std::vector<Batch> batches;
        loader.beginEpoch(number);
        for (;;) {
            auto batch = loader.next();
            if (!batch)
                qFatal("%s", batch.error().message().c_str());
            if (!*batch)
                return batches;
            batches.push_back(std::move(**batch));
        }
    }

private:
    QTemporaryDir m_dir;
};

} // namespace rankscope::test
