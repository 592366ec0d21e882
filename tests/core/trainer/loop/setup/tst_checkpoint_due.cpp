// SPDX-License-Identifier: Apache-2.0
// When Lightning's ModelCheckpoint saves.
#include "core/trainer/loop/setup/checkpointing.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope;
using namespace rankscope::trainer;

namespace {

/// Returns "b" for a named file and "l" for last, for each of 12 steps: epochs of 4 steps, and if `validates`, a
/// validation after every second step.
QString schedule(const config::CheckpointConfig& config, bool validates) {
    QStringList out;
    for (std::int64_t done = 1; done <= 12; ++done) {
        CheckpointContext step{done, (done - 1) / 4, done % 4 == 0, 1.0, {}, 0};
        if (validates && done % 2 == 0)
            step.valLoss = 2.0;
        const auto due = CheckpointDue::after(step, config, validates);
        out << QString(due.best ? "b" : "") + (due.last ? "l" : "") + (due.best || due.last ? "" : "-");
    }
    return out.join(' ');
}

} // namespace

class TestCheckpointDue : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asLightning() {
        config::CheckpointConfig c;
        c.saveTopK = 2;
        QCOMPARE(schedule(c, true), QString("- bl - bl - bl - bl - bl - bl"));
        QCOMPARE(schedule(c, false), QString("- - - bl - - - bl - - - bl"));
        c.atEpochEnd = true;
        QCOMPARE(schedule(c, true), QString("- - - bl - - - bl - - - bl"));
        c.everyNEpochs = 2; // last follows every one
        QCOMPARE(schedule(c, true), QString("- - - l - - - bl - - - l"));
        c.everyNEpochs = 0;
        c.everyNSteps = 5;
        QCOMPARE(schedule(c, true), QString("- - - l bl - - l - bl - l"));
        c.saveLast = false;
        QCOMPARE(schedule(c, true), QString("- - - - b - - - - b - -"));
        c.saveTopK = 0;
        QCOMPARE(schedule(c, true), QString("- - - - - - - - - - - -"));
    }
};

RANKSCOPE_CORE_TEST(TestCheckpointDue)
#include "tst_checkpoint_due.moc"
