// SPDX-License-Identifier: GPL-3.0-or-later
// A run whose store is torn, truncated, newer or foreign, in the window and on the command line: the damage is
// reported, everything readable is shown, and nothing is changed.
#include "tests/core/store/store_damage.h"
#include "tests/support/test_runner.h"
#include "tests/widgets/synthetic_run.h"
#include "widgets/models/run/run_session.h"

#include <QProcess>
#include <QSignalSpy>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using test::RankStep;
using test::SyntheticRun;
namespace fs = std::filesystem;

class TestDamagedRun : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path m_sound, m_run;
    launch::RunInfo m_info;

    fs::path store() const { return m_run / "run.sqlite"; }
    fs::path log() const { return m_run / "run.sqlite-wal"; }

    /// Restores the run as it was recorded; a lost one's supervisor is a process that no longer exists.
    void restore(bool lost) {
        fs::remove_all(m_run);
        fs::copy(m_sound, m_run, fs::copy_options::recursive);
        auto info = m_info;
        info.state = lost ? RunState::Running : RunState::Failed;
        info.cause = lost ? Message() : Message("a rank failed");
        info.supervisorStartTicks += 1;
        QVERIFY(launch::writeRunInfo(launch::RunPaths{m_run}, info));
    }

    struct Shown {
        RunView view;
        std::size_t points = 0;
    };
    /// Returns what a window shows once it has read the run and its curves.
    Shown inWindow(int waitMs = 2500) {
        RunSession session(launch::RunPaths{m_run});
        std::optional<SeriesReply> reply;
        connect(&session, &RunSession::seriesReady, this, [&](int, const SeriesReply& r) { reply = r; });
        if (!QTest::qWaitFor([&] { return session.view().nowNs != 0; }, 10'000))
            qFatal("no view");
        session.requestSeries(1, {{store::Metric::Loss}, CurveAxis::Step, 0, 1000, 1000});
        if (!QTest::qWaitFor([&] { return reply.has_value(); }, 10'000))
            qFatal("no series");
        // the child that would recover a lost run has ended, and reading errors have been reported
        (void)QTest::qWaitFor(
            [&] { return session.view().info.state != RunState::Lost && !session.view().problem.isEmpty(); }, waitMs);
        Shown shown{session.view(), 0};
        for (const auto& metric : reply->points)
            for (const auto& rank : metric)
                shown.points += rank.size();
        return shown;
    }

    struct Said {
        int code = -1;
        QString out, err;
    };
    Said ctl(const QStringList& args) const {
        QProcess process;
        process.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), args);
        process.waitForFinished(30'000);
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2,
                QString::fromUtf8(process.readAllStandardOutput()), QString::fromUtf8(process.readAllStandardError())};
    }

private slots:
    void initTestCase() {
        qputenv("RANKSCOPECTL", RANKSCOPE_BIN_DIR "/rankscopectl");
        const fs::path base = m_dir.path().toStdString();
        m_sound = base / "sound";
        m_run = base / "20250131-120000-synthetic-1a2b";
        SyntheticRun run(2, RunState::Running, 400);
        run.addSteps(400, [](int rank, std::int64_t step) {
            return RankStep{9.0 - 0.01 * static_cast<double>(step), 300, rank == 1 && step % 50 == 0 ? 400'000'000 : 0};
        });
        run.addIncident(1, diagnosis::Cause::DataLoading, 1, 20, 3'000'000'000);
        run.addNote(telemetry::NoteSeverity::Warning, "something happened");
        run.writeLog(0, "INFO a line of rank 0\n");
        run.finishStore();
        m_info = run.info();
        fs::copy(run.paths().dir, m_sound, fs::copy_options::recursive);
        QVERIFY(damage::execute(m_sound / "run.sqlite", "UPDATE meta SET value=0 WHERE key='writer_pid'"));
        fs::remove(m_sound / "run.sqlite-shm");
        QVERIFY(!fs::exists(m_sound / "run.sqlite-wal"));
    }

    void damages_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<bool>("lost");
        QTest::addColumn<QString>("says");
        QTest::addColumn<bool>("curves");
        for (const bool lost : {false, true}) {
            const auto row = [lost](const char* kind, const char* says, bool curves) {
                QTest::newRow(qPrintable(QString("%1%2").arg(kind, lost ? ", lost" : "")))
                    << kind << lost << says << curves;
            };
            row("text", "is not a Rankscope store", false);
            row("empty", "is empty", false);
            row("folder", "is a folder", false);
            row("fifo", "pipe", false);
            row("loop", "is a link", false);
            row("foreign", "another program", false);
            row("newer", "newer Rankscope", true);
            row("cut", "cut off", true);
            row("page", "damaged", true);
            row("no meta", "damaged", true);
            row("torn log", "run.sqlite-wal", true);
        }
    }
    void damages() {
        QFETCH(const QString, kind);
        QFETCH(const bool, lost);
        QFETCH(const QString, says);
        QFETCH(const bool, curves);
        restore(lost);
        spoil(kind);
        const auto before = damage::pictureOf(m_run);
        const auto same = [&] { return damage::difference(before, damage::pictureOf(m_run)); };

        const Shown shown = inWindow();
        QVERIFY2(same().isEmpty(), qPrintable(same()));
        QVERIFY2(shown.view.problem.contains(says), qPrintable(shown.view.problem));
        QCOMPARE(shown.view.ranks.size(), std::size_t{2}); // from run.json
        QCOMPARE(shown.points > 0, curves);

        const QString run = QString::fromStdString(m_run.string());
        const Said show = ctl({"show", run});
        QVERIFY2(same().isEmpty(), qPrintable(same()));
        QCOMPARE(show.code, 0);
        QVERIFY2(show.out.contains(says), qPrintable(show.out));
        QVERIFY(show.out.contains(lost ? "lost" : "a rank failed"));
        for (const QStringList& args : {QStringList{"waits", run},
                                        {"diagnose", run},
                                        {"show", run, "--json"},
                                        {"export", run, "--csv", m_dir.filePath("csv")},
                                        {"export", run, "--format", "html", "--output", m_dir.filePath("r.html")}}) {
            const Said said = ctl(args);
            QVERIFY2(same().isEmpty(), qPrintable(args.join(' ') + same()));
            QVERIFY2(said.code == 0 || said.code == 2, qPrintable(args.join(' ') + said.err));
            QVERIFY2((said.err + said.out).contains("run.sqlite"), qPrintable(args.join(' ') + said.err));
        }
    }

    /// The user's own lost run with an intact store is still brought up to date.
    void aSoundLostRunIsBroughtUpToDate() {
        restore(true);
        QCOMPARE(inWindow().view.info.state, RunState::Failed);
        restore(false);
        const auto before = damage::pictureOf(m_run);
        const Shown shown = inWindow();
        QVERIFY2(shown.view.problem.isEmpty(), qPrintable(shown.view.problem));
        QCOMPARE(shown.points, std::size_t{800});
        QCOMPARE(ctl({"show", QString::fromStdString(m_run.string())}).code, 0);
        const QString changed = damage::difference(before, damage::pictureOf(m_run));
        QVERIFY2(changed.isEmpty(), qPrintable(changed));
    }

private:
    void spoil(const QString& kind) {
        std::string bytes = damage::bytesOf(store());
        if (kind == "text") {
            damage::writeBytes(store(), "a letter to nobody\n");
        } else if (kind == "empty") {
            damage::writeBytes(store(), "");
        } else if (kind == "folder" || kind == "fifo" || kind == "loop") {
            fs::remove(store());
            if (kind == "folder")
                fs::create_directory(store());
            else if (kind == "fifo")
                QCOMPARE(::mkfifo(store().c_str(), 0600), 0);
            else
                fs::create_symlink("run.sqlite", store());
        } else if (kind == "foreign") {
            fs::remove(store());
            QVERIFY(damage::execute(store(), "CREATE TABLE songs(name TEXT)"));
        } else if (kind == "newer") {
            QVERIFY(damage::execute(store(), "PRAGMA user_version=7; CREATE TABLE more(x)"));
        } else if (kind == "cut") {
            damage::writeBytes(store(), bytes.substr(0, bytes.size() * 3 / 4));
        } else if (kind == "page") {
            for (std::size_t page = bytes.size() / 8192 / 2; page < bytes.size() / 8192; page += 3)
                damage::spoilPage(bytes, page);
            damage::writeBytes(store(), bytes);
        } else if (kind == "no meta") {
            QVERIFY(damage::execute(store(), "DELETE FROM meta"));
        } else {
            QVERIFY(damage::writeWithLog(store(), "UPDATE note SET text='1'; UPDATE note SET text='2'"));
            std::string log = damage::bytesOf(this->log());
            QVERIFY(log.size() > 16'000);
            log[5000] = static_cast<char>(log[5000] ^ 1);
            damage::writeBytes(this->log(), log);
        }
    }
};

RANKSCOPE_CORE_TEST(TestDamagedRun)
#include "tst_damaged_run.moc"
