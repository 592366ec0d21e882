// SPDX-License-Identifier: Apache-2.0
// How a run ended is read from names and numbers; for runs of older versions, from the English sentence that they have.
#include "core/launch/run/end_reason.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope::launch;

class TestEndReason : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsNotRecordedIsNone() { QVERIFY(readReason("", -1, -1, "", 2) == EndReason()); }
    void everyNameIsReadBack() {
        for (int k = 0; k <= static_cast<int>(EndKind::Other); ++k) {
            const auto kind = static_cast<EndKind>(k);
            QVERIFY(readReason(endKindName(kind), 1, 7, "", 2) == (EndReason{kind, 1, 7}));
        }
        QVERIFY(readReason("of_a_newer_version", 1, 7, "rank 0 ended with SIGKILL", 2) ==
                (EndReason{EndKind::Other, 1, 7}));
    }

    void impossibleRanksAndStepsAreUnknown() {
        const auto read = [](int rank, std::int64_t step) { return readReason("killed", rank, step, "", 2); };
        QVERIFY(read(2, 5) == (EndReason{EndKind::Killed, -1, 5}));
        QVERIFY(read(-7, -7) == (EndReason{EndKind::Killed, -1, -1}));
        QVERIFY(read(0, INT64_MAX) == (EndReason{EndKind::Killed, 0, -1}));
        QVERIFY(readReason("", -1, -1, "rank 2 ended with SIGKILL at step 5", 2) ==
                (EndReason{EndKind::Killed, -1, 5}));
        QVERIFY(readReason("", -1, -1, "rank 99999999999 ended with SIGKILL at step 99999999999999999999", 2).step < 0);
    }

    void sentencesOfOlderVersions_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("rank");
        QTest::addColumn<qint64>("step");
        const auto row = [](const char* cause, EndKind kind, int rank, qint64 step) {
            QTest::newRow(cause) << static_cast<int>(kind) << rank << step;
        };
        row("rank 1 ended with SIGKILL at step 170 while in backward", EndKind::Killed, 1, 170);
        row("rank 1 ended with SIGKILL before its first step", EndKind::Killed, 1, -1);
        row("rank 1 ended with SIGSEGV at step 170", EndKind::Crashed, 1, 170);
        row("rank 1 ended with signal 64 at step 170", EndKind::Crashed, 1, 170);
        row("rank 0 was killed by the kernel for want of memory (SIGKILL) at step 3", EndKind::OutOfMemory, 0, 3);
        row("rank 1 ran out of memory at step 25 while in forward", EndKind::OutOfMemory, 1, 25);
        row("rank 1 ended with exit code 3 before its first step while in startup; its log ends with: no such file",
            EndKind::Exited, 1, -1);
        row("rank 12 ended with exit code 7 at step 10", EndKind::Exited, 12, 10);
        row("rank 1 was stopped from outside at step 10", EndKind::Exited, 1, 10);
        row("rank 1 left at step 99 with exit code 0, without reporting that it was done", EndKind::Exited, 1, 99);
        row("rank 1 disappeared at step 4; how it ended is unknown", EndKind::Exited, 1, 4);
        row("rank 1 left no records", EndKind::Exited, 1, -1);
        row("rank 1 was cut off after step 17", EndKind::Exited, 1, 17);
        row("rank 1: cannot open x", EndKind::Exited, 1, -1);
        row("rank 0 ended with exit code 3 at step 170: cannot write x: No space left on device", EndKind::DiskFull, 0,
            170);
        row("rank 0 ended with exit code 3 at step 170: cannot write x: Disk quota exceeded", EndKind::DiskFull, 0,
            170);
        row("rank 0 ended at step 199 because the disk or quota is full", EndKind::DiskFull, 0, 199);
        row("rank 1 cannot train with this: trainer.strategy: fsdp is not supported", EndKind::Refused, 1, -1);
        row("the loss has been NaN since step 20, and the weights are useless", EndKind::NotFinite, -1, 20);
        row("the loss has been NaN since step 20, and nothing has been learned since", EndKind::NotFinite, -1, 20);
        row("the weights have been NaN since step 79 and are useless; stopped by the user after 80 steps",
            EndKind::NotFinite, -1, 79);
        row("its supervisor was lost (killed); recorded until step 118", EndKind::SupervisorLost, -1, 118);
        row("its supervisor was lost (the machine was restarted, or it ran on another one); no step was recorded",
            EndKind::MachineRestarted, -1, -1);
        row("this folder is a copy of a run that had not ended when it was copied; recorded until step 118",
            EndKind::Copied, -1, 118);
        row("the run's folder /x was removed or renamed while it trained", EndKind::FolderRemoved, -1, -1);
        row("the ranks hold different weights at the end: rank 0 against rank 1", EndKind::WeightsDiffer, -1, -1);
        row("the ranks were ended before they were done", EndKind::Other, -1, -1);
        row("finished", EndKind::None, -1, -1);
        row("finished; its supervisor was lost before it could say so", EndKind::None, -1, -1);
        row("stopped by the user after 99 steps; while stopping rank 1 ended with SIGSEGV", EndKind::None, -1, -1);
        row("from /logs and 2 more", EndKind::None, -1, -1);
    }
    void sentencesOfOlderVersions() {
        QFETCH(int, kind);
        QFETCH(int, rank);
        QFETCH(qint64, step);
        const EndReason read = readReason("", -1, -1, QTest::currentDataTag(), 16);
        QCOMPARE(static_cast<int>(read.kind), kind);
        QCOMPARE(read.rank, rank);
        QCOMPARE(static_cast<qint64>(read.step), step);
    }
};

RANKSCOPE_CORE_TEST(TestEndReason)
#include "tst_end_reason.moc"
