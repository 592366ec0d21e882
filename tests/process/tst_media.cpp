// SPDX-License-Identifier: Apache-2.0
// Runs on media that are read-only or full: everything that can be read of them is shown, and nothing is written.
#include "tests/process/launched_run.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <unistd.h>

using namespace rankscope;
using namespace rankscope::test;

class TestMedia : public QObject {
    Q_OBJECT

    static QByteArray read(const Workplace& w, const QString& name) {
        QFile file(w.path("work/" + name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(missing)");
    }
    static QJsonObject json(const Workplace& w, const QString& name) {
        return QJsonDocument::fromJson(read(w, name)).object();
    }

private Q_SLOTS:
    void whatIsThereIsShown_data() {
        QTest::addColumn<QString>("program");
        QTest::newRow("bind") << "mount";
        QTest::newRow("error") << "mkfs.ext4";
        QTest::newRow("full-ext4") << "mkfs.ext4";
        QTest::newRow("full-xfs") << "mkfs.xfs";
        QTest::newRow("overlay") << "mount";
        QTest::newRow("mode") << "setpriv";
    }
    void whatIsThereIsShown() {
        QFETCH(QString, program);
        const QString kind = QTest::currentDataTag();
        const bool full = kind.startsWith("full");
        if (::geteuid() != 0)
            QSKIP("only root can mount");
        if (QProcess::execute("sh", {"-c", "command -v " + program + " >/dev/null"}) != 0)
            QSKIP(qPrintable("there is no " + program + " here"));
        const Workplace w;
        QVERIFY(QDir().mkpath(w.path("work")));
        if (kind != "mode" && QProcess::execute("unshare", {"-m", "mount", "-t", "tmpfs", "none", w.path("work")}) != 0)
            QSKIP("no mount namespace to be had here");
        if (full || kind == "error") {
            const QString trial = QString("truncate -s 320M %1/trial && %2 %1/trial >/dev/null 2>&1 && mount -o loop "
                                          "%1/trial %1 && umount %1; rc=$?; rm -f %1/trial; exit $rc")
                                      .arg(w.path("work"), program == "mkfs.xfs" ? "mkfs.xfs -q" : "mkfs.ext4 -qF");
            if (QProcess::execute("unshare", {"-m", "sh", "-c", trial}) != 0)
                QSKIP("no image can be mounted here");
        }
        QProcess process;
        process.setProcessEnvironment(w.environment());
        process.setWorkingDirectory(w.path("."));
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start("unshare", {"-m", QStringLiteral(RANKSCOPE_TEST_DIR "/media.sh"), kind,
                                  QStringLiteral(RANKSCOPE_BIN_DIR), w.config(), w.path("work")});
        QVERIFY(process.waitForFinished(150'000));
        QVERIFY2(process.exitCode() == 0, process.readAll().constData());

        QCOMPARE(read(w, "after"), read(w, "before"));
        for (const char* run : {"lost", "stopped", "finished"}) {
            for (const char* command : {"show", "json", "diagnose", "waits", "export", "stop"}) {
                const QString name = QString("%1.%2").arg(run, command);
                QVERIFY2(read(w, name + ".rc") == "0\n", qPrintable(name + ": " + read(w, name + ".err")));
            }
            const auto shown = json(w, QString("%1.json.out").arg(run));
            QVERIFY2(shown["steps"].toInt() >= 100, run);
            if (QFile::exists(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscope")))
                QVERIFY2(read(w, QString("%1.window.rc").arg(run)) == "0\n",
                         read(w, QString("%1.window.err").arg(run)).constData());
        }
        QCOMPARE(json(w, "finished.json.out")["state"].toString(), QString("finished"));
        QCOMPARE(json(w, "stopped.json.out")["state"].toString(), QString("stopped"));
        const auto lost = json(w, "lost.json.out");
        QCOMPARE(lost["state"].toString(), QString("lost"));
        const auto missing = lost["not_current"].toObject();
        QCOMPARE(missing["reason"].toString(), QString(full ? "no_space" : "not_writable"));
        QVERIFY(missing["in_journals"].toBool());
        const QByteArray text = read(w, "lost.show.out");
        QVERIFY2(text.contains(full ? "once there is space" : "copy the folder"), text.constData());
        const QByteArray list = read(w, "list.out");
        QVERIFY2(list.contains("lost") && list.contains("stopped") && list.contains("finished"), list.constData());
        if (kind == "error") { // its supervisor could not report it
            // the kernel may still accept what fits into a file's existing blocks; then the store is not behind
            const auto behind = json(w, "live.json.out")["store_behind"].toObject();
            QVERIFY2(behind.isEmpty() || behind["text"].toString().contains("read-only"),
                     qPrintable(behind["text"].toString()));
            QVERIFY2(read(w, "live.stop.rc") == "0\n", read(w, "live.stop.err").constData());
        }
        if (!full)
            return;
        const auto later = json(w, "later.json.out");
        QCOMPARE(later["state"].toString(), QString("failed"));
        QVERIFY(later["not_current"].isNull() && later["steps"].toInt() > lost["steps"].toInt());
    }
};

RANKSCOPE_CORE_TEST(TestMedia)
#include "tst_media.moc"
