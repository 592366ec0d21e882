// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/programs/program_remedy.h"

#include "core/diagnosis/programs/last_words.h"

#include <string>

namespace rankscope::diagnosis {

bool isOneSlowSample(const Incident& in) {
    if (in.straggler || in.evidence.reading.value_or("").empty())
        return false;
    const double reading = in.evidence.readingSeconds.value_or(0);
    return reading > 0 && reading >= in.evidence.holderPhaseSeconds.value_or(0) / 2;
}

Message forWorkersWithoutCpu() {
    return "Give the workers more processors: check what else is running on the host, or use fewer threads and workers";
}

static Message forLoading(const Incident& in) {
    if (isOneSlowSample(in))
        return "Look at that sample: it may be damaged or very long, or on a slow disk";
    if (in.evidence.workersCpuWaitShare)
        return forWorkersWithoutCpu();
    if (in.evidence.queueCapacity.value_or(0) > 0)
        return "In your DataLoader: more workers (num_workers) or a higher prefetch_factor; if many workers are no "
               "faster, the disk is too slow";
    return "In your DataLoader: num_workers=4, so that samples are read while the model trains";
}

static Message forLostWorker(const Incident& in) {
    const std::string said = in.evidence.exception.value_or("") + in.evidence.lastLines.value_or("");
    const std::string end = in.evidence.workerEnd.value_or("");
    if (mentionsSharedMemory(said) || end == "SIGBUS")
        return "Its shared memory is full: give /dev/shm more room (docker run --shm-size=8g), or use fewer workers";
    if (end == "SIGKILL" || said.find("Killed") != std::string::npos)
        return "A worker that is killed has mostly run out of memory: use fewer workers or a lower prefetch_factor. "
               "The "
               "kernel log says so (dmesg -T)";
    return "In your DataLoader: num_workers=0 shows the worker's own error";
}

static Message forEnd(const Incident& in) {
    if (in.evidence.diskFull.value_or(false))
        return "Free some space on that disk, then start again";
    if (in.evidence.outOfMemory.value_or(false))
        return "Use smaller batches or shorter samples, then start again";
    return in.evidence.exception ? Message("See the traceback in its log") : Message();
}

static Message forLeaving(const Incident& in) {
    if (in.evidence.signalName == "SIGXCPU")
        return "Raise the CPU time limit (ulimit -t), then start again";
    if (in.evidence.senderProgram.value_or("").find("oom") != std::string::npos)
        return "The host ran short of memory: use smaller batches or give it more memory, then start again";
    return "Start the command again; to end a run, use rankscopectl stop";
}

Message programRemedy(const Incident& in) {
    switch (in.cause) {
    case Cause::DataLoading:
        return forLoading(in);
    case Cause::Preprocessing:
        return "Do that work in the workers of your DataLoader, or do less of it";
    case Cause::LongBatch:
        return "Limit the length of your samples, or put samples of similar length into one batch";
    case Cause::UnevenBatches:
        return "Give every rank the same number of batches: in your DataLoader, a DistributedSampler and "
               "drop_last=True; "
               "with an iterable dataset, end the epoch on all ranks together";
    case Cause::MismatchedCollective:
        return "Let all ranks make the same calls in the same order: look for a condition around these calls that "
               "depends on the rank or on its data";
    case Cause::LoaderWorkerDied:
        return forLostWorker(in);
    case Cause::NotFinite:
        return "Lower the learning rate, clip gradients, or look at that batch";
    case Cause::EmptyBatch:
        return "Leave out empty batches in your dataset or its collate_fn";
    case Cause::Dead:
        return forEnd(in);
    case Cause::AskedToLeave:
        return forLeaving(in);
    case Cause::MemoryRunsOut:
        return "Use fewer workers in your DataLoader or smaller batches, and keep no tensors from step to step";
    default:
        return {};
    }
}

} // namespace rankscope::diagnosis
