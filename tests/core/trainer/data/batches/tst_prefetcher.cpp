// SPDX-License-Identifier: Apache-2.0
// The loader's threads: order, hooks, cancellation.
#include "tests/core/trainer/data/batches/loader_fixture.h"
#include "tests/support/test_runner.h"

#include <QFile>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>

using namespace rankscope::test;

class TestPrefetcher : public QObject, LoaderFixture {
    Q_OBJECT
private Q_SLOTS:
    void cancelWakesAWaitingNext() {
        for (const int workers : {1, 3}) {
            const auto door = std::make_shared<Door>();
            LoaderHooks hooks;
            hooks.beforeBatch = [door](std::int64_t) { door->wait(); };
            const auto loader = make(config(workers), 0, 1, hooks);
            loader->beginEpoch(0);
            auto waiting = std::async(std::launch::async, [&] { return loader->next(); });
            door->waitUntilReached();
            loader->cancel();
            const auto batch = waiting.get(); // hangs if cancel() does not wake it
            QVERIFY(batch);
            QVERIFY(!*batch);
            QVERIFY(!*loader->next());
            door->release();
        }
    }

    void destructionDoesNotWaitForASleeper() {
        const auto door = std::make_shared<Door>();
        const auto after = std::make_shared<std::atomic<int>>(0);
        LoaderHooks hooks;
        hooks.beforeBatch = [door](std::int64_t) { door->wait(); };
        hooks.afterBatch = [after](std::int64_t, Batch&) { ++*after; };
        {
            const auto loader = make(config(2), 0, 1, hooks);
            loader->beginEpoch(0);
            door->waitUntilReached();
        } // hangs if it joins the sleepers: the door is still closed
        door->release();
        hooks = {};
        while (door.use_count() > 1) // until the workers are gone
            std::this_thread::yield();
        QCOMPARE(after->load(), 0); // no hook is called after the destruction
    }

    void idleAndFinishedLoadersEnd() {
        make(config(4)); // never begun
        const auto loader = make(config(4));
        loader->beginEpoch(0); // destroyed while it works
        QVERIFY(*loader->next());
    }

    void aHookBeforeEachFile() {
        for (const int workers : {0, 2}) {
            std::mutex mutex;
            std::map<std::int64_t, int> files;
            LoaderHooks hooks;
            hooks.beforeFile = [&](std::int64_t index) {
                const std::lock_guard lock(mutex);
                ++files[index];
            };
            const auto loader = make(config(workers), 0, 1, hooks);
            loader->beginEpoch(1);
            std::map<std::int64_t, int> expected;
            for (std::int64_t index = loader->batchesPerEpoch();; ++index) { // counted over the whole run
                const auto batch = loader->next();
                QVERIFY(batch);
                if (!*batch)
                    break;
                expected[index] = static_cast<int>((*batch)->samples.size());
            }
            const std::lock_guard lock(mutex);
            QVERIFY(expected.size() > 1);
            QCOMPARE(files, expected);
        }
    }

    void tellsWhatTheDueBatchIsReadFrom() {
        const auto door = std::make_shared<Door>();
        std::mutex mutex;
        std::vector<std::string> told;
        LoaderHooks hooks;
        hooks.reading = [&](const std::string& path) {
            const std::lock_guard lock(mutex);
            told.push_back(path);
        };
        hooks.beforeBatch = [door](std::int64_t index) {
            if (index == 1)
                door->wait();
        };
        auto ordered = config(1);
        ordered.shuffle = false;
        const auto loader = make(ordered, 0, 1, hooks);
        loader->beginEpoch(0);
        QVERIFY(*loader->next());
        door->waitUntilReached(); // batch 1 is needed, and blocks before its first file
        {
            const std::lock_guard lock(mutex);
            QCOMPARE(told.back(), at("3.wav"));
            for (const char* name : {"0.wav", "1.wav", "2.wav"})
                QVERIFY(std::find(told.begin(), told.end(), at(name)) != told.end());
        }
        door->release();
        while (*loader->next()) {
        }
        const std::lock_guard lock(mutex);
        QCOMPARE(told.back(), std::string());
    }

    void countsTheQueue() {
        std::mutex mutex;
        std::condition_variable changed;
        int depth = 0, capacity = 0;
        LoaderHooks hooks;
        hooks.queue = [&](int ready, int most) {
            const std::lock_guard lock(mutex);
            depth = ready;
            capacity = most;
            changed.notify_all();
        };
        const auto loader = make(config(2), 0, 1, hooks);
        loader->beginEpoch(0);
        {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return depth == 4; }); // 2 workers x prefetch factor 2
            QCOMPARE(capacity, 4);
        }
        const auto batch = loader->next();
        QCOMPARE((*batch)->queueDepth, 4);
    }

    void countsBatchesOverTheRun() {
        for (const int workers : {0, 3}) {
            std::mutex mutex;
            std::map<std::int64_t, int> before, after;
            LoaderHooks hooks;
            hooks.beforeBatch = [&](std::int64_t index) {
                const std::lock_guard lock(mutex);
                ++before[index];
            };
            hooks.afterBatch = [&](std::int64_t index, Batch& batch) {
                const std::lock_guard lock(mutex);
                ++after[index];
                batch.longestFile = std::to_string(index);
            };
            const auto loader = make(config(workers), 0, 1, hooks);
            int index = 0;
            for (const int number : {0, 1})
                for (const Batch& batch : epoch(*loader, number))
                    QCOMPARE(batch.longestFile, std::to_string(index++));
            QCOMPARE(index, 10);
            QCOMPARE(before.size(), std::size_t{10});
            QVERIFY(before == after);
            QCOMPARE(before.rbegin()->first, 9);
        }
    }

    void aNewEpochDropsWhatWasPrefetched() {
        const auto loader = make(config(3));
        loader->beginEpoch(0);
        QVERIFY(*loader->next());
        const auto batches = epoch(*loader, 4);
        const auto fresh = epoch(*make(config(0)), 4);
        QCOMPARE(batches.size(), fresh.size());
        for (std::size_t i = 0; i < fresh.size(); ++i)
            QVERIFY(contentOf(batches[i]) == contentOf(fresh[i]));
    }

    void resumesInsideAnEpoch() {
        const auto whole = epoch(*make(config(0)), 3);
        QCOMPARE(whole.size(), std::size_t{5});
        for (const int workers : {0, 3}) {
            for (std::int64_t first = 0; first <= 7; ++first) {
                std::mutex mutex;
                std::set<std::int64_t> made;
                LoaderHooks hooks;
                hooks.beforeBatch = [&](std::int64_t index) {
                    const std::lock_guard lock(mutex);
                    made.insert(index);
                };
                const auto loader = make(config(workers), 0, 1, hooks); // as a new process would
                loader->beginEpoch(3, first);
                std::size_t at = static_cast<std::size_t>(first);
                for (auto batch = loader->next(); batch && *batch; batch = loader->next(), ++at) {
                    QVERIFY(at < whole.size());
                    QVERIFY(contentOf(**batch) == contentOf(whole[at])); // including the noise that was drawn
                }
                QCOMPARE(at, std::max(whole.size(), static_cast<std::size_t>(first)));
                QVERIFY(made.empty() || *made.begin() == 15 + first); // nothing before it was decoded
                // the next epoch is complete
                const auto next = epoch(*loader, 4), expected = epoch(*make(config(0)), 4);
                QCOMPARE(next.size(), expected.size());
                for (std::size_t i = 0; i < next.size(); ++i)
                    QVERIFY(contentOf(next[i]) == contentOf(expected[i]));
            }
        }
    }

    void anExceptionInAHookIsAnError() {
        LoaderHooks hooks;
        hooks.beforeBatch = [](std::int64_t) { throw std::runtime_error("out of luck"); };
        const auto loader = make(config(1), 0, 1, hooks);
        loader->beginEpoch(0);
        const auto batch = loader->next();
        QVERIFY(!batch);
        QVERIFY(batch.error().what.english().find("out of luck") != std::string::npos);
    }

    /// Whatever a worker throws becomes an error of next(), and the process survives.
    void aWorkerThatThrowsIsAnError() {
        const std::vector<std::pair<std::function<void()>, std::string>> throwers{
            {[] { throw std::bad_alloc(); }, "cannot be made: not enough memory"},
            {[] { throw 7; }, "cannot be made: an exception of unknown type"},
            {[] { throw std::runtime_error("first line\nback trace"); }, "cannot be made: first line"}};
        for (const int workers : {0, 1, 4})
            for (const auto& [thrower, sentence] : throwers) {
                LoaderHooks hooks;
                hooks.afterBatch = [thrower = thrower](std::int64_t index, Batch&) {
                    if (index == 2)
                        thrower();
                };
                const auto loader = make(config(workers), 0, 1, hooks);
                loader->beginEpoch(0);
                QVERIFY(*loader->next() && *loader->next());
                const auto batch = loader->next();
                QVERIFY(!batch);
                QCOMPARE(batch.error().what.english(), sentence);
                QCOMPARE(batch.error().where, std::string("batch 2"));
            }
    }

    /// A file that vanishes or is truncated while the epoch runs is left out; all other batches are unchanged.
    void filesMayVanishInTheMidst() {
        for (const int workers : {0, 2}) {
            auto ordered = config(workers);
            ordered.shuffle = false;
            const auto whole = epoch(*make(ordered), 0);
            const std::string lost = readBytes(at("7.wav")), cut = readBytes(at("11.wav"));
            std::vector<std::string> named;
            LoaderHooks hooks;
            hooks.skipped = [&](const std::string& text) { named.push_back(text); };
            const auto door = std::make_shared<Door>();
            hooks.beforeBatch = [door](std::int64_t index) {
                if (index >= 2)
                    door->wait();
            };
            auto loader = make(ordered, 0, 1, hooks); // batches 0 1 2, 3 4 5, 6 7 8, 9 10 11, 12
            loader->beginEpoch(0);
            QVERIFY(contentOf(**loader->next()) == contentOf(whole[0]));
            QFile::remove(QString::fromStdString(at("7.wav")));
            writeText(at("11.wav"), cut.substr(0, 40));
            door->release();
            QVERIFY(contentOf(**loader->next()) == contentOf(whole[1]));
            const auto third = loader->next(), fourth = loader->next(), last = loader->next();
            QCOMPARE((*third)->indices, (std::vector<std::int64_t>{6, 8}));
            QCOMPARE((*fourth)->indices, (std::vector<std::int64_t>{9, 10}));
            QCOMPARE((*third)->skippedFiles + (*fourth)->skippedFiles, 2);
            QVERIFY(torch::equal((*third)->audio[0], whole[2].audio[0]));
            QVERIFY(contentOf(**last) == contentOf(whole[4]));
            loader.reset();
            QCOMPARE(named.size(), std::size_t{2});
            writeText(at("7.wav"), lost);
            writeText(at("11.wav"), cut);
        }
    }

    void contentDoesNotDependOnWorkers() {
        std::vector<std::string> expected;
        for (const int workers : {0, 1, 3, 8}) {
            const auto loader = make(config(workers));
            std::vector<std::string> content;
            for (const int number : {0, 1})
                for (const Batch& batch : epoch(*loader, number))
                    content.push_back(contentOf(batch));
            if (expected.empty())
                expected = content;
            QCOMPARE(content.size(), std::size_t{10});
            QVERIFY(content == expected);
        }
        QVERIFY(contentOf(epoch(*make(config(2), 0, 1, {}, 6), 0).front()) != expected.front()); // different seed
    }
};

RANKSCOPE_CORE_TEST(TestPrefetcher)
#include "tst_prefetcher.moc"
