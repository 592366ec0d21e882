// SPDX-License-Identifier: Apache-2.0
// A process that saves checkpoints is killed over and over: everything it reported as saved can always be read.
#include "core/trainer/checkpoint/checkpoint_folder.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace rankscope;
using namespace rankscope::trainer;

class TestCheckpointKill : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void killedAtAnyMoment();
};

void TestCheckpointKill::killedAtAnyMoment() {
    const QTemporaryDir dir;
    const std::string folder = dir.path().toStdString();
    std::mt19937 random(std::random_device{}());
    std::int64_t said = 0, interrupted = 0;
    for (int round = 0; round < 15; ++round) {
        QProcess writer;
        writer.start(RANKSCOPE_CHECKPOINT_WRITER, {dir.path()});
        QVERIFY(writer.waitForReadyRead(60'000));
        QTest::qSleep(static_cast<int>(random() % 40));
        writer.kill();
        QVERIFY(writer.waitForFinished(60'000));
        QVERIFY2(writer.exitStatus() == QProcess::CrashExit, writer.readAllStandardError().constData());
        const QList<QByteArray> lines = writer.readAllStandardOutput().split('\n');
        QVERIFY(lines.size() >= 2);
        const std::int64_t now = lines[lines.size() - 2].toLongLong(); // the last line is incomplete
        QVERIFY2(now > said, "it went on where it was");
        said = now;

        const auto files = QDir(dir.path()).entryList(QDir::Files | QDir::Hidden);
        interrupted += !files.filter(".part").isEmpty();
        const auto found = CheckpointFolder::newest(folder);
        QVERIFY2(found.has_value(), found ? "" : found.error().message().c_str());
        QVERIFY2(found->skipped.empty(), found->skipped.empty() ? "" : found->skipped[0].message().c_str());
        QVERIFY(found->state.has_value());
        const auto step = found->state->progress.step;
        QVERIFY2(step == said || step == said + 1, qPrintable(QString("said %1, found %2").arg(said).arg(step)));
        said = step;
        QVERIFY(torch::equal(found->state->model[0].second, torch::full({200'000}, static_cast<double>(step))));
        QVERIFY(torch::equal(found->state->optimizer[0].second, torch::full({200'000}, static_cast<double>(-step))));
        QVERIFY(files.filter("step-").filter(".part").isEmpty() || files.filter("step-").size() <= 4);
    }
    qInfo("%lld steps, %lld of 15 kills in the middle of a file", static_cast<long long>(said),
          static_cast<long long>(interrupted));
    // the next writer removes the leftovers and keeps the best two
    QVERIFY(CheckpointFolder::open({folder, 2, "val_loss", CheckpointOptions::MonitorMode::Min, true}).has_value());
    QVERIFY(QDir(dir.path()).entryList(QDir::Files | QDir::Hidden).filter(".part").isEmpty());
}

RANKSCOPE_CORE_TEST(TestCheckpointKill)
#include "tst_checkpoint_kill.moc"
