// SPDX-License-Identifier: Apache-2.0
// The disk fills up during a run and has room again later: training continues, and nothing is lost.
#include "core/launch/run/launch_spec.h"
#include "core/store/sqlite/sqlite.h"
#include "tests/process/launched_run.h"
#include "tests/sanitized.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QRegularExpression>
#include <QTest>

#include <sys/resource.h>
#include <unistd.h>

#include <optional>

using namespace rankscope;
using namespace rankscope::test;

class TestFullDisk : public QObject {
    Q_OBJECT

    /// If the kernel allows it, users other than root can mount in a user namespace.
    static QString flags() { return ::geteuid() == 0 ? "-m" : "-Urm"; }
    static bool canMount(const Workplace& w) {
        QDir().mkpath(w.path("disk"));
        return QProcess::execute("unshare", {flags(), "mount", "-t", "tmpfs", "none", w.path("disk")}) == 0;
    }
    /// Returns the exit code; -1: it did not end in time.
    static int launchOnFullDisk(const Workplace& w, const QStringList& more = {}) {
        QProcess process;
        process.setProcessEnvironment(w.environment());
        process.setWorkingDirectory(w.path("."));
        process.start("unshare", QStringList{flags(), QStringLiteral(RANKSCOPE_TEST_DIR "/full_disk.sh"),
                                             QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), w.config(),
                                             w.path("disk"), w.path(".")} +
                                     more);
        return process.waitForFinished(90'000) ? process.exitCode() : -1;
    }

private Q_SLOTS:
    /// There is no room for the store or a new run.json, but space for the outcome was reserved at the start.
    void aRankThatIsKilledIsTheCause() {
        Workplace w;
        if (!canMount(w))
            QSKIP("no mount namespace to be had here");
        w.setTarget("steps=100000 ms=10 do=kill at=300");
        QCOMPARE(launchOnFullDisk(w, {"end"}), int(launch::kRankFailed));
        const auto info = w.info();
        QCOMPARE(info.state, launch::RunState::Failed);
        QVERIFY2(info.cause.english().find("rank 1 ended with SIGKILL") == 0, info.cause.english().c_str());
        const auto o = w.ctl({"show", QString::fromStdString(w.run().dir.string())});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QCOMPARE(w.info().cause, info.cause);
        for (int r = 0; r < 2; ++r)
            QVERIFY(w.counter("records", r) >= w.appended(r).done);
        QVERIFY(!std::filesystem::exists(w.run().dir / ".run.json.reserved"));
    }
    /// The log could not grow, and the store lacks the rank's last records: the full disk alone is taken as the cause.
    void aRankThatCannotWriteNamesTheDisk() {
        Workplace w;
        if (!canMount(w))
            QSKIP("no mount namespace to be had here");
        w.setTarget("steps=100000 ms=10 do=exit code=3 at=300");
        QCOMPARE(launchOnFullDisk(w, {"end"}), int(launch::kRankFailed));
        // both ranks end with this code; without their records it is unknown which one was first
        const QString cause = QString::fromStdString(w.info().cause.english());
        static const QRegularExpression named("^rank [01] ended at step 300.* because the disk or quota is full$");
        QVERIFY2(named.match(cause).hasMatch(), qPrintable(cause));
        QFile err(w.path("err")); // the store had no room for the incident
        QVERIFY(err.open(QIODevice::ReadOnly));
        const QString said = QString::fromUtf8(err.readAll());
        static const QRegularExpression told(
            "Rank [01] ended because the disk or quota is full, at step 300[^\n]*Free some "
            "space");
        QVERIFY2(told.match(said).hasMatch(), qPrintable(said));
    }
    /// ulimit -f: writing beyond the limit is an error and does not end the supervisor.
    void aFileSizeLimitIsAsAFullDisk() {
        Workplace w;
        w.setTarget("steps=1500 ms=4");
        auto process = w.start({}, [] {
            const rlimit most{2 << 20, 2 << 20}; // a journal segment is 1 MiB
            ::setrlimit(RLIMIT_FSIZE, &most);
        });
        QVERIFY(process->waitForFinished(90'000));
        QCOMPARE(process->exitStatus(), QProcess::NormalExit);
        QCOMPARE(process->exitCode(), 0);
        const QByteArray said = process->readAllStandardError();
        QVERIFY2(said.contains("cannot be stored at present"), said.constData());
        QCOMPARE(w.info().state, launch::RunState::Finished);
        const auto o = w.ctl({"show", QString::fromStdString(w.run().dir.string())});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        for (int r = 0; r < 2; ++r)
            QCOMPARE(w.counter("records", r), w.appended(r).done);
    }
    /// While the store is behind, no rate is shown: the ranks continue, at an unknown speed.
    void whileTheStoreIsBehindThereAreNoFigures() {
        Workplace w;
        w.setTarget("steps=1200 ms=10");
        const auto run = w.start({"trainer.max_steps=1200"});
        QTRY_VERIFY_WITH_TIMEOUT(w.runsAt(60), 30'000);
        {
            auto other = store::Database::open(w.run().store(), store::OpenMode::ReadWrite);
            QVERIFY(other);
            std::optional<store::Transaction> writing;
            for (int tries = 0; tries < 200 && !writing; ++tries) // the supervisor may be writing
                if (auto begun = store::Transaction::begin(*other, store::Transaction::TransactionMode::Write))
                    writing.emplace(std::move(*begun));
            QVERIFY(writing);
            QTest::qWait(11'000);
        }
        QVERIFY(run->waitForFinished(60'000));
        QCOMPARE(run->exitCode(), 0);
        const QString said = QString::fromUtf8(run->readAllStandardError());
        static const QRegularExpression behind("running  step [^\n]*  store ends [\\d.]+ (?:ms|s) ago");
        QVERIFY2(behind.match(said).hasMatch(), qPrintable(said));
        for (const QString& line : said.split('\n'))
            if (line.contains("store ends"))
                QVERIFY2(!line.contains("steps/s") && !line.contains("left"), qPrintable(line));
        static const QRegularExpression rates("([\\d.]+) steps/s");
        for (auto at = rates.globalMatch(said); at.hasNext();) {
            const auto rate = at.next();
            QVERIFY2(rate.captured(1).toDouble() > 20,
                     qPrintable(rate.captured())); // 100 steps per second, fewer under load
        }
    }
    /// Some network file systems support only one kind of lock.
    void aFileSystemWithoutFlock() {
        if (kSanitized)
            QSKIP("a sanitizer wants to be loaded first");
        Workplace w;
        qputenv("LD_PRELOAD", RANKSCOPE_BAD_DISK_LIBRARY);
        qputenv("RANKSCOPE_BAD_DISK", "flock=none");
        const auto o = w.launch();
        qunsetenv("LD_PRELOAD");
        qunsetenv("RANKSCOPE_BAD_DISK");
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QCOMPARE(w.info().state, launch::RunState::Finished);
    }
    void trainingGoesOnAndNothingIsLost() {
        Workplace w;
        if (!canMount(w))
            QSKIP("no mount namespace to be had here");
        w.setTarget("steps=500 ms=10");
        QCOMPARE(launchOnFullDisk(w), 0);
        QFile err(w.path("err"));
        QVERIFY(err.open(QIODevice::ReadOnly));
        const QByteArray said = err.readAll();
        QVERIFY2(said.contains("cannot be stored at present") && said.contains("full"), said.constData());
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
