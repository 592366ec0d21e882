// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/remedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rankscope::diagnosis {

static Remedy setting(std::string key, std::string value, std::string text) {
    return Remedy{std::move(text), std::move(key), std::move(value)};
}

static Remedy moreWorkers(const Settings& s) {
    const int workers = s.numWorkers <= 0 ? 4 : std::min(2 * s.numWorkers, 16);
    if (s.numWorkers >= 16)
        return {"Loading is slower than training even with many workers: check the disk that holds the audio", {}, {}};
    return setting("model.train_ds.num_workers", std::to_string(workers),
                   fmt::format("Set num_workers to {}{}", workers,
                               s.numWorkers >= 0 ? fmt::format(" (now {})", s.numWorkers) : std::string()));
}

/// The longest duration that the other ranks had, rounded up: a limit that would have kept the batch out.
static Remedy shorterBatches(const Incident& in, const Settings& s) {
    const double samples = in.evidence.value("others_longest_samples", 0.0);
    if (samples <= 0 || s.sampleRate <= 0)
        return {"Limit max_duration, or bucket batches by duration", {}, {}};
    const int seconds = std::max(1, static_cast<int>(std::ceil(samples / s.sampleRate)));
    return setting(
        "model.train_ds.max_duration", fmt::format("{}.0", seconds),
        fmt::format("Limit max_duration to {} s, as long as the other ranks' batches, or bucket by duration", seconds));
}

Remedy remedyFor(const Incident& in, const Settings& s) {
    switch (in.cause) {
    case Cause::DataLoading:
        return moreWorkers(s);
    case Cause::LongBatch:
        return shorterBatches(in, s);
    case Cause::UnevenBatches:
        return setting("model.train_ds.drop_last", "true",
                       "Set drop_last to true so that every rank gets the same number of batches");
    case Cause::Stopped:
        return {fmt::format("Continue it with kill -CONT {}", in.evidence.value("pid", 0)), {}, {}};
    case Cause::Dead:
        return {in.evidence.value("out_of_memory", false) ? "Lower batch_size or max_duration, then launch again"
                                                          : "See the last lines of its log",
                {},
                {}};
    case Cause::NeverJoined:
        return {"See its log for the reason", {}, {}};
    case Cause::Preprocessing:
        return {"See the batch's lengths; very long audio takes the front end long", {}, {}};
    case Cause::NotFinite:
        return {"Lower optim.lr or check the batch named", {}, {}};
    case Cause::EmptyBatch:
        return {"Raise min_duration or model.masking.mask_prob", {}, {}};
    case Cause::Checkpoint:
        return {"Save checkpoints less often or to a faster disk", {}, {}};
    case Cause::ConfigurationDiffers:
    case Cause::MismatchedCollective:
        return {"Start every rank with the same configuration", {}, {}};
    default:
        return {};
    }
}

} // namespace rankscope::diagnosis
