// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/evidence/rank_status.h"
#include "core/diagnosis/evidence/remedy.h"
#include "tests/core/diagnosis/simulated_run.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <cmath>
#include <csignal>
#include <limits>
#include <random>

using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

namespace {
const std::vector<int> kRank0{0}, kRank1{1};
}

class TestDetector : public QObject {
    Q_OBJECT
private:
    static double threshold(const Incident& in) { return in.evidence.thresholdSeconds.value_or(0.0); }
    static double detectedAfterThreshold(const Incident& in) {
        return static_cast<double>(in.detectedNs - in.openedNs) * 1e-9 - threshold(in);
    }

private Q_SLOTS:
    void healthyRunWithUnequalLengthsRaisesNothing() {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> seconds(1, 20);
        std::map<std::pair<int, std::int64_t>, double> length;
        SimulatedRun run(4, {}, [&](int r, std::int64_t s) {
            auto [it, fresh] = length.try_emplace({r, s}, 0.0);
            if (fresh)
                it->second = seconds(random);
            Work w;
            w.frames = static_cast<std::int64_t>(100 * it->second);
            w.forwardNs = static_cast<std::int64_t>(it->second * 20 * kMs);
            w.backwardNs = 2 * w.forwardNs;
            return w;
        });
        run.runFor(600 * kSecond);
        QVERIFY(run.rank(0).step > 300);
        for (const auto& in : run.incidents())
            QFAIL(sentence(in, run.now()).english().c_str());
    }

    void dataLoadingStall_data() {
        QTest::addColumn<int>("world");
        QTest::addColumn<int>("holder");
        QTest::newRow("2 ranks, rank 1") << 2 << 1;
        QTest::newRow("2 ranks, rank 0") << 2 << 0;
        QTest::newRow("8 ranks, rank 5") << 8 << 5;
    }
    void dataLoadingStall() {
        QFETCH(int, world);
        QFETCH(int, holder);
        SimulatedRun run(world, {}, [&](int r, std::int64_t s) {
            Work w;
            if (r == holder && s == 60)
                w.loadNs = 6 * kSecond;
            return w;
        });
        while (run.rank(holder).step < 60)
            run.runFor(50 * kMs);
        run.rank(holder).board.reading = "/data/utt_0412.flac";
        run.rank(holder).board.readingSinceNs = run.now();
        run.runFor(30 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{1});
        const Incident& in = all.front();
        QCOMPARE(in.cause, Cause::DataLoading);
        QCOMPARE(in.phase, Phase::DataWait);
        QCOMPARE(in.holders, std::vector<int>{holder});
        QCOMPARE(in.waiters.size(), static_cast<std::size_t>(world - 1));
        QCOMPARE(in.collective.tag, std::string("sync_max_audio_length"));
        QCOMPARE(in.step, std::int64_t{60});
        QVERIFY2(detectedAfterThreshold(in) < 0.2, std::to_string(detectedAfterThreshold(in)).c_str());
        QCOMPARE(in.closed, CloseReason::Recovered);
        QVERIFY(std::abs(static_cast<double>(in.closedNs - in.openedNs) * 1e-9 - 6.0) < 0.3);
        QCOMPARE(in.evidence.reading.value_or(""), std::string("utt_0412.flac"));
        QVERIFY(in.remedy.key.empty()); // more workers do not make one slow file read faster
        QVERIFY2(in.remedy.text.english().find("remove it from the manifest") != std::string::npos,
                 in.remedy.text.english().c_str());
        QVERIFY(remedyText(in).text(rankscope::Language::Chinese).find("manifest") != std::string::npos);
    }

    /// The rest of the batch is read in a moment, so that the last look finds a file that was opened only then.
    void anEndedStallNamesTheFileThatWasReadTheLongest() {
        SimulatedRun run(2, {}, [](int r, std::int64_t s) {
            Work w;
            if (r == 1 && s == 60)
                w.loadNs = 6 * kSecond;
            return w;
        });
        while (run.rank(1).step < 60)
            run.runFor(50 * kMs);
        BoardSnapshot& board = run.rank(1).board;
        board.reading = "/data/utt_0412.flac";
        board.readingSinceNs = run.now();
        run.runFor(5'500 * kMs);
        QCOMPARE(run.incidents().front().evidence.reading.value_or(""), std::string("utt_0412.flac"));
        board.reading = "/data/utt_0413.flac";
        board.readingSinceNs = run.now();
        run.runFor(30 * kSecond);
        const Incident in = run.incidents().front();
        QCOMPARE(in.closed, CloseReason::Recovered);
        QCOMPARE(in.evidence.reading.value_or(""), std::string("utt_0412.flac"));
        QCOMPARE(in.evidence.readingPath.value_or(""), std::string("/data/utt_0412.flac"));
        QVERIFY(in.evidence.readingSeconds.value_or(0) > 5);
        QVERIFY(sentence(in, run.now()).english().find("was reading utt_0412.flac (5.") != std::string::npos);
        QVERIFY(in.remedy.text.english().find("remove it from the manifest") != std::string::npos);
    }

    /// Many files one after the other, or none: the queue was empty because there were too few workers.
    void anEmptyQueueWithoutASlowFileIsCuredByWorkers() {
        for (const bool reads : {false, true}) {
            SimulatedRun run(2, {}, [](int r, std::int64_t s) {
                Work w;
                if (r == 1 && s == 60)
                    w.loadNs = 6 * kSecond;
                return w;
            });
            while (run.rank(1).step < 60)
                run.runFor(50 * kMs);
            for (int file = 0; file < 300; ++file) {
                if (reads) {
                    run.rank(1).board.reading = "/data/utt_" + std::to_string(file) + ".flac";
                    run.rank(1).board.readingSinceNs = run.now();
                }
                run.runFor(100 * kMs);
            }
            const auto all = run.incidents();
            QCOMPARE(all.size(), std::size_t{1});
            QCOMPARE(all.front().cause, Cause::DataLoading);
            QCOMPARE(all.front().remedy.key, std::string("model.train_ds.num_workers"));
        }
    }

    void loaderStallThatNobodyWaitsForYet() {
        SimulatedRun run(1, {}, [](int, std::int64_t s) {
            Work w;
            if (s == 40)
                w.loadNs = 8 * kSecond;
            return w;
        });
        run.runFor(40 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{1});
        QCOMPARE(all.front().cause, Cause::DataLoading);
        QVERIFY(all.front().waiters.empty());
        QVERIFY(!all.front().collective.known);
        QCOMPARE(all.front().closed, CloseReason::Recovered);
    }

    void slowForwardIsSlowCompute() {
        SimulatedRun run(2, {}, [](int r, std::int64_t s) {
            Work w;
            if (r == 0 && s == 50)
                w.forwardNs = 8 * kSecond;
            return w;
        });
        run.runFor(40 * kSecond);
        const auto all = run.incidents();
        QVERIFY(!all.empty());
        QCOMPARE(all.front().cause, Cause::SlowCompute);
        QCOMPARE(all.front().phase, Phase::Forward);
        QCOMPARE(all.front().holders, kRank0);
        QCOMPARE(all.front().waiters, kRank1);
        QVERIFY(all.front().collective.tag.starts_with("sync_batchnorm:"));
    }

    void slowForwardOverABatchThatIsLongerByChance() {
        // twice the length explains two to four times the duration, not fifty times
        SimulatedRun run(2, {}, [](int r, std::int64_t s) {
            Work w;
            if (r == 0 && s == 50) {
                w.forwardNs = 8 * kSecond;
                w.frames = 1600;
            }
            return w;
        });
        run.runFor(40 * kSecond);
        const auto all = run.incidents();
        QVERIFY(!all.empty());
        QCOMPARE(all.front().cause, Cause::SlowCompute);
        QCOMPARE(all.front().holders, kRank0);
        QVERIFY(all.front().evidence.lengthExplainsSeconds.value() < 2.0);
    }

    void stoppedRank() {
        SimulatedRun run(2, {}, [](int, std::int64_t) { return Work{}; });
        run.runFor(10 * kSecond);
        auto& r = run.rank(1);
        r.process = {ProcessView::State::Stopped, 0, SIGSTOP, run.now(), false, {}};
        run.runFor(5 * kSecond);
        r.process = {ProcessView::State::Running, 0, 0, run.now(), false, {}};
        run.runFor(5 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{1});
        QCOMPARE(all.front().cause, Cause::Stopped);
        QCOMPARE(all.front().holders, kRank1);
        QCOMPARE(all.front().waiters, kRank0);
        QVERIFY(detectedAfterThreshold(all.front()) < 0.2);
        QCOMPARE(all.front().closed, CloseReason::Recovered);
    }

    void deadRankIsSeenAtOnceAndItsPeerIsNotBlamed() {
        SimulatedRun run(2, {}, [](int, std::int64_t) { return Work{}; });
        run.runFor(10 * kSecond);
        // the other rank's exit is seen first: its collective failed
        run.rank(0).process = {ProcessView::State::Exited, 3, 0, run.now(), false, {}};
        run.observe();
        QVERIFY(run.incidents().empty());
        run.rank(1).process = {ProcessView::State::Signalled, 0, SIGKILL, run.now(), false, {}};
        run.runFor(100 * kMs);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{1});
        QCOMPARE(all.front().cause, Cause::Dead);
        QCOMPARE(all.front().holders, kRank1);
        QCOMPARE(all.front().evidence.signalName.value_or(""), std::string("SIGKILL"));
        run.observe(RunOutcomeSeen::Failed);
        QCOMPARE(run.incidents().front().closed, CloseReason::RunEnded);
        QVERIFY(run.detector().open().empty());
    }

    void loneFailureIsTheCulpritAfterAMoment() {
        SimulatedRun run(2, {}, [](int, std::int64_t) { return Work{}; });
        run.runFor(5 * kSecond);
        run.rank(0).process = {ProcessView::State::Exited, 3, 0, run.now(), false, "no space left"};
        run.runFor(500 * kMs);
        QCOMPARE(run.incidents().size(), std::size_t{1});
        QCOMPARE(run.incidents().front().holders, kRank0);
    }

    void rankThatRanOutOfBatches() {
        SimulatedRun run(2, {}, [](int, std::int64_t) { return Work{}; });
        run.runFor(10 * kSecond);
        run.rank(1).frozenUntil = run.now() + 100 * kSecond;
        run.rank(1).board.stage = RankStage::Finished;
        run.runFor(5 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{1});
        QCOMPARE(all.front().cause, Cause::UnevenBatches);
        QCOMPARE(all.front().remedy.key, std::string("model.train_ds.drop_last"));
    }

    void stragglerInForward() {
        SimulatedRun run(2, {}, [](int r, std::int64_t s) {
            Work w;
            if (r == 1 && s >= 60 && s < 120)
                w.forwardNs += 400 * kMs;
            return w;
        });
        run.runFor(120 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{1});
        QVERIFY(all.front().straggler);
        QCOMPARE(all.front().cause, Cause::SlowCompute);
        QCOMPARE(all.front().phase, Phase::Forward);
        QCOMPARE(all.front().holders, kRank1);
        QCOMPARE(all.front().closed, CloseReason::Recovered);
    }

    void stragglerInTheLoader() {
        SimulatedRun run(3, {}, [](int r, std::int64_t s) {
            Work w;
            if (r == 2 && s >= 60)
                w.loadNs += 500 * kMs;
            return w;
        });
        run.runFor(60 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{1});
        QCOMPARE(all.front().cause, Cause::DataLoading);
        QCOMPARE(all.front().phase, Phase::DataWait);
        QCOMPARE(all.front().holders, std::vector<int>{2});
        QVERIFY(all.front().closedNs == 0);
    }

    void twoStallsOfTheSameRankAreTwoIncidents() {
        SimulatedRun run(2, {}, [](int r, std::int64_t s) {
            Work w;
            if (r == 1 && (s == 50 || s == 52))
                w.loadNs = 4 * kSecond;
            return w;
        });
        run.runFor(40 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{2});
        QCOMPARE(all[0].step, std::int64_t{50});
        QCOMPARE(all[1].step, std::int64_t{52});
    }

    void notFiniteLoss() {
        SimulatedRun run(2, {}, [](int, std::int64_t) { return Work{}; });
        run.runFor(5 * kSecond);
        run.loss = std::numeric_limits<double>::quiet_NaN();
        run.runFor(2 * kSecond);
        QCOMPARE(run.incidents().size(), std::size_t{1});
        QCOMPARE(run.incidents().front().cause, Cause::NotFinite);
        QCOMPARE(run.incidents().front().holders, (std::vector<int>{0, 1}));
        run.loss = 3;
        run.runFor(4 * kSecond);
        for (const auto& in : run.incidents())
            QCOMPARE(in.closed, CloseReason::Recovered);
    }

    void batchWithoutAMaskedFrame() {
        SimulatedRun run(2, {}, [](int, std::int64_t) { return Work{}; });
        run.runFor(5 * kSecond);
        run.loss = std::numeric_limits<double>::quiet_NaN();
        run.maskedFrames = 0;
        run.runFor(1 * kSecond);
        QCOMPARE(run.incidents().front().cause, Cause::EmptyBatch);
    }

    void mismatchedCollective() {
        SimulatedRun run(2, {}, [](int, std::int64_t) { return Work{}; });
        run.runFor(10 * kSecond);
        for (int r = 0; r < 2; ++r) {
            run.rank(r).frozenUntil = run.now() + 100 * kSecond;
            auto& c = run.rank(r).board.collectives[0];
            c.sequence = 100'000;
            c.done = 100'000;
            c.arrivedNs = run.now();
            c.tag = r == 0 ? "sync_max_audio_length" : "sync_batchnorm:layers.0";
        }
        run.runFor(5 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{1});
        QCOMPARE(all.front().cause, Cause::MismatchedCollective);
        QCOMPARE(all.front().holders, kRank1);
    }

    void statusesNameWaiterAndHolder() {
        SimulatedRun run(2, {}, [](int r, std::int64_t s) {
            Work w;
            if (r == 1 && s == 40)
                w.loadNs = 20 * kSecond;
            return w;
        });
        while (run.rank(1).step < 40)
            run.runFor(50 * kMs);
        run.runFor(4 * kSecond);
        const auto statuses = rankStatuses(run.observation(), run.detector().open());
        QCOMPARE(statuses[0].state, RankState::Waiting);
        QVERIFY2(QString::fromStdString(statuses[0].words.english()).contains("for rank 1 in sync_max_audio_length"),
                 statuses[0].words.english().c_str());
        QCOMPARE(statuses[1].state, RankState::Holder);
        QVERIFY2(statuses[0].words.text(rankscope::Language::Chinese).starts_with("等待 rank 1 "),
                 statuses[0].words.text(rankscope::Language::Chinese).c_str());
        QVERIFY2(QString::fromStdString(statuses[1].words.english()).startsWith("blocking 1 rank"),
                 statuses[1].words.english().c_str());
        QVERIFY2(statuses[1].words.text(rankscope::Language::Chinese).starts_with("拖住 1 个 rank "),
                 statuses[1].words.text(rankscope::Language::Chinese).c_str());
        run.rank(1).process = {ProcessView::State::Signalled, 0, SIGSEGV, run.now(), false, {}};
        QCOMPARE(rankStatuses(run.observation(), {})[1].words.english(), std::string("exit 139 (SIGSEGV) at step 40"));
        QCOMPARE(rankStatuses(run.observation(), {})[1].state, RankState::Dead);
    }

    /// If one rank has several open incidents, its tile shows the current stall.
    void theStallOfNowCounts() {
        SimulatedRun run(2, {}, [](int, std::int64_t) { return Work{}; });
        run.runFor(kSecond);
        Incident slow, stall;
        slow.id = 1;
        slow.cause = Cause::SlowCompute;
        slow.phase = Phase::Forward;
        slow.holders = stall.holders = {1};
        slow.waiters = stall.waiters = {0};
        slow.openedNs = run.now() - 30 * kSecond;
        stall.id = 2;
        stall.cause = Cause::DataLoading;
        stall.phase = Phase::DataWait;
        stall.openedNs = run.now() - 7 * kSecond;
        const auto words = [&](const std::vector<Incident>& open) {
            return rankStatuses(run.observation(), open)[1].words.english();
        };
        QCOMPARE(words({slow, stall}), std::string("blocking 1 rank for 7.0 s: data_wait"));
        slow.straggler = true;
        slow.openedNs = run.now() - 5 * kSecond; // reported while the stall was open
        QCOMPARE(words({slow, stall}), std::string("blocking 1 rank for 7.0 s: data_wait"));
        QCOMPARE(words({slow}), std::string("blocking 1 rank for 5.0 s: forward"));
    }

    /// The batch that the loader has not delivered has no length yet; the previous step's length is not reported in its
    /// place.
    void theBatchIsThatOfTheStep() {
        const auto frames = [](int rank, std::int64_t step) { return 500 + 100 * rank + step; };
        SimulatedRun run(2, {}, [&](int r, std::int64_t s) {
            Work w;
            w.frames = frames(r, s);
            w.loadNs = r == 1 && s == 40 ? 12 * kSecond : w.loadNs;
            return w;
        });
        while (run.rank(1).step < 40)
            run.runFor(50 * kMs);
        run.runFor(5 * kSecond);
        const auto open = run.incidents();
        QCOMPARE(open.size(), std::size_t{1});
        QCOMPARE(open.front().step, std::int64_t{40});
        const Evidence& evidence = open.front().evidence;
        QVERIFY(!evidence.holderLongestFrames && !evidence.holderLongestSamples && !evidence.lengthExplainsSeconds);
        QCOMPARE(open.front().evidence.othersLongestFrames.value_or(0), frames(0, 40));
        run.runFor(15 * kSecond);
        const auto closed = run.incidents();
        QCOMPARE(closed.size(), std::size_t{1});
        QCOMPARE(closed.front().closed, CloseReason::Recovered);
        QCOMPARE(closed.front().evidence.holderLongestFrames.value_or(0), frames(1, 40));
        QCOMPARE(closed.front().evidence.othersLongestFrames.value_or(0), frames(0, 40));
    }

    void sameInputsSameOutputs() {
        auto record = [] {
            SimulatedRun run(2, {}, [](int r, std::int64_t s) {
                Work w;
                if (r == 1 && s == 30)
                    w.loadNs = 15 * kSecond;
                return w;
            });
            run.runFor(40 * kSecond);
            nlohmann::json all = nlohmann::json::array();
            for (const auto& in : run.incidents())
                all.push_back(toJson(in, 0));
            return all.dump();
        };
        QCOMPARE(record(), record());
    }
};

RANKSCOPE_TEST(TestDetector)
#include "tst_detector.moc"
