// SPDX-License-Identifier: Apache-2.0
// The disk fills up while a run goes on, and has room again: training goes on, and nothing is lost.
#include "tests/process/launched_run.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QTest>

#include <unistd.h>

using namespace rankscope;
using namespace rankscope::test;

class TestFullDisk : public QObject {
    Q_OBJECT
private slots:
    void trainingGoesOnAndNothingIsLost() {
        Workplace w;
        QDir().mkpath(w.path("disk"));
        // a user namespace lets others than root mount, where the kernel allows it
        const QString flags = ::geteuid() == 0 ? "-m" : "-Urm";
        if (QProcess::execute("unshare", {flags, "mount", "-t", "tmpfs", "none", w.path("disk")}) != 0)
            QSKIP("no mount namespace to be had here");
        w.setTarget("steps=500 ms=10");
        QProcess process;
        process.setProcessEnvironment(w.environment());
        process.setWorkingDirectory(w.path("."));
        process.start("unshare",
                      {flags, QStringLiteral(RANKSCOPE_TEST_DIR "/full_disk.sh"),
                       QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), w.config(), w.path("disk"), w.path(".")});
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitCode(), 0);
        QFile err(w.path("err"));
        QVERIFY(err.open(QIODevice::ReadOnly));
        const QByteArray said = err.readAll();
        QVERIFY2(said.contains("cannot be stored now") && said.contains("full"), said.constData());
        for (int r = 0; r < 2; ++r) {
            const auto counted = w.appended(r);
            QVERIFY(counted.done > 1000);
            QCOMPARE(w.counter("records", r), counted.done);
        }
        auto reader = store::RunReader::open(w.run().store());
        QVERIFY(reader);
        const auto notes = reader->notes(0, 100).value();
        QVERIFY(std::any_of(notes.begin(), notes.end(), [](const auto& n) {
            return n.rank == -1 && n.text.find("could not be written for") != std::string::npos;
        }));
    }
};

RANKSCOPE_CORE_TEST(TestFullDisk)
#include "tst_full_disk.moc"
