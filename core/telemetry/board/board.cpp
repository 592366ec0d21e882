// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/board/board.h"

#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/telemetry/board/board_layout.h"
#include "core/telemetry/format/mapped_page.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace rankscope::telemetry {

namespace {

/// Holds the turn of the one thread that may write a section.
class Turn {
public:
    explicit Turn(std::atomic_flag& taken) : m_taken(taken) {
        while (m_taken.test_and_set(std::memory_order_acquire))
            ::sched_yield();
    }
    ~Turn() { m_taken.clear(std::memory_order_release); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    std::atomic_flag& m_taken;
};

} // namespace

struct BoardWriter::Impl {
    Mapping mapping;
    BoardTraining training;                         ///< copy of the page's section, which only this writer changes
    std::atomic_flag loaderTurn = ATOMIC_FLAG_INIT; ///< loader threads take turns
    std::array<std::atomic_flag, kBoardGroups> arrivalTurns{}; ///< by group, as do threads that enter its collectives
    std::atomic_flag asked = ATOMIC_FLAG_INIT;                 ///< to leave: only the first request is written

    BoardPage& page() const { return *reinterpret_cast<BoardPage*>(mapping.base()); }
    void publishTraining(std::int64_t nowNs) {
        training.updatedNs = nowNs;
        publish(page().training, training);
    }
    BoardGroup* group(std::uint32_t number) const;
};

/// Returns the slot of a group, which is claimed at its first use; null if all slots belong to other groups.
BoardGroup* BoardWriter::Impl::group(std::uint32_t number) const {
    const std::uint64_t wanted = std::uint64_t{number} + 1;
    for (BoardGroup& g : page().groups) {
        std::atomic_ref owner(g.owner);
        std::uint64_t has = owner.load(std::memory_order_relaxed);
        if (has == 0 && owner.compare_exchange_strong(has, wanted, std::memory_order_relaxed))
            return &g;
        if (has == wanted)
            return &g;
    }
    return nullptr;
}

Result<BoardWriter> BoardWriter::create(const std::filesystem::path& path) {
    const BoardPage empty;
    RS_TRY_ASSIGN(const auto fd, createPage(path, std::as_bytes(std::span(&empty, 1)), GuardedFolder::Rank));
    RS_TRY_ASSIGN(auto mapping, Mapping::ofFile(fd.get(), sizeof empty, path));
    auto impl = makeHidden<Impl>();
    impl->mapping = std::move(mapping);
    return BoardWriter(std::move(impl));
}

BoardWriter BoardWriter::detached() {
    auto impl = makeHidden<Impl>();
    impl->mapping = Mapping::anonymous(kBoardBytes);
    new (impl->mapping.base()) BoardPage;
    return BoardWriter(std::move(impl));
}

void BoardWriter::identify(int rank, int worldSize, std::uint64_t configHash, std::string_view device,
                           std::int64_t totalSteps, std::int64_t stepsPerEpoch) {
    m->training.rank = rank;
    m->training.worldSize = worldSize;
    m->training.pid = ::getpid();
    if (const auto self = processStat(::getpid()))
        m->training.startTicks = self->startTicks;
    m->training.configHash = configHash;
    m->training.totalSteps = totalSteps;
    m->training.stepsPerEpoch = static_cast<std::int32_t>(std::clamp<std::int64_t>(stepsPerEpoch, 0, INT32_MAX));
    putText(m->training.device, sizeof m->training.device, device);
    m->publishTraining(monotonicNs());
}

void BoardWriter::stage(RankStage stage) {
    m->training.stage = static_cast<std::uint8_t>(stage);
    m->publishTraining(monotonicNs());
}

void BoardWriter::step(std::int64_t step, int epoch) {
    m->training.step = step;
    m->training.epoch = epoch;
    m->publishTraining(monotonicNs());
}

void BoardWriter::phase(Phase phase, std::int64_t sinceNs) {
    m->training.phase = static_cast<std::uint8_t>(phase);
    m->training.phaseSinceNs = sinceNs;
    m->publishTraining(std::max(sinceNs, m->training.updatedNs)); // the caller has just read the clock
}

void BoardWriter::place(ForwardSite place, int layer) {
    m->training.place = static_cast<std::uint8_t>(place);
    m->training.layer = layer;
    m->publishTraining(monotonicNs());
}

void BoardWriter::batch(int size, std::int64_t longestSamples, std::int64_t longestFrames) {
    m->training.batchSize = size;
    m->training.longestSamples = longestSamples;
    m->training.longestFrames = longestFrames;
    m->publishTraining(monotonicNs());
}

void BoardWriter::inputShape(std::array<std::int32_t, 4> shape) {
    m->training.inputShape = shape;
    m->publishTraining(monotonicNs());
}

void BoardWriter::arrived(std::uint32_t group, std::uint64_t sequence, CollectiveOp op, std::uint8_t dtype,
                          std::int64_t count, std::string_view tag, std::int64_t atNs) {
    BoardGroup* slot = m->group(group);
    if (!slot)
        return;
    BoardArrival arrived;
    arrived.sequence = sequence;
    arrived.op = static_cast<std::uint8_t>(op);
    arrived.dtype = dtype;
    arrived.count = count;
    arrived.arrivedNs = atNs;
    putText(arrived.tag, sizeof arrived.tag, tag);
    const Turn turn(m->arrivalTurns[static_cast<std::size_t>(slot - m->page().groups.data())]);
    if (slot->arrived.sequence == 0 || slot->arrived.data.sequence <= sequence) // else another thread's is newer
        publish(slot->arrived, arrived);
}

template <class T> static void raise(T& word, T value) {
    std::atomic_ref<T> ref(word);
    T has = ref.load(std::memory_order_relaxed);
    while (has < value && !ref.compare_exchange_weak(has, value, std::memory_order_release)) {
    }
}

void BoardWriter::done(std::uint32_t group, std::uint64_t doneCount, std::int64_t atNs) {
    if (BoardGroup* slot = m->group(group)) {
        raise(slot->doneNs, atNs); // the time first: a reader that sees the count sees a time that is not older
        raise(slot->done, doneCount);
    }
}

void BoardWriter::started(std::uint32_t group, std::uint64_t count) {
    if (BoardGroup* slot = m->group(group))
        raise(slot->started, count);
}

/// Returns the end of a path that is too long; it is more useful than the beginning.
static std::string_view tail(std::string_view text, std::size_t room) {
    if (text.size() <= room)
        return text;
    text.remove_prefix(text.size() - room);
    while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xC0) == 0x80)
        text.remove_prefix(1);
    return text;
}

void BoardWriter::reading(std::string_view path, std::int64_t sinceNs) {
    BoardLoader loader;
    loader.sinceNs = sinceNs;
    putText(loader.path, sizeof loader.path, tail(path, sizeof loader.path - 1));
    const Turn turn(m->loaderTurn);
    publish(m->page().loader, loader);
}

void BoardWriter::queue(int depth, int capacity) {
    const auto low = static_cast<std::uint32_t>(depth), high = static_cast<std::uint32_t>(capacity);
    std::atomic_ref(m->page().queue).store(std::uint64_t{high} << 32 | low, std::memory_order_relaxed);
}

void BoardWriter::dropped(std::uint64_t records) {
    raise(m->page().dropped, records);
}

void BoardWriter::askedToLeave(const LeaveRequest& request) {
    if (!m->asked.test_and_set())
        publish(m->page().leave, request);
}

struct BoardReader::Impl {
    UniqueFd fd;
    mutable BoardPage last;
    /// Odd sequences that did not change in time: their writer is dead or stopped, and copies no longer wait for it.
    mutable std::array<std::uint64_t, 2 + kBoardGroups> stuck{};

    bool copy(BoardPage& to) const;
};

/// Copies a section from `copy` to `to` if it was read between two writes. Returns false if it was being written.
template <class T>
static bool readStable(BoardSection<T>& to, const BoardSection<T>& before, const BoardSection<T>& copy,
                       const BoardSection<T>& after) {
    if ((before.sequence & 1) != 0 || before.sequence != after.sequence)
        return false;
    to = copy;
    to.sequence = before.sequence;
    return true;
}

static std::array<std::uint64_t, 2 + kBoardGroups> sequencesOf(const BoardPage& page) {
    std::array<std::uint64_t, 2 + kBoardGroups> all{page.training.sequence, page.loader.sequence};
    for (std::size_t g = 0; g < page.groups.size(); ++g)
        all[2 + g] = page.groups[g].arrived.sequence;
    return all;
}

/// Reads with pread, never through a mapping: truncating the board must not kill the reader with SIGBUS. A section is
/// consistent if its sequence was even before the copy and is the same after it; sections are independent.
bool BoardReader::Impl::copy(BoardPage& to) const {
    constexpr int kTries = 200, kAtOnce = 32; // a writer interrupted inside a write gets about 20 ms
    auto readPage = [this](BoardPage& page) {
        return readAt(fd.get(), &page, sizeof page, 0) == static_cast<std::ptrdiff_t>(sizeof page) &&
               page.magic == kBoardMagic && page.version == kBoardVersion;
    };
    BoardPage before, copy, after;
    if (!readPage(before))
        return false;
    to = before;
    const bool asked = before.leave.sequence == kLeaveThere;
    std::array<bool, 2 + kBoardGroups> done{};
    for (int tries = 0; tries < kTries; ++tries) {
        if (!readPage(copy) || !readPage(after))
            return false;
        done[0] = done[0] || readStable(to.training, before.training, copy.training, after.training);
        done[1] = done[1] || readStable(to.loader, before.loader, copy.loader, after.loader);
        for (std::size_t g = 0; g < to.groups.size(); ++g)
            done[2 + g] = done[2 + g] || readStable(to.groups[g].arrived, before.groups[g].arrived,
                                                    copy.groups[g].arrived, after.groups[g].arrived);
        const auto now = sequencesOf(after);
        bool wait = false;
        for (std::size_t i = 0; i < done.size(); ++i)
            wait |= !done[i] && now[i] != stuck[i];
        if (!wait)
            break;
        if (tries > kAtOnce)
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        before = after;
    }
    // the writer of a section that never settled was stopped or killed inside a write: keep the first copy
    const auto found = sequencesOf(after);
    for (std::size_t i = 0; i < done.size(); ++i)
        stuck[i] = done[i] ? 0 : found[i];
    for (std::size_t g = 0; g < to.groups.size(); ++g) {
        to.groups[g].owner = after.groups[g].owner;
        to.groups[g].done = after.groups[g].done;
        to.groups[g].doneNs = after.groups[g].doneNs;
        to.groups[g].started = after.groups[g].started;
    }
    // written once: a request that was complete in the first read is complete in the last one
    to.leave = asked ? after.leave : BoardSection<LeaveRequest>{};
    to.queue = after.queue;
    to.dropped = after.dropped;
    return true;
}

Result<BoardReader> BoardReader::open(const std::filesystem::path& path) {
    RS_TRY_ASSIGN(auto fd, openForeign(path, sizeof(BoardPage), GuardedFolder::Rank));
    auto impl = makeHidden<Impl>();
    impl->fd = std::move(fd);
    BoardPage page;
    if (readAt(impl->fd.get(), &page, sizeof page, 0) != static_cast<std::ptrdiff_t>(sizeof page))
        return fail(Errc::Malformed, "cannot be read in full", path.string());
    if (page.magic != kBoardMagic)
        return fail(Errc::Malformed, "is not a board", path.string());
    if (page.version != kBoardVersion)
        return fail(Errc::Unsupported,
                    {"is a board of version {}, but this program supports version {}", page.version, kBoardVersion},
                    path.string());
    impl->last = page;
    return BoardReader(std::move(impl));
}

BoardSnapshot BoardReader::snapshot() const {
    BoardPage page;
    if (m->copy(page))
        m->last = page; // otherwise it was truncated or overwritten: the last good copy still holds
    return decodeBoard(m->last);
}

} // namespace rankscope::telemetry
