// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/evidence/remedy.h"

#include "core/diagnosis/programs/program_remedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace rankscope::diagnosis {

static Remedy advice(Message text) {
    return {std::move(text), {}, {}};
}

static Remedy setting(std::string key, std::string value, Message text) {
    return Remedy{std::move(text), std::move(key), std::move(value)};
}

static constexpr int kManyWorkers = 16; ///< more are not suggested

static Remedy forSlowLoading(const Incident& in, const Settings& s) {
    if (isOneSlowSample(in))
        return advice("Check that file: remove it from the manifest if it is damaged, lower max_duration if it is "
                      "long, or copy the data to a local disk");
    if (in.evidence.workersCpuWaitShare)
        return advice(forWorkersWithoutCpu());
    if (s.numWorkers >= kManyWorkers)
        return advice("Loading is slower than training even with many workers: check the disk with the audio files");
    const int workers = s.numWorkers <= 0 ? 4 : std::min(2 * s.numWorkers, kManyWorkers);
    return setting("model.train_ds.num_workers", std::to_string(workers),
                   s.numWorkers < 0 ? Message("Set num_workers to {}", workers)
                                    : Message("Set num_workers to {} (now {})", workers, s.numWorkers));
}

/// Suggests the longest duration of the other ranks, rounded up, as a limit: it would have excluded the batch.
static Remedy shorterBatches(const Incident& in, const Settings& s) {
    const double samples = static_cast<double>(in.evidence.othersLongestSamples.value_or(0));
    if (!(samples > 0) || s.sampleRate <= 0)
        return advice("Limit max_duration, or bucket batches by duration");
    const int seconds = static_cast<int>(std::clamp(std::ceil(samples / s.sampleRate), 1.0, 1e6));
    return setting("model.train_ds.max_duration", fmt::format("{}.0", seconds),
                   {"Limit max_duration to {} s, as long as the other ranks' batches, or bucket by duration", seconds});
}

static Remedy equalShares(const Settings& s) {
    if (s.dropLast.value_or(false)) // it is already set
        return advice(
            "Give every rank the same number of batches: set use_distributed_sampler, or use tar files of equal size, "
            "their number a multiple of the number of ranks");
    return setting("model.train_ds.drop_last", "true",
                   "Set drop_last to true so that every rank gets the same number of batches");
}

/// Returns the keys in which the ranks differ, if known.
static std::string differingKeys(const Incident& in) {
    const std::string keys = in.evidence.keys.value_or("");
    return keys.empty() ? in.evidence.setting.value_or("") : keys;
}

static Remedy sameSettings(const Incident& in) {
    const std::string keys = differingKeys(in);
    return advice(keys.empty() ? Message("Start every rank with the same configuration")
                               : Message("Give {} the same value on every rank", keys));
}

static Remedy forSlowCompute(const Incident& in) {
    if (in.evidence.cpuThrottledShare.value_or(-1) > 0.1) {
        const double quota = in.evidence.cpuQuota.value_or(-1);
        return advice(
            quota <= 0 ? Message("Its control group's CPU quota holds it back: raise the quota or start fewer threads")
            : quota == 1 ? Message("Its control group's CPU quota of {:.3g} processor holds it back: raise cpu.max (in "
                                   "version 1 cpu.cfs_quota_us) or start fewer threads",
                                   quota)
                         : Message("Its control group's CPU quota of {:.3g} processors holds it back: raise cpu.max "
                                   "(in version 1 cpu.cfs_quota_us) or start fewer threads",
                                   quota));
    }
    if (in.evidence.swapBytes.value_or(-1) > 0 && in.evidence.majorFaultsRate.value_or(-1) > 100)
        return advice("It is waiting for swapped memory: lower batch_size or give the host more memory");
    if (const std::string why = in.evidence.gpuThrottle.value_or(""); !why.empty())
        return advice({"Its GPU has lowered its clock ({}): check cooling and power", why});
    const double waits = in.evidence.cpuWaitShare.value_or(-1), share = in.evidence.cpuShare.value_or(-1);
    if (waits < 0 ? share >= 0 && share < 0.5 : waits >= 0.2) // a rank that sleeps takes no CPU time either
        return advice("It is short of CPU time: check what else is running on its cores");
    return {};
}

static Message forRequest(const Incident& in) {
    if (in.evidence.signalName == "SIGXCPU")
        return "Raise the CPU time limit (ulimit -t), then continue with rankscopectl launch --resume";
    if (in.evidence.senderProgram.value_or("").find("oom") != std::string::npos)
        return "The host ran short of memory: lower batch_size or give it more memory, then continue with rankscopectl "
               "launch --resume";
    return "Continue with rankscopectl launch --resume; to end a run, use rankscopectl stop or signal its supervisor";
}

/// Returns what to do after a rank's death, by how it ended.
static Message forDeath(const Incident& in) {
    if (in.evidence.diskFull.value_or(false))
        return "Free some space on that disk or choose another runs folder; then resume the run if it has a "
               "checkpoint, otherwise launch it again";
    if (in.evidence.outOfMemory.value_or(false))
        return "Lower batch_size or max_duration, then launch again";
    if (in.evidence.signalName == "SIGKILL")
        return "SIGKILL comes from outside and leaves no message. It is usually the kernel's out-of-memory killer, a "
               "scheduler or container limit, or kill -9. The kernel log says which (dmesg -T)";
    return "See the last lines of its log";
}

/// Returns the message of a rank that rejected its recipe, a file or the machine; empty if none of the incident did.
static std::string refusal(const Incident& in) {
    constexpr std::string_view kProgram = "rankscope-trainer: ";
    constexpr std::int64_t kRefused = 2; ///< the exit code of such a trainer
    if (in.evidence.exitCode.value_or(0) != kRefused)
        return {};
    const std::string text = in.evidence.lastLines.value_or("");
    const auto at = text.rfind(kProgram);
    const auto from = at + kProgram.size();
    return at == std::string::npos ? "" : text.substr(from, text.find('\n', from) - from);
}

/// Only ranks that were stopped with a signal can be continued. If it turns out later that the supervisor was paused as
/// well, the processes found so far are kept.
static Remedy forPause(const Incident& in) {
    const std::string pids = in.evidence.pids.value_or("");
    return pids.empty() ? Remedy{} : advice({"Continue them with kill -CONT {}", pids});
}

/// Returns the advice that does not depend on an incident's evidence; empty if there is none.
static Message usualAdvice(Cause cause) {
    switch (cause) {
    case Cause::NeverJoined:
        return "See its log for the reason";
    case Cause::Preprocessing:
        return "Check the lengths in the batch; the front end is slow on very long audio";
    case Cause::NotFinite:
        return "Lower optim.lr, or check that batch";
    case Cause::EmptyBatch:
        return "Raise min_duration or model.masking.mask_prob";
    case Cause::Checkpoint:
        return "Save checkpoints less often, or to a faster disk";
    case Cause::InsideCollective:
        return "Check the network or NCCL; the stacks show where each rank is waiting";
    case Cause::UnevenCalls:
        return "Let the loop around that line run equally often on every rank";
    case Cause::GrownBuffer:
        return "Give the buffer the same size on every rank, or keep it out of DistributedDataParallel "
               "(broadcast_buffers=False)";
    case Cause::LoaderWorkerDied:
        return "See the last lines of its log";
    case Cause::MemoryRunsOut:
        return "Lower batch_size, max_duration or num_workers";
    default:
        return {};
    }
}

/// Returns the setting that fixes an incident of a program that has named its recipe; an empty text: none does.
static Remedy programSetting(const Incident& in, const Settings& s) {
    switch (in.cause) {
    case Cause::DataLoading:
        return isOneSlowSample(in) || s.numWorkers >= kManyWorkers ? Remedy{} : forSlowLoading(in, s);
    case Cause::LongBatch:
        return shorterBatches(in, s);
    case Cause::UnevenBatches:
        return s.dropLast.value_or(false) ? Remedy{} : equalShares(s);
    case Cause::GrownBuffer: // the encoder's table of positions, which has the length of the longest batch so far
        return s.lengthSync ? Remedy{}
                            : setting("model.encoder.sync_max_audio_length", "true",
                                      "Set sync_max_audio_length to true, so that all ranks know the longest batch");
    default:
        return {};
    }
}

/// Returns whether Hydra must add the key that a remedy sets, because the recipe does not have it.
static bool addsKey(const Incident& in, const Settings& s) {
    return (in.cause == Cause::DataLoading && s.numWorkers < 0) ||
           (in.cause == Cause::LongBatch && !s.limitsDuration) || (in.cause == Cause::UnevenBatches && !s.dropLast);
}

/// Returns the remedy with the words for a command that Hydra reads.
static Remedy asOverride(Remedy remedy, const Incident& in, const Settings& s) {
    const std::string override = fmt::format("{}{}={}", addsKey(in, s) ? "+" : "", remedy.key, remedy.value);
    if (in.cause == Cause::DataLoading)
        remedy.text = s.numWorkers < 0 ? Message("Add {} to the command", override)
                                       : Message("Add {} to the command (now {})", override, s.numWorkers);
    else if (in.cause == Cause::LongBatch)
        remedy.text = {"Add {} to the command, as long as the other ranks' batches, or bucket by duration", override};
    else if (in.cause == Cause::UnevenBatches)
        remedy.text = {"Add {} to the command, so that every rank gets the same number of batches", override};
    else
        remedy.text = {"Add {} to the command, so that all ranks know the longest batch", override};
    return remedy;
}

/// Returns the remedy of a program that was not started from a recipe; an empty text: as for other runs.
static Remedy remedyOfProgram(const Incident& in, const Settings& s) {
    Remedy known = s.programKeys == ProgramKeys::Unknown ? Remedy{} : programSetting(in, s);
    if (known.key.empty())
        return advice(programRemedy(in));
    return s.programKeys == ProgramKeys::Hydra ? asOverride(std::move(known), in, s) : known;
}

Remedy remedyFor(const Incident& in, const Settings& s) {
    if (const std::string said = refusal(in); !said.empty())
        return advice({"Fix what was rejected: {}", said});
    if (!s.recipe)
        if (Remedy known = remedyOfProgram(in, s); !known.text.empty())
            return known;
    switch (in.cause) {
    case Cause::DataLoading:
        return forSlowLoading(in, s);
    case Cause::LongBatch:
        return shorterBatches(in, s);
    case Cause::UnevenBatches:
        return equalShares(s);
    case Cause::Stopped:
        return advice({"Continue it with kill -CONT {}", in.evidence.pid.value_or(0)});
    case Cause::Paused:
        return forPause(in);
    case Cause::Dead:
        return advice(forDeath(in));
    case Cause::ConfigurationDiffers:
    case Cause::MismatchedCollective:
        return sameSettings(in);
    case Cause::SlowCompute:
        return forSlowCompute(in);
    case Cause::Unknown:
        return in.evidence.missing ? advice("Its stacks show where it is (rankscopectl stacks)") : Remedy{};
    case Cause::AskedToLeave:
        return advice(forRequest(in));
    default:
        return advice(usualAdvice(in.cause));
    }
}

/// Returns the settings behind a stored remedy, as far as its text reveals them.
static Settings settingsBehind(const Incident& in, std::string_view stored) {
    static constexpr std::string_view kNow = " (now ";
    const auto number = [](std::string_view text) {
        int value = -1;
        std::from_chars(text.data(), text.data() + text.size(), value);
        return value;
    };
    Settings s;
    const bool adds = stored.find("+model.") != std::string_view::npos;
    if (!adds)
        s.dropLast = in.remedy.key.empty();
    s.limitsDuration = !adds;
    s.lengthSync = in.remedy.key.empty() || in.cause != Cause::GrownBuffer;
    if (in.remedy.key.empty()) {
        s.numWorkers = kManyWorkers;
        s.sampleRate = 0;
        return s;
    }
    if (const auto at = stored.rfind(kNow); at != std::string_view::npos)
        s.numWorkers = number(stored.substr(at + kNow.size()));
    // any sample rate will do that gives this limit again when the others' longest batch is rounded up to seconds
    const double samples = static_cast<double>(in.evidence.othersLongestSamples.value_or(0));
    s.sampleRate = static_cast<int>(std::clamp(samples / (number(in.remedy.value) - 0.5), 0.0, 1e9));
    return s;
}

Message remedyText(const Incident& in) {
    const Message& known = in.remedy.text;
    if (known.empty() || !known.pattern().empty())
        return known;
    const std::string stored = known.english();
    Settings settings = settingsBehind(in, stored);
    if (Message again = remedyFor(in, settings).text; again.english() == stored)
        return again;
    settings.recipe = false;
    for (const ProgramKeys keys : {ProgramKeys::Unknown, ProgramKeys::Known, ProgramKeys::Hydra}) {
        settings.programKeys = keys;
        if (Message again = remedyFor(in, settings).text; again.english() == stored)
            return again;
    }
    return known;
}

} // namespace rankscope::diagnosis
