// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/stalls/stall_scan.h"
#include "tests/core/diagnosis/stage.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

class TestOpenWaits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whoWaitsAndForWhom() {
        Stage stage(3);
        stage.phase(1, Phase::DataWait);
        stage.enter(0, 7, "sync_max_audio_length");
        stage.look();
        stage.enter(2, 7, "sync_max_audio_length");
        stage.look();
        const auto waits = openWaits(stage.seen, 0);
        QCOMPARE(waits.size(), std::size_t{2});
        QCOMPARE(waits[0].rank, 0);
        QCOMPARE(waits[0].holder, 1);
        QCOMPARE(waits[0].collective.tag, std::string("sync_max_audio_length"));
        QCOMPARE(waits[0].step, std::int64_t{10});
        QCOMPARE(stage.now - waits[0].sinceNs, 200 * kMs);
        QCOMPARE(waits[0].holderPhase, Phase::DataWait);
        QCOMPARE(waits[1].rank, 2);
        QCOMPARE(stage.now - waits[1].sinceNs, 100 * kMs);
        QCOMPARE(openWaits(stage.seen, 150 * kMs).size(), std::size_t{1});
    }
    void whoHasArrivedEndsIt() {
        Stage stage(2);
        stage.enter(0, 3, "gradient:0");
        stage.look();
        QCOMPARE(openWaits(stage.seen, 0).size(), std::size_t{1});
        stage.enter(1, 3, "gradient:0"); // both are inside: data is being transferred, and no rank waits for another
        stage.look();
        QVERIFY(openWaits(stage.seen, 0).empty());
    }
    void nobodyWaitsForARankWithoutBoards() {
        Stage stage(2);
        for (auto& rank : stage.seen.ranks)
            rank.board.reset();
        stage.look();
        QVERIFY(openWaits(stage.seen, 0).empty());
        QVERIFY(openWaits({}, 0).empty());
    }
};

RANKSCOPE_CORE_TEST(TestOpenWaits)
#include "tst_open_waits.moc"
