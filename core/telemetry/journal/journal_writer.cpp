// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/journal/journal_writer.h"

#include "core/base/process/signals_blocked.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/telemetry/journal/journal_segment.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace rankscope::telemetry {

namespace {

using namespace std::chrono_literals;

/// One mapped segment. The object lives as long as the writer, so that an appender that was interrupted between reading
/// `current` and reserving still finds it; only its mapping is released, once all of its slots are complete.
struct Segment {
    std::uint64_t number = 0;
    std::uint32_t slots = 0;
    Mapping mapping;
    alignas(64) std::atomic<std::uint64_t> next{0};
    std::uint32_t complete = 0; ///< used by the helper; slots before it are known to be complete

    std::byte* slot(std::uint64_t index) const { return mapping.base() + (index + 1) * kSlotBytes; }
    std::uint64_t reserved() const { return std::min<std::uint64_t>(next.load(std::memory_order_relaxed), slots); }
    bool allComplete();
};

bool Segment::allComplete() {
    while (complete < slots) {
        auto& length = *reinterpret_cast<std::uint32_t*>(slot(complete));
        if (std::atomic_ref(length).load(std::memory_order_acquire) == 0)
            return false;
        ++complete;
    }
    return true;
}

} // namespace

struct JournalWriter::Impl {
    std::filesystem::path dir;
    std::uint32_t slots = 0;
    std::int64_t writerNs = 0;
    bool goesNowhere = false;

    alignas(64) std::atomic<Segment*> current{nullptr};
    std::atomic<Segment*> spare{nullptr};
    alignas(64) std::atomic<std::uint64_t> dropped{0};

    // used by the helper alone after create()
    std::uint64_t nextNumber = 0;
    std::deque<Segment> all;
    std::deque<Segment*> mapped; ///< in order of number
    std::mutex mutex;
    std::condition_variable wake;
    bool stop = false;
    std::optional<Error> trouble; ///< why a segment could not be prepared, the last time that one could not
    std::thread helper;

    ~Impl() { endHelper(); }
    void endHelper();
    Result<Segment*> makeSegment();
    bool takeSpare(Segment* full);
    std::byte* reserveSlot();
    void help();
    void unmapComplete();
    std::chrono::milliseconds nap() const;
};

void JournalWriter::Impl::endHelper() {
    if (!helper.joinable())
        return;
    {
        const std::lock_guard lock(mutex);
        stop = true;
    }
    wake.notify_all();
    helper.join();
    if (const Segment* unused = spare.exchange(nullptr))
        removeSegment(dir, unused->number);
}

Result<Segment*> JournalWriter::Impl::makeSegment() {
    RS_TRY_ASSIGN(auto mapping, createSegment(dir, nextNumber, slots, writerNs));
    Segment& segment = all.emplace_back();
    segment.number = nextNumber++;
    segment.slots = slots;
    segment.mapping = std::move(mapping);
    mapped.push_back(&segment);
    return &segment;
}

/// Replaces `full` with the spare segment. Returns true if there is a new current segment, whichever thread set it.
bool JournalWriter::Impl::takeSpare(Segment* full) {
    Segment* next = spare.load(std::memory_order_acquire);
    if (!next)
        return current.load(std::memory_order_acquire) != full;
    if (next == full) { // the thread that made it current has not cleared the spare yet: do it here
        spare.compare_exchange_strong(next, nullptr, std::memory_order_acq_rel);
        return false;
    }
    if (current.compare_exchange_strong(full, next, std::memory_order_acq_rel))
        spare.compare_exchange_strong(next, nullptr, std::memory_order_acq_rel);
    return true;
}

/// Returns a slot for the caller alone; null if the current segment is full and no other is ready.
std::byte* JournalWriter::Impl::reserveSlot() {
    for (;;) {
        Segment* segment = current.load(std::memory_order_acquire);
        if (segment->next.load(std::memory_order_relaxed) < segment->slots) {
            const std::uint64_t index = segment->next.fetch_add(1, std::memory_order_relaxed);
            if (index < segment->slots)
                return segment->slot(index);
        }
        if (!takeSpare(segment))
            return nullptr;
    }
}

void JournalWriter::Impl::unmapComplete() {
    const Segment* now = current.load(std::memory_order_acquire);
    while (!mapped.empty() && mapped.front()->number < now->number && mapped.front()->allComplete()) {
        mapped.front()->mapping.reset();
        mapped.pop_front();
    }
}

/// Returns how long the helper may sleep; less if the current segment will soon be full. Appending does not wake it, to
/// avoid a system call.
std::chrono::milliseconds JournalWriter::Impl::nap() const {
    const Segment* now = current.load(std::memory_order_acquire);
    return spare.load(std::memory_order_relaxed) && now->reserved() < now->slots / 2 ? 20ms : 5ms;
}

void JournalWriter::Impl::help() {
    pthread_setname_np(pthread_self(), "rs-journal");
    auto retryAt = std::chrono::steady_clock::time_point::min();
    std::unique_lock lock(mutex);
    while (!stop) {
        lock.unlock();
        std::optional<Error> failed;
        if (!spare.load(std::memory_order_acquire) && std::chrono::steady_clock::now() >= retryAt) {
            if (auto made = makeSegment()) {
                spare.store(*made, std::memory_order_release);
            } else { // a full disk: records are dropped and counted until a later try succeeds
                failed = std::move(made.error());
                retryAt = std::chrono::steady_clock::now() + 100ms;
            }
        }
        unmapComplete();
        lock.lock();
        if (failed)
            trouble = std::move(failed);
        if (!stop)
            wake.wait_for(lock, nap());
    }
}

Result<JournalWriter> JournalWriter::create(const std::filesystem::path& rankDir, JournalOptions options) {
    if (options.slotsPerSegment == 0 || options.slotsPerSegment > kMaxSlotsPerSegment)
        return fail(Errc::BadInput, "a journal segment must have between 1 and 1048576 slots", rankDir.string());
    auto impl = makeHidden<Impl>();
    impl->dir = rankDir;
    impl->slots = options.slotsPerSegment;
    impl->writerNs = monotonicNs();
    const auto present = listSegments(rankDir); // left by an earlier start of this rank: continue after them
    impl->nextNumber = present.empty() ? 0 : present.back() + 1;
    RS_TRY_ASSIGN(auto first, impl->makeSegment());
    impl->current.store(first);
    // other threads handle the program's signals; SIGXFSZ, sent at a file size limit, must not kill it either
    const SignalsBlocked blocked;
    impl->helper = std::thread([raw = impl.get()] { raw->help(); });
    return JournalWriter(std::move(impl));
}

JournalWriter JournalWriter::detached() {
    auto impl = makeHidden<Impl>();
    impl->goesNowhere = true;
    return JournalWriter(std::move(impl));
}

bool JournalWriter::appendBytes(RecordHeader* header, const void* record, std::size_t size) {
    if (m->goesNowhere)
        return true;
    header->timeNs = monotonicNs();
    header->length = static_cast<std::uint32_t>(size);
    std::byte* slot = m->reserveSlot();
    if (!slot) {
        m->dropped.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    constexpr std::size_t kLength = sizeof header->length;
    std::memcpy(slot + kLength, static_cast<const std::byte*>(record) + kLength, size - kLength);
    std::atomic_ref(*reinterpret_cast<std::uint32_t*>(slot)).store(header->length, std::memory_order_release);
    return true;
}

void JournalWriter::note(NoteSeverity severity, std::string_view text, std::int64_t step) {
    NoteRecord record;
    record.header.step = step;
    record.severity = severity;
    putText(record.text, sizeof record.text, text);
    append(record);
}

void JournalWriter::finish() {
    m->endHelper();
}

std::uint64_t JournalWriter::dropped() const {
    return m->dropped.load(std::memory_order_relaxed);
}

Result<void> JournalWriter::check() const {
    if (dropped() == 0)
        return {};
    const std::lock_guard lock(m->mutex);
    return m->trouble ? tl::unexpected(*m->trouble) : Result<void>();
}

} // namespace rankscope::telemetry
