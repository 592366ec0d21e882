// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/batches/prefetcher.h"

#include "core/base/process/signals_blocked.h"
#include "core/base/values/clock.h"
#include "core/trainer/exception_text.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <string_view>

namespace rankscope::trainer {

namespace {

constexpr std::int64_t kSpares = 8;                 // utterances that may replace a batch without a readable file
constexpr auto kFarewell = std::chrono::seconds(1); // how long the destructor waits for its workers

} // namespace

BatchPlan EpochPlan::batch(std::int64_t number) const {
    BatchPlan plan{epoch, number, {}, {}};
    const std::int64_t first = begin->at(static_cast<std::size_t>(number)),
                       last = begin->at(static_cast<std::size_t>(number) + 1), all = utterances->size();
    for (std::int64_t i = first; i < last; ++i)
        plan.utterances.push_back(utterances->get(i));
    for (std::int64_t i = 0; i < std::min(kSpares, all - (last - first)); ++i)
        plan.spares.push_back(utterances->get((last + i) % all));
    return plan;
}

struct Prefetcher::Shared {
    using Made = Result<MadeBatch>;

    std::shared_ptr<const BatchMaker> maker;
    LoaderHooks hooks;
    int capacity = 0;

    std::mutex mutex; // guards all members below; orders the calls of hooks.reading, hooks.queue and hooks.skipped
    std::condition_variable work, ready, ended;
    bool cancelled = false;
    std::uint64_t generation = 0; // number of epochs begun; results of older ones are dropped
    EpochPlan plan;
    std::int64_t claimed = 0, due = 0; // batches given to workers; the batch that next() hands out next
    std::map<std::int64_t, Made> done;
    std::map<std::int64_t, std::string> reading; // batches being made: the file that each is reading
    std::set<std::string> named;                 // broken and short files already reported
    int running = 0;                             // workers

    int readyInOrder() const {
        int depth = 0;
        while (done.count(due + depth))
            ++depth;
        return depth;
    }
    void announceReading() {
        const auto found = reading.find(due);
        if (hooks.reading)
            hooks.reading(found == reading.end() ? std::string() : found->second);
    }
    void announceQueue() {
        if (hooks.queue && capacity > 0)
            hooks.queue(readyInOrder(), capacity);
    }
    void nameFiles(const MadeBatch& made) {
        for (const BrokenFile& file : made.broken)
            if (named.insert(file.error.where).second && hooks.skipped)
                hooks.skipped(file.error.message());
        for (const Error& file : made.shorter)
            if (named.insert(file.where).second && hooks.shorter)
                hooks.shorter(file.message());
    }

    Made make(std::int64_t number, std::uint64_t forGeneration, const EpochPlan& epoch);
    void store(std::int64_t number, std::uint64_t forGeneration, Made made);
    void workerLoop();
};

Prefetcher::Shared::Made Prefetcher::Shared::make(std::int64_t number, std::uint64_t forGeneration,
                                                  const EpochPlan& epoch) {
    const std::int64_t begin = monotonicNs(), index = epoch.firstIndex + number;
    const auto stale = [this, forGeneration] { return cancelled || generation != forGeneration; };
    MakerHooks ours{[&](const std::string& path) {
                        const std::lock_guard lock(mutex);
                        if (stale())
                            return;
                        reading[number] = path;
                        if (number == due)
                            announceReading();
                    },
                    [&] {
                        const std::lock_guard lock(mutex);
                        return stale();
                    }};
    if (hooks.beforeFile)
        ours.beforeFile = [this, index] { hooks.beforeFile(index); };
    const auto failed = [index](Message why) {
        return fail(Errc::Internal, {"cannot be made: {}", std::move(why)}, fmt::format("batch {}", index));
    };
    try {
        const BatchPlan batch = epoch.batch(number);
        // before the hook: a fault that sleeps in it simulates a slow read of the first file
        ours.reading(batch.utterances.front().place());
        if (hooks.beforeBatch && !ours.givenUp())
            hooks.beforeBatch(index);
        MadeBatch made = maker->make(batch, ours);
        if (made.batch && !ours.givenUp()) {
            if (hooks.afterBatch)
                hooks.afterBatch(index, *made.batch);
            made.batch->loadNs = monotonicNs() - begin;
        }
        return made;
    } catch (const std::bad_alloc&) {
        return failed("not enough memory");
    } catch (const std::exception& e) {
        return failed(firstLine(e));
    } catch (...) {
        return failed("an exception of unknown type");
    }
}

void Prefetcher::Shared::store(std::int64_t number, std::uint64_t forGeneration, Made made) {
    const std::lock_guard lock(mutex);
    if (cancelled || generation != forGeneration)
        return;
    reading.erase(number);
    if (made)
        nameFiles(*made);
    done.emplace(number, std::move(made));
    if (number == due)
        announceReading();
    announceQueue();
    ready.notify_all();
}

void Prefetcher::Shared::workerLoop() {
    std::unique_lock lock(mutex);
    for (;;) {
        work.wait(lock, [this] { return cancelled || (claimed < plan.batches && claimed < due + capacity); });
        if (cancelled)
            break;
        const std::int64_t number = claimed++;
        const std::uint64_t mine = generation;
        const EpochPlan epoch = plan;
        lock.unlock();
        store(number, mine, make(number, mine, epoch));
        lock.lock();
    }
    --running;
    ended.notify_all();
}

struct Prefetcher::Worker {
    std::thread thread;
    std::shared_ptr<bool> over; // under the mutex
};

Prefetcher::Prefetcher(std::shared_ptr<const BatchMaker> maker, LoaderHooks hooks, int workers, int prefetchFactor)
    : m_shared(std::make_shared<Shared>()) {
    m_shared->maker = std::move(maker);
    m_shared->hooks = std::move(hooks);
    m_shared->capacity = workers * prefetchFactor;
    m_shared->running = workers;
    m_workers.reserve(static_cast<std::size_t>(workers));
    const SignalsBlocked blocked;
    try {
        for (int i = 0; i < workers; ++i)
            start(i);
    } catch (...) { // too many threads: those already started must not be destroyed while they run
        cancel();
        for (Worker& worker : m_workers)
            worker.thread.join();
        throw;
    }
}

void Prefetcher::start(int number) {
    auto over = std::make_shared<bool>(false);
    m_workers.push_back({std::thread([shared = m_shared, over, number] {
                             pthread_setname_np(pthread_self(), fmt::format("loader-{}", number).c_str());
                             shared->workerLoop();
                             const std::lock_guard lock(shared->mutex);
                             *over = true;
                         }),
                         over});
}

Prefetcher::~Prefetcher() {
    cancel();
    std::unique_lock lock(m_shared->mutex);
    m_shared->ended.wait_for(lock, kFarewell, [this] { return m_shared->running == 0; });
    const bool all = m_shared->running == 0;
    std::vector<bool> over;
    for (const Worker& worker : m_workers)
        over.push_back(all || *worker.over);
    lock.unlock();
    for (std::size_t i = 0; i < m_workers.size(); ++i)
        over[i] ? m_workers[i].thread.join() : m_workers[i].thread.detach();
}

void Prefetcher::begin(EpochPlan plan) {
    const std::lock_guard lock(m_shared->mutex);
    ++m_shared->generation;
    m_shared->claimed = m_shared->due = plan.firstBatch;
    m_shared->plan = std::move(plan);
    m_shared->done.clear();
    m_shared->reading.clear();
    m_shared->announceReading();
    m_shared->announceQueue();
    m_shared->work.notify_all();
}

Result<std::optional<Delivery>> Prefetcher::next() {
    Shared& shared = *m_shared;
    std::unique_lock lock(shared.mutex);
    if (shared.cancelled || shared.due >= shared.plan.batches)
        return std::optional<Delivery>();
    const int depth = shared.readyInOrder();
    if (m_workers.empty()) {
        const std::int64_t number = shared.claimed++;
        const std::uint64_t mine = shared.generation;
        const EpochPlan epoch = shared.plan;
        lock.unlock();
        shared.store(number, mine, shared.make(number, mine, epoch));
        lock.lock();
    }
    shared.ready.wait(lock, [&] { return shared.cancelled || shared.done.count(shared.due); });
    if (shared.cancelled)
        return std::optional<Delivery>();
    auto node = shared.done.extract(shared.due++);
    shared.announceReading();
    shared.announceQueue();
    shared.work.notify_all();
    lock.unlock();
    if (!node.mapped())
        return tl::unexpected(node.mapped().error());
    return Delivery{std::move(*node.mapped()), depth};
}

void Prefetcher::cancel() {
    const std::lock_guard lock(m_shared->mutex);
    m_shared->cancelled = true;
    m_shared->work.notify_all();
    m_shared->ready.notify_all();
}

bool Prefetcher::cancelled() const {
    const std::lock_guard lock(m_shared->mutex);
    return m_shared->cancelled;
}

} // namespace rankscope::trainer
