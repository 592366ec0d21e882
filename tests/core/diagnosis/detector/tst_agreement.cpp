// SPDX-License-Identifier: Apache-2.0
// Ranks that disagree in their calls or their configurations: which rank is blamed, and why.
#include "core/diagnosis/evidence/remedy.h"
#include "core/telemetry/format/note_markers.h"
#include "tests/core/diagnosis/stage.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <csignal>
#include <limits>

using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

class TestAgreement : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRankWithoutTheLengthSync_data() {
        QTest::addColumn<int>("world");
        QTest::addColumn<int>("odd");
        QTest::addColumn<bool>("configured");
        QTest::newRow("rank 1 of 2 lacks it") << 2 << 1 << true;
        QTest::newRow("rank 0 of 2 lacks it") << 2 << 0 << true;
        QTest::newRow("rank 0 of 2 has it alone") << 2 << 0 << false;
        QTest::newRow("rank 3 of 4 lacks it") << 4 << 3 << true;
    }
    /// All ranks are inside collective 40; the odd one continued without waiting, which only gradients do.
    void aRankWithoutTheLengthSync() {
        QFETCH(int, world);
        QFETCH(int, odd);
        QFETCH(bool, configured);
        Settings settings;
        settings.lengthSync = configured;
        Stage s(world, settings);
        s.warmUp();
        for (int r = 0; r < world; ++r) {
            const bool gradients = (r == odd) == configured;
            s.enter(r, gradients ? 42 : 40, gradients ? "gradient:2" : "sync_max_audio_length", gradients ? 1000 : 1);
            s.board(r).collectives[0].done = 40;
        }
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
        QCOMPARE(s.only().holders, Ranks{odd});
        QCOMPARE(s.only().evidence.setting.value_or(""), std::string("model.encoder.sync_max_audio_length"));
        QVERIFY(s.only().detectedNs - s.only().openedNs < kSecond);
    }
    void callsThatDifferAtTheSameNumber() {
        Stage s(3);
        s.warmUp();
        for (int r = 0; r < 3; ++r)
            s.enter(r, 7, "gradient:0", r == 2 ? 999 : 1000);
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
        QCOMPARE(s.only().holders, Ranks{2});
        QVERIFY(s.only().evidence.mismatch.value_or("").find("999") != std::string::npos);
    }
    void aMismatchThatOnlyTheRecordsTell() {
        Stage s(2);
        s.warmUp();
        for (int r = 0; r < 2; ++r) {
            CollectiveRecord c;
            c.op = CollectiveOp::AllReduce;
            c.sequence = 5;
            c.count = 1;
            c.arrivedNs = s.now;
            putText(c.tag, sizeof c.tag, r == 0 ? "sync_max_audio_length" : "sync_batchnorm:encoder.layers.0");
            s.tell(r, c, 10);
        }
        s.look();
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
        QCOMPARE(s.only().holders, Ranks{1});
    }
    /// Ranks that exit because of mismatched calls are not reported as separate deaths.
    void exitsAfterAMismatchAreItsConsequence() {
        Stage s(2);
        s.warmUp();
        s.enter(0, 40, "sync_max_audio_length");
        s.enter(1, 40, "sync_batchnorm:encoder.layers.0", 513);
        for (int r = 0; r < 2; ++r)
            s.process(r) = {ProcessView::State::Exited, 3, 0, s.now, false, {}};
        s.pass(2 * kSecond);
        s.look(RunOutcomeSeen::Failed);
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
        QCOMPARE(s.only().closed, CloseReason::RunEnded);
    }
    void aRankThatEndedItsEpochWhileTheOthersTrain_data() {
        QTest::addColumn<int>("dropLast");
        QTest::addColumn<QString>("key");
        QTest::newRow("unknown") << -1 << "model.train_ds.drop_last";
        QTest::newRow("off") << 0 << "model.train_ds.drop_last";
        QTest::newRow("on already") << 1 << "";
    }
    void aRankThatEndedItsEpochWhileTheOthersTrain() {
        QFETCH(int, dropLast);
        QFETCH(QString, key);
        Settings settings;
        if (dropLast >= 0)
            settings.dropLast = dropLast == 1;
        Stage s(3, settings);
        s.warmUp();
        for (int r = 0; r < 3; ++r) {
            s.phase(r, r == 1 ? Phase::Barrier : Phase::Backward);
            s.enter(r, 40, r == 1 ? "check:weights" : "gradient:0", r == 1 ? 1 : 1000);
        }
        s.board(1).collectives[0].op = CollectiveOp::AllGather;
        s.board(0).step = s.board(2).step = 11;
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::UnevenBatches);
        QCOMPARE(s.only().holders, Ranks{1});
        QCOMPARE(s.only().step, std::int64_t{11});
        QCOMPARE(QString::fromStdString(s.only().remedy.key), key);
        QCOMPARE(s.only().remedy.text.english().find("drop_last") != std::string::npos, !key.isEmpty());
        QCOMPARE(remedyText(s.only()).text(rankscope::Language::Chinese).find("drop_last") != std::string::npos,
                 !key.isEmpty());
    }
    void ranksThatWaitForEachOtherInTwoGroups() {
        Stage s(2);
        s.warmUp();
        s.enter(0, 5, "gradient:0", 10, 0);
        s.enter(1, 9, "sync_max_audio_length", 1, 1);
        s.pass(4 * kSecond);
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
        QCOMPARE(s.only().holders, (Ranks{0, 1}));
    }
    void oneOfManyHasAnotherConfiguration() {
        Stage s(4);
        s.board(0).configHash = 7;
        s.look();
        QCOMPARE(s.only().cause, Cause::ConfigurationDiffers);
        QCOMPARE(s.only().holders, Ranks{0});
    }
    void keysThatDifferAreNamedWhenTheRanksHaveComparedThem_data() {
        QTest::addColumn<bool>("before");
        QTest::newRow("told as soon as the boards show it") << true;
        QTest::newRow("told afterwards") << false;
    }
    void keysThatDifferAreNamedWhenTheRanksHaveComparedThem() {
        QFETCH(bool, before);
        Stage s(2);
        const auto tell = [&](CheckStatus status, const char* text) {
            CheckRecord c;
            c.status = status;
            putText(c.name, sizeof c.name, kConfigurationCheck);
            putText(c.text, sizeof c.text, text);
            s.tell(0, c, -1);
            s.look();
        };
        const char* text =
            "a.b is 1 on rank 0 and 2 on rank 1; c[0] is x is y on rank 0 and z on rank 1; and more: the same";
        s.board(1).configHash = 7;
        if (before)
            tell(CheckStatus::Failed, text);
        else
            s.look();
        QCOMPARE(s.only().cause, Cause::ConfigurationDiffers);
        if (!before) {
            QVERIFY(!s.only().evidence.keys);
            tell(CheckStatus::Passed, text);
            QVERIFY(!s.only().evidence.keys);
            tell(CheckStatus::Failed, text);
        }
        QCOMPARE(s.only().evidence.keys.value_or(""), std::string("a.b, c[0]"));
        QVERIFY(s.only().remedy.text.english().find("a.b") != std::string::npos);
    }
    void ofTwoTheOneThatWasNotLaunchedSo() {
        Settings settings;
        settings.configHash = 5;
        Stage s(2, settings);
        s.board(0).configHash = 7;
        s.board(1).configHash = 5;
        s.look();
        QCOMPARE(s.only().cause, Cause::ConfigurationDiffers);
        QCOMPARE(s.only().holders, Ranks{0});
        for (int r = 0; r < 2; ++r) // they have compared their settings
            s.process(r) = {ProcessView::State::Exited, 2, 0, s.now, false, "check configuration: batch_size is 3"};
        s.pass(kSecond);
        QCOMPARE(s.incidents.size(), std::size_t{1});
    }
    void theLibraryEndsWhoGotAnotherCall_data() {
        QTest::addColumn<bool>("uneven");
        QTest::addColumn<bool>("mismatch");
        QTest::newRow("other calls") << false << true;
        QTest::newRow("other batches") << true << true;
        QTest::newRow("an abort of its own") << false << false;
    }
    void theLibraryEndsWhoGotAnotherCall() {
        QFETCH(bool, uneven);
        QFETCH(bool, mismatch);
        Stage s(2);
        s.warmUp();
        s.enter(0, 40, "sync_max_audio_length");
        s.enter(1, 40, uneven ? "check:weights" : "gradient:0", uneven ? 1 : 60064);
        s.phase(1, uneven ? Phase::Barrier : Phase::Backward);
        s.process(0) = {ProcessView::State::Signalled,
                        0,
                        SIGABRT,
                        s.now,
                        false,
                        mismatch ? "[enforce fail at pair.cc:456] op.preamble.length <= op.nbytes. 60064 vs 4"
                                 : "double free or corruption"};
        s.look();
        s.process(1) = {ProcessView::State::Exited, 3, 0, s.now, false, "all-reduce 40 failed"};
        s.pass(kSecond);
        QCOMPARE(s.only().cause, !mismatch ? Cause::Dead : uneven ? Cause::UnevenBatches : Cause::MismatchedCollective);
        QCOMPARE(s.only().holders, Ranks{mismatch ? 1 : 0});
    }
};

RANKSCOPE_TEST(TestAgreement)
#include "tst_agreement.moc"
