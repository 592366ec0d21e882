// SPDX-License-Identifier: Apache-2.0
// Programs that were not started from a recipe: data that does not suffice to name a cause or a rank.
#include "core/diagnosis/evidence/rank_status.h"
#include "tests/core/diagnosis/program_stage.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <csignal>

using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

class TestMissingEvidence : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Reading took half of the wait and computing the other half: neither is the cause.
    void noPhaseTookMostOfTheWait() {
        Program s(2);
        s.warmUp();
        const std::int64_t began = s.now;
        s.enter(0, 40, "gradient:0");
        s.phase(1, Phase::DataWait);
        s.pass(kSecond);
        s.spent(1, Phase::DataWait, began, s.now);
        s.phase(1, Phase::Forward);
        s.pass(2 * kSecond);
        QCOMPARE(s.only().cause, Cause::Unknown);
        QCOMPARE(s.only().evidence.missing.value_or(""), std::string("several_phases"));
        QVERIFY2(s.said().contains("the data does not suffice to say why, as the time of rank 1 went to "),
                 qPrintable(s.said()));
        QVERIFY(s.speaksChinese());
        s.pass(6 * kSecond); // by now, computing has taken most of it
        QCOMPARE(s.only().cause, Cause::SlowCompute);
        QVERIFY(!s.only().evidence.missing && !s.only().evidence.phaseShares);
    }
    /// The rank has gone on to its next phase just before the threshold.
    void thePhaseThatTookTheTime() {
        Program s(2);
        s.warmUp();
        const std::int64_t began = s.now;
        s.enter(0, 40, "gradient:0");
        s.phase(1, Phase::DataWait);
        s.pass(19 * kSecond / 10);
        s.spent(1, Phase::DataWait, began, s.now);
        s.phase(1, Phase::Forward);
        s.pass(kSecond / 5);
        QCOMPARE(s.only().cause, Cause::DataLoading);
        QCOMPARE(s.only().phase, Phase::DataWait);
    }
    void whatIsNamedStaysWhileItCoversHalf() {
        Program s(2);
        s.warmUp();
        const std::int64_t began = s.now;
        s.enter(0, 40, "gradient:0");
        s.phase(1, Phase::DataWait);
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::DataLoading);
        s.spent(1, Phase::DataWait, began, s.now);
        s.phase(1, Phase::Forward);
        s.pass(2 * kSecond);
        QCOMPARE(s.only().cause, Cause::DataLoading);
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::Unknown);
    }
    /// Between two steps a program may do anything, as long as no rank waits for another.
    void nobodyWaits() {
        Program s(2);
        s.warmUp();
        for (int r = 0; r < 2; ++r)
            s.phase(r, Phase::None);
        s.pass(200 * kSecond);
        QVERIFY(s.incidents.empty());
        s.pass(101 * kSecond);
        QCOMPARE(s.only().holders, (Ranks{0, 1}));
        QCOMPARE(s.only().evidence.missing.value_or(""), std::string("no_phase"));
        Program loading(2);
        loading.warmUp();
        for (int r = 0; r < 2; ++r)
            loading.phase(r, Phase::DataWait);
        loading.pass(29 * kSecond);
        QVERIFY(loading.incidents.empty());
        loading.pass(2 * kSecond);
        QCOMPARE(loading.only().cause, Cause::DataLoading);
    }
    /// One rank prepares the data for all.
    void beforeTheFirstStep() {
        Program s(2);
        s.enter(1, 0, "barrier:prepare.py:9");
        s.phase(0, Phase::None);
        s.pass(50 * kSecond);
        QVERIFY(s.incidents.empty());
        s.pass(11 * kSecond);
        QCOMPARE(s.only().holders, Ranks{0});
    }
    void inNoPhase() {
        Program s(2);
        s.warmUp();
        s.enter(0, 40, "gradient:0");
        s.phase(1, Phase::None);
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::Unknown);
        QVERIFY2(s.said().contains("rank 1 is in none of the phases that it reports"), qPrintable(s.said()));
        QVERIFY(s.speaksChinese());
    }
    /// A rank without processor time is slow in all phases; that its thread waited for a processor is the evidence.
    void noProcessor() {
        Program s(2);
        s.warmUp();
        const std::int64_t began = s.now;
        s.enter(0, 40, "gradient:0");
        s.phase(1, Phase::DataWait);
        s.resources(1).cpuWaitShare = 0.9;
        s.pass(kSecond);
        s.spent(1, Phase::DataWait, began, s.now);
        s.phase(1, Phase::Forward);
        s.pass(2 * kSecond);
        QCOMPARE(s.only().cause, Cause::SlowCompute);
        QCOMPARE(s.only().evidence.cpuWaitShare.value_or(0), 0.9);
        QVERIFY(s.only().remedy.text.english().starts_with("It is short of CPU time"));
        Program sleeping(2);
        sleeping.warmUp();
        sleeping.enter(0, 40, "gradient:0");
        sleeping.resources(1).cpuWaitShare = 0.1;
        sleeping.resources(1).cpuShare = 0;
        sleeping.pass(3 * kSecond);
        QCOMPARE(sleeping.only().cause, Cause::SlowCompute);
        QVERIFY(sleeping.only().remedy.text.english().find("CPU") == std::string::npos);
    }
    void noProcessorForTheLoaderWorkers() {
        for (const double share : {0.2, 0.8}) {
            Program s(2);
            s.warmUp();
            s.enter(0, 40, "gradient:0");
            s.phase(1, Phase::DataWait);
            s.board(1).queueCapacity = 4;
            s.resources(1).workersCpuWaitShare = share;
            s.pass(3 * kSecond);
            QCOMPARE(s.only().cause, Cause::DataLoading);
            QCOMPARE(s.only().evidence.workersCpuWaitShare.has_value(), share > 0.5);
            QCOMPARE(
                s.said().contains("The host has not enough CPU for the loader workers of rank 1: they waited for a "
                                  "processor 80 % of the time."),
                share > 0.5);
            QCOMPARE(s.only().remedy.text.english().starts_with("Give the workers more processors"), share > 0.5);
            QVERIFY(s.speaksChinese());
        }
    }
    /// The main thread sleeps in the collective while the transport's threads have no processor.
    void noProcessorInsideACollective_data() {
        QTest::addColumn<bool>("othersHaveLeft");
        QTest::addColumn<bool>("isSeenLate");
        QTest::newRow("all are inside") << false << false;
        QTest::newRow("all are inside, and it is measured later") << false << true;
        QTest::newRow("the other one has left") << true << false;
    }
    void noProcessorInsideACollective() {
        QFETCH(bool, othersHaveLeft);
        QFETCH(bool, isSeenLate);
        Program s(2);
        s.warmUp();
        s.enter(0, 40, "gradient:0");
        s.enter(1, 40, "gradient:0");
        if (othersHaveLeft) {
            s.leave(0);
            s.enter(0, 41, "gradient:1");
        }
        if (isSeenLate) {
            s.pass(3 * kSecond);
            QCOMPARE(s.only().cause, Cause::InsideCollective);
        }
        s.resources(0).cpuWaitShare = 0.1;
        s.resources(1).cpuWaitShare = 1;
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::SlowCompute);
        QCOMPARE(s.only().holders, Ranks{1});
        QCOMPARE(s.only().waiters, Ranks{0});
        QCOMPARE(s.only().evidence.cpuWaitShare.value_or(0), 1.0);
        QVERIFY(s.only().remedy.text.english().starts_with("It is short of CPU time"));
        QVERIFY(s.speaksChinese());
    }
    void noProcessorForAnyRank() {
        Program s(2);
        s.warmUp();
        for (int r = 0; r < 2; ++r) {
            s.enter(r, 40, "gradient:0");
            s.resources(r).cpuWaitShare = 1;
        }
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::InsideCollective);
        QCOMPARE(s.only().holders, (Ranks{0, 1}));
    }
    /// If records of a rank were lost since its last collective, it may have entered the one that is waited for.
    void whoLostRecordsIsNotNamed() {
        Program s(2);
        s.warmUp();
        s.enter(1, 39, "gradient:0");
        s.leave(1);
        s.look();
        s.enter(0, 40, "gradient:0");
        s.board(1).droppedRecords = 312;
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::Unknown);
        QCOMPARE(s.only().evidence.missing.value_or(""), std::string("lost_records"));
        QCOMPARE(s.only().evidence.lostRecords.value_or(0), std::int64_t{312});
        QVERIFY2(s.said().startsWith("Rank 0 has been waiting for ") &&
                     s.said().contains("The data does not suffice to name the rank that is missing"),
                 qPrintable(s.said()));
        QVERIFY(s.speaksChinese());
        QVERIFY(rankStatuses(s.seen, {s.only()})[1].state != RankState::Holder);
    }
    /// Since then it has completed a collective with all others: its numbers are right.
    void whatWasLostBeforeIsNoDoubt() {
        Program s(2);
        s.warmUp();
        s.board(1).droppedRecords = 312;
        s.pass(kSecond / 5);
        s.enter(1, 39, "gradient:0");
        s.leave(1);
        s.look();
        s.enter(0, 40, "gradient:0");
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::SlowCompute);
    }
    /// A stopped process is a positive sign.
    void whoIsStoppedIsNamedAllTheSame() {
        Program s(2);
        s.warmUp();
        s.enter(0, 40, "gradient:0");
        s.board(1).droppedRecords = 312;
        s.process(1) = {ProcessView::State::Stopped, 0, SIGSTOP, s.now, false, {}};
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::Stopped);
    }
    /// A board shows four groups; of a fifth one, it says nothing.
    void whatABoardDoesNotShow() {
        Program s(2);
        s.warmUp();
        for (const std::uint32_t group : {1u, 2u, 3u, 4u}) {
            s.enter(1, 5, "a.py:1", 1, group);
            s.leave(1, group);
        }
        s.enter(0, 40, "gradient:0", 1, 9);
        s.pass(3 * kSecond, [&] { s.phase(1, Phase::Forward); });
        QCOMPARE(s.only().cause, Cause::Unknown);
        QCOMPARE(s.only().evidence.missing.value_or(""), std::string("hidden_group"));
    }
};

RANKSCOPE_TEST(TestMissingEvidence)
#include "tst_missing_evidence.moc"
