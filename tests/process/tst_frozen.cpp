// SPDX-License-Identifier: Apache-2.0
// Runs that are stopped or frozen from outside, as by a batch system's suspend or `docker pause`, and continued.
#include "core/store/read/run_reader.h"
#include "core/telemetry/format/note_markers.h"
#include "tests/process/launched_run.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTest>

#include <unistd.h>

#include <csignal>

using namespace rankscope;
using namespace rankscope::test;
using launch::RunState;

namespace {

/// A control group that can be frozen; unusable if this system has none or does not allow it.
class Freezer {
public:
    Freezer() {
        for (const QString& parent : {QStringLiteral("/sys/fs/cgroup/freezer"), QStringLiteral("/sys/fs/cgroup")}) {
            m_dir = QStringLiteral("%1/rankscope_test_%2").arg(parent).arg(::getpid());
            m_isOld = parent.endsWith(QLatin1String("freezer"));
            if (QDir().mkdir(m_dir) &&
                QFile::exists(m_dir + QLatin1String(m_isOld ? "/freezer.state" : "/cgroup.freeze")))
                return;
            QDir().rmdir(m_dir);
        }
        m_dir.clear();
    }
    ~Freezer() {
        set(false);
        for (int i = 0; !m_dir.isEmpty() && !QDir().rmdir(m_dir) && i < 50; ++i)
            QTest::qWait(100); // its processes are exiting
    }
    bool isUsable() const { return !m_dir.isEmpty(); }
    bool add(pid_t pid) { return write(QStringLiteral("cgroup.procs"), QByteArray::number(pid)); }
    bool set(bool frozen) {
        return m_isOld ? write(QStringLiteral("freezer.state"), frozen ? "FROZEN" : "THAWED")
                       : write(QStringLiteral("cgroup.freeze"), frozen ? "1" : "0");
    }

private:
    bool write(const QString& name, const QByteArray& text) {
        QFile file(m_dir + QLatin1Char('/') + name);
        return isUsable() && file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.flush();
    }
    QString m_dir;
    bool m_isOld = false;
};

} // namespace

class TestFrozen : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> w;
    std::unique_ptr<QProcess> supervisor;

    std::vector<pid_t> processes(bool withSupervisor, bool withRanks) const {
        std::vector<pid_t> all;
        if (withSupervisor)
            all.push_back(static_cast<pid_t>(supervisor->processId()));
        if (withRanks)
            for (const int pid : w->info().rankPids)
                all.push_back(pid);
        return all;
    }
    void stopFor(const std::vector<pid_t>& pids, int ms) const {
        for (const pid_t pid : pids)
            ::kill(pid, SIGSTOP);
        QTest::qWait(ms);
        for (const pid_t pid : pids)
            ::kill(pid, SIGCONT);
        QTest::qWait(2000);
    }
    QString diagnosed() const { return w->ctl({"diagnose", QString::fromStdString(w->run().dir.string())}).out; }
    /// Checks that there is one incident, which blames no rank and lasted about `seconds`.
    void verifyPaused(const char* what, double seconds) const {
        const QJsonArray all = w->incidents();
        QVERIFY2(all.size() == 1, qPrintable(diagnosed()));
        const QJsonObject in = all[0].toObject(), evidence = in["evidence"].toObject();
        QVERIFY2(in["cause"].toString() == "paused" && in["closed"].toString() == "recovered", qPrintable(diagnosed()));
        QVERIFY(in["holders"].toArray().isEmpty() && in["waiters"].toArray().isEmpty());
        QCOMPARE(evidence["paused"].toString(), QString::fromLatin1(what));
        const double paused = evidence["paused_s"].toDouble();
        QVERIFY2(paused > seconds - 0.7 && paused < seconds + 0.7, qPrintable(diagnosed()));
        QVERIFY(!diagnosed().contains(QLatin1String("not watched")));
        const auto replayed = w->ctl({"diagnose", QString::fromStdString(w->run().dir.string()), "--replay"});
        QVERIFY2(replayed.exitCode == 0, qPrintable(replayed.out + replayed.err));
    }

private Q_SLOTS:
    void init() {
        w = std::make_unique<Workplace>();
        w->setTarget("steps=100000 ms=20");
        supervisor = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Running && w->reachesStep(30), 20'000);
    }
    void cleanup() {
        ::kill(static_cast<pid_t>(supervisor->processId()), SIGQUIT);
        QVERIFY(supervisor->waitForFinished(20'000));
        supervisor.reset();
        w.reset();
    }

    void asAWhole() {
        stopFor(processes(true, true), 4000);
        verifyPaused("run", 4);
        QVERIFY(diagnosed().contains(QLatin1String("Everything was paused for ")));
        QVERIFY(w->ctl({"show", QString::fromStdString(w->run().dir.string())}).out.contains("Everything was paused"));
    }
    void ranksFirst() {
        const auto ranks = processes(false, true);
        for (const pid_t pid : ranks)
            ::kill(pid, SIGSTOP);
        QTest::qWait(700);
        ::kill(static_cast<pid_t>(supervisor->processId()), SIGSTOP);
        QTest::qWait(3000);
        ::kill(static_cast<pid_t>(supervisor->processId()), SIGCONT);
        QTest::qWait(700);
        for (const pid_t pid : ranks)
            ::kill(pid, SIGCONT);
        QTest::qWait(2000);
        verifyPaused("run", 4.4);
    }
    void byTheFreezer() {
        Freezer freezer;
        if (!freezer.isUsable())
            QSKIP("no control group of the freezer can be made here");
        for (const pid_t pid : processes(true, true))
            QVERIFY(freezer.add(pid));
        QVERIFY(freezer.set(true));
        QTest::qWait(4000);
        QVERIFY(freezer.set(false));
        QTest::qWait(2000);
        verifyPaused("run", 4);
        cleanup(); // the group can be removed when it is empty
        init();
    }
    void allRanksButNotTheSupervisor() {
        stopFor(processes(false, true), 4000);
        verifyPaused("ranks", 4);
        QVERIFY2(diagnosed().contains(QLatin1String("All ranks were stopped from outside by SIGSTOP for ")),
                 qPrintable(diagnosed()));
    }
    void oneRankIsToBlame() {
        stopFor({w->info().rankPids[1]}, 4000);
        const QJsonArray all = w->incidents();
        QVERIFY2(all.size() == 1, qPrintable(diagnosed()));
        QCOMPARE(all[0].toObject()["cause"].toString(), QString("stopped"));
        QCOMPARE(all[0].toObject()["holders"].toArray(), QJsonArray{1});
    }
    /// The ranks continued while they were not watched: this is reported, and no rank is blamed.
    void onlyTheSupervisor() {
        stopFor(processes(true, false), 4000);
        QVERIFY2(w->incidents().isEmpty(), qPrintable(diagnosed()));
        QVERIFY2(diagnosed().contains(QLatin1String(telemetry::kNotWatched.data(), telemetry::kNotWatched.size())) &&
                     diagnosed().contains(QLatin1String("was stopped or blocked for 4.")),
                 qPrintable(diagnosed()));
        auto reader = store::RunReader::open(w->run().store());
        QVERIFY(reader);
        const auto unwatched = reader->unwatched();
        QVERIFY(unwatched && unwatched->size() == 1);
        QVERIFY2(unwatched->front().lengthNs() > 3'900'000'000 && unwatched->front().lengthNs() < 6'000'000'000,
                 qPrintable(QString::number(unwatched->front().lengthNs())));
    }
};

RANKSCOPE_CORE_TEST(TestFrozen)
#include "tst_frozen.moc"
