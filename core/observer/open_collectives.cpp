// SPDX-License-Identifier: Apache-2.0
#include "core/observer/open_collectives.h"

namespace rankscope::observer {
namespace {

constexpr unsigned kGenerationShift = 4;
constexpr std::uint64_t kUsed = 8;
constexpr std::uint64_t kParts = OpenCollectives::HandOver | OpenCollectives::End | OpenCollectives::Exposure;

constexpr std::uint64_t generationOf(std::uint64_t state) {
    return state >> kGenerationShift;
}

} // namespace

CollectiveHandle OpenCollectives::claim(std::uint64_t parts) {
    const std::uint64_t first = m_next.fetch_add(1, std::memory_order_relaxed);
    for (std::uint64_t i = 0; i < kMost; ++i) {
        const std::uint64_t index = (first + i) % kMost;
        std::atomic<std::uint64_t>& state = m_entries[index].m_state;
        std::uint64_t has = state.load(std::memory_order_acquire);
        if ((has & kUsed) == 0 && state.compare_exchange_strong(has, has | kUsed | parts, std::memory_order_acq_rel))
            return generationOf(has) * kMost + index;
    }
    return 0;
}

OpenCollective* OpenCollectives::waitingFor(Part part, CollectiveHandle handle) {
    OpenCollective& entry = m_entries[handle % kMost];
    const std::uint64_t has = entry.m_state.load(std::memory_order_acquire);
    return generationOf(has) == handle / kMost && (has & part) != 0 ? &entry : nullptr;
}

std::optional<telemetry::CollectiveRecord> OpenCollectives::release(std::uint64_t parts, CollectiveHandle handle) {
    OpenCollective& entry = m_entries[handle % kMost];
    std::uint64_t has = entry.m_state.load(std::memory_order_acquire);
    do {
        if (generationOf(has) != handle / kMost || (has & parts & kParts) == 0)
            return std::nullopt;
    } while (!entry.m_state.compare_exchange_weak(has, has & ~parts, std::memory_order_acq_rel));
    if ((has & ~parts & kParts) != 0)
        return std::nullopt;
    std::optional<telemetry::CollectiveRecord> complete(entry.record); // nobody else touches the entry any more
    entry.m_state.store((generationOf(has) + 1) << kGenerationShift, std::memory_order_release);
    return complete;
}

} // namespace rankscope::observer
