// SPDX-License-Identifier: Apache-2.0
// Measures how fast the loader makes batches, and how long a run waited for them.
//
//   bench_loader [--files 48] [--seconds 10] [--batch 8] [--workers 2] [--epochs 2] [--rows 100000]
//   bench_loader --run DIR
//
// The first form writes a set of recordings in several encodings into a temporary folder and prints how many hours of
// audio one thread decodes per second, and all workers together, with the noise and augmentation of NEST's recipe; then
// what a manifest of many rows costs. --run reads a run's store and prints the share of its steps spent in data_wait,
// after the first 20 steps.
#include "core/base/values/clock.h"
#include "core/store/read/run_reader.h"
#include "core/trainer/data/batches/batch_loader.h"
#include "tests/bench/support.h"
#include "tests/core/trainer/data/synthetic_audio.h"
#include "tests/core/trainer/data/tar_builder.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

using namespace rankscope;
using namespace rankscope::trainer;
using bench::Arguments;
using bench::Folder;
using test::Coding;

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kWarmUpSteps = 20; ///< of a run: any loader keeps its ranks waiting for the first batches
constexpr double kMostWaiting = 2;        ///< percent of a step

/// Returns a signal that compresses as speech does: a few moving harmonics that come and go, over noise.
std::vector<float> voice(unsigned seed, double seconds, int rate, int channels) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> noise(-0.01f, 0.01f);
    const auto frames = static_cast<std::size_t>(seconds * rate);
    std::vector<float> out;
    out.reserve(frames * static_cast<std::size_t>(channels));
    for (std::size_t i = 0; i < frames; ++i) {
        const double t = static_cast<double>(i) / rate, pitch = 110 + seed % 90 + 20 * std::sin(3 * t);
        double value = 0;
        for (int h = 1; h <= 6; ++h)
            value += 0.12 / h * std::sin(2 * M_PI * pitch * h * t);
        value *= 0.5 + 0.5 * std::sin(7 * t + seed);
        for (int c = 0; c < channels; ++c)
            out.push_back(static_cast<float>(value) + noise(random));
    }
    return out;
}

struct Kind {
    const char* name;
    Coding coding;
    int rate, channels;
    bool tarred;
};

constexpr Kind kKinds[] = {
    {"WAV 16 kHz", Coding::Pcm16, 16000, 1, false},        {"FLAC 16 kHz", Coding::Flac, 16000, 1, false},
    {"tar of WAV 16 kHz", Coding::Pcm16, 16000, 1, true},  {"tar of FLAC 16 kHz", Coding::Flac, 16000, 1, true},
    {"MP3 16 kHz", Coding::Mp3, 16000, 1, false},          {"Ogg Vorbis 16 kHz", Coding::Ogg, 16000, 1, false},
    {"WAV 22.05 kHz", Coding::Pcm16, 22050, 1, false},     {"FLAC 44.1 kHz stereo", Coding::Flac, 44100, 2, false},
    {"MP3 44.1 kHz stereo", Coding::Mp3, 44100, 2, false}, {"WAV 48 kHz", Coding::Pcm16, 48000, 1, false},
};

/// Writes a set of `kind` to `folder` and returns NEST's recipe for it.
config::DatasetConfig makeSet(const Kind& kind, const Folder& folder, const Arguments& a) {
    const auto seconds = static_cast<double>(a.at("--seconds"));
    const std::string stem = fmt::format("set{}", &kind - kKinds);
    std::vector<std::pair<std::string, double>> rows;
    std::vector<test::Member> members;
    for (unsigned i = 0; i < static_cast<unsigned>(a.at("--files")); ++i) {
        const std::string name = fmt::format("{}-{}.audio", stem, i);
        test::writeAudio(folder.at(name), voice(i, seconds, kind.rate, kind.channels), kind.rate, kind.channels,
                         kind.coding);
        rows.emplace_back(name, seconds);
        if (kind.tarred)
            members.push_back({name, test::readBytes(folder.at(name))});
    }
    test::writeText(folder.at(stem + ".json"), test::manifestText(rows));
    config::DatasetConfig set;
    set.manifests = {folder.at(stem + ".json")};
    set.noiseManifests = {folder.at("noise.json")};
    set.batchSize = static_cast<int>(a.at("--batch"));
    if (kind.tarred) {
        test::writeTar(folder.at(stem + ".tar"), members);
        set.tarred.enabled = true;
        set.tarred.shards = {{folder.at(stem + ".tar")}};
    }
    set.augmentor.present = true;
    set.augmentor.prob = set.augmentor.noiseRatio = 0.5;
    set.augmentor.minMixRate = set.augmentor.maxMixRate = 0.5;
    set.augmentor.maxNumSegments = set.augmentor.maxNumSpeakers = 1;
    return set;
}

void makeNoise(const Folder& folder) {
    test::writeAudio(folder.at("noise.wav"), voice(77, 60, 16000, 1), 16000);
    test::writeText(folder.at("noise.json"), test::manifestText({{"noise.wav", 60.0}}));
}

/// Returns the hours of audio decoded per second.
Result<double> speed(config::DatasetConfig set, int workers, std::int64_t epochs) {
    set.numWorkers = workers;
    auto loader = BatchLoader::create(set, 0, 1, 1, {});
    if (!loader)
        return tl::unexpected(loader.error());
    std::int64_t samples = 0;
    const std::int64_t begin = monotonicNs();
    for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
        (*loader)->beginEpoch(static_cast<int>(epoch));
        for (;;) {
            const auto batch = (*loader)->next();
            if (!batch)
                return tl::unexpected(batch.error());
            if (!*batch)
                break;
            for (const std::int64_t length : (*batch)->samples)
                samples += length;
        }
    }
    const double seconds = static_cast<double>(monotonicNs() - begin) / 1e9;
    return static_cast<double>(samples) / set.sampleRate / 3600 / seconds;
}

std::int64_t residentBytes() {
    std::int64_t pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return resident * ::sysconf(_SC_PAGESIZE);
}

/// Prints what a manifest of many rows costs: memory, and time to the first batch.
Result<void> printManifest(const Folder& folder, const Arguments& a) {
    std::vector<std::pair<std::string, double>> rows;
    for (std::int64_t i = 0; i < a.at("--rows"); ++i) // as long as the paths of a real corpus
        rows.emplace_back(fmt::format("./././././././././././././././././././set0-{}.audio", i % a.at("--files")),
                          static_cast<double>(a.at("--seconds")));
    test::writeText(folder.at("rows.json"), test::manifestText(rows));
    rows = {};
    config::DatasetConfig set;
    set.manifests = {folder.at("rows.json")};
    set.batchSize = static_cast<int>(a.at("--batch"));
    set.numWorkers = static_cast<int>(a.at("--workers"));
    ::malloc_trim(0); // memory that earlier loaders freed must not be reused uncounted
    const std::int64_t before = residentBytes(), begin = monotonicNs();
    auto loader = BatchLoader::create(set, 0, 1, 1, {});
    if (!loader)
        return tl::unexpected(loader.error());
    const std::int64_t read = monotonicNs();
    (*loader)->beginEpoch(0);
    if (const auto batch = (*loader)->next(); !batch)
        return tl::unexpected(batch.error());
    const std::int64_t first = monotonicNs();
    fmt::print("manifest of {} rows: {:.1f} MiB, read in {:.0f} ms, the first batch {:.0f} ms later\n", a.at("--rows"),
               static_cast<double>(residentBytes() - before) / (1 << 20), static_cast<double>(read - begin) / 1e6,
               static_cast<double>(first - read) / 1e6);
    return {};
}

Result<void> printSpeeds(const Arguments& a) {
    const Folder folder;
    makeNoise(folder);
    const auto workers = static_cast<int>(a.at("--workers"));
    fmt::print("{:<24}{:>20}{:>22}{:>26}\n", "", "hours/s, 1 thread", fmt::format("hours/s, {} workers", workers),
               fmt::format("ms a batch of {} x {} s", a.at("--batch"), a.at("--seconds")));
    for (const Kind& kind : kKinds) {
        const auto set = makeSet(kind, folder, a);
        const auto one = speed(set, 0, a.at("--epochs")), many = speed(set, workers, a.at("--epochs"));
        if (!one || !many)
            return tl::unexpected(one ? many.error() : one.error());
        const double hours = static_cast<double>(a.at("--batch") * a.at("--seconds")) / 3600;
        fmt::print("{:<24}{:>20.2f}{:>22.2f}{:>26.1f}\n", kind.name, *one, *many, 1000 * hours / *one);
    }
    return printManifest(folder, a);
}

/// Returns true if every rank waited less than kMostWaiting percent.
Result<bool> printWaits(const fs::path& dir) {
    auto reader = store::RunReader::open(fs::is_directory(dir) ? dir / "run.sqlite" : dir);
    if (!reader)
        return tl::unexpected(reader.error());
    const auto ranks = reader->ranks();
    if (!ranks)
        return tl::unexpected(ranks.error());
    bool fine = true;
    for (const auto& rank : *ranks) {
        const std::int64_t first = rank.firstStep + kWarmUpSteps;
        if (rank.firstStep < 0 || rank.lastStep < first)
            return fail(Errc::Malformed, fmt::format("rank {} has no {} steps yet", rank.rank, kWarmUpSteps),
                        dir.string());
        std::map<store::Metric, double> sums;
        double longest = 0;
        for (const auto metric : {store::Metric::DataWait, store::Metric::StepTime}) {
            const auto points = reader->series(metric, rank.rank, first, rank.lastStep, 1'000'000);
            if (!points)
                return tl::unexpected(points.error());
            for (const auto& point : *points) {
                sums[metric] += point.mean * static_cast<double>(point.count);
                if (metric == store::Metric::DataWait)
                    longest = std::max(longest, point.max);
            }
        }
        const double percent = 100 * sums[store::Metric::DataWait] / std::max(1.0, sums[store::Metric::StepTime]);
        const auto steps = static_cast<double>(rank.lastStep - first + 1);
        fmt::print("rank {}: data_wait {:.3f} % of {:.0f} steps of {:.1f} ms; the longest {:.1f} ms\n", rank.rank,
                   percent, steps, sums[store::Metric::StepTime] / steps / 1e6, longest / 1e6);
        fine = fine && percent < kMostWaiting;
    }
    return fine;
}

} // namespace

int main(int argc, char** argv) {
    Arguments a{{"--files", 48},  {"--seconds", 10}, {"--batch", 8},
                {"--workers", 2}, {"--epochs", 2},   {"--rows", 100'000}};
    std::string run;
    if (!bench::parse(argc, argv, a, &run, 1)) {
        fmt::print(stderr, "usage: bench_loader [--files N] [--seconds N] [--batch N] [--workers N] [--epochs N] "
                           "[--rows N] | "
                           "--run DIR\n");
        return 2;
    }
    if (run.empty()) {
        const auto printed = printSpeeds(a);
        if (!printed)
            fmt::print(stderr, "bench_loader: {}\n", printed.error().message());
        return printed ? 0 : 2;
    }
    const auto fine = printWaits(run);
    if (!fine)
        fmt::print(stderr, "bench_loader: {}\n", fine.error().message());
    return !fine ? 2 : *fine ? 0 : 1;
}
