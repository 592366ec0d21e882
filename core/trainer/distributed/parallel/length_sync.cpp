// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/parallel/length_sync.h"

#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/trainer/distributed/parallel/model_collectives.h"

#include <stdexcept>

namespace rankscope::trainer {
namespace {

constexpr std::uint32_t kLengthGroup = 1; // the run's main group is 0

/// Returns false if the work is not complete in time. Throws if it failed.
bool completes(c10d::Work& work, std::chrono::milliseconds timeout) {
    try {
        return work.wait(timeout);
    } catch (const c10::Error&) {
        if (!work.isCompleted())
            return false;
        if (work.isSuccess()) // completed just after the timeout
            return true;
        throw;
    }
}

} // namespace

Result<std::unique_ptr<LengthSync>> LengthSync::create(std::shared_ptr<ObservedGroup> group, const Options& options,
                                                       TimeoutHandler told) {
    std::unique_ptr<LengthSync> sync(new LengthSync(std::move(group), options, std::move(told)));
    if (options.timeout) {
        RS_TRY_ASSIGN(sync->m_own, sync->m_group->another(kLengthGroup, at::kCPU)); // the lengths are on the host
    }
    return sync;
}

std::int64_t LengthSync::largest(std::int64_t localMax) {
    return m_own ? timed(localMax) : syncMaxAudioLength(*m_group, localMax);
}

std::size_t LengthSync::open() {
    while (!m_late.empty() && m_late.front()->isCompleted())
        m_late.pop_front();
    return m_late.size();
}

std::int64_t LengthSync::timed(std::int64_t localMax) {
    if (open() >= kMostOpen) {
        m_late.front()->wait();
        m_late.pop_front();
    }
    CollectiveTag tag("sync_max_audio_length", CollectiveTag::Exposure::Kept);
    const auto length = torch::full({1}, localMax, torch::kInt64); // the work keeps it alive
    std::vector<at::Tensor> tensors{length};
    c10d::AllreduceOptions options;
    options.reduceOp = c10d::ReduceOp::MAX;
    const std::uint64_t sequence = m_own->backend().collectives().entered();
    const std::int64_t begin = monotonicNs();
    auto work = m_own->processGroup()->allreduce(tensors, options);
    // while an older sync is open, some rank has not even reached that one, so this one cannot complete
    const bool waits = m_late.empty();
    bool done = false;
    try {
        done = waits && completes(*work, *m_options.timeout);
    } catch (const std::exception&) {
        tag.exposure().close(monotonicNs() - begin);
        if (const auto failure = m_own->failure())
            throw std::runtime_error(failure->sentence().english());
        throw;
    }
    const std::int64_t waitedNs = waits ? monotonicNs() - begin : 0;
    tag.exposure().close(waitedNs);
    if (done)
        return length.item<std::int64_t>();
    m_late.push_back(std::move(work));
    if (waits) {
        ++m_timeouts;
        m_told({waitedNs, localMax, sequence, m_timeouts});
    }
    return localMax;
}

} // namespace rankscope::trainer
