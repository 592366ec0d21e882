// SPDX-License-Identifier: Apache-2.0
#include "core/base/process/process_identity.h"
#include "core/launch/figures/store_lag.h"
#include "core/launch/host/host_facts.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

using namespace rankscope;
using namespace rankscope::launch;

class TestStoreLag : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;
    static constexpr std::int64_t kSecond = 1'000'000'000;

    RunPaths run() const { return {m_dir.path().toStdString()}; }
    static RunInfo live() {
        RunInfo info;
        info.state = RunState::Running;
        info.supervisor = SupervisorLife::Alive;
        info.bootId = bootId();
        info.namespaces = processNamespaces();
        return info;
    }

private Q_SLOTS:
    void isNoneWhileRoundsAreStored() {
        QVERIFY(!storeLag(run(), live(), {10 * kSecond, 0, {}}, 10 * kSecond + kStoreLagNs));
        QVERIFY(!storeLag(run(), live(), {}, 10 * kSecond)); // a supervisor that does not report progress
    }
    void isToldOfASupervisorThatIsSilent() {
        const auto lag = storeLag(run(), live(), {10 * kSecond, 0, {}}, 10 * kSecond + kStoreLagNs + 1);
        QVERIFY(lag);
        QCOMPARE(lag->reason, StoreLag::Reason::Silent);
        QCOMPARE(lag->sinceNs, 10 * kSecond);
    }
    void isToldAtOnceOfAStoppedSupervisor() {
        auto info = live();
        info.supervisor = SupervisorLife::Stopped;
        const auto lag = storeLag(run(), info, {10 * kSecond, 0, {}}, 10 * kSecond + 1);
        QVERIFY(lag);
        QCOMPARE(lag->reason, StoreLag::Reason::SupervisorStopped);
        QVERIFY(lagText(*lag).english().find("SIGSTOP") != std::string::npos);
    }
    void isToldAtOnceWithWhatTheSystemSays() {
        const auto lag =
            storeLag(run(), live(), {10 * kSecond, 11 * kSecond, "run.sqlite: database or disk is full"}, 12 * kSecond);
        QVERIFY(lag);
        QCOMPARE(lag->reason, StoreLag::Reason::CannotWrite);
        QCOMPARE(lag->sinceNs, 10 * kSecond);
        QVERIFY(lag->freeBytes >= 0);
        QVERIFY(lagText(*lag).english().starts_with("run.sqlite: database or disk is full ("));
    }
    void isNotKnownOfAnEndedRunOrAnotherHost() {
        auto ended = live();
        ended.state = RunState::Finished;
        QVERIFY(!storeLag(run(), ended, {1, 0, {}}, 100 * kSecond));
        auto elsewhere = live();
        elsewhere.bootId = "another boot";
        QVERIFY(!storeLag(run(), elsewhere, {1, 0, {}}, 100 * kSecond));
    }
    void readsThePageOfTheRun() {
        auto page = telemetry::ControlPage::create(run().control());
        QVERIFY(page);
        QVERIFY(!storeLag(run(), live(), 100 * kSecond));
        QVERIFY(page->publishStored(10 * kSecond));
        QVERIFY(storeLag(run(), live(), 100 * kSecond));
        QVERIFY(page->publishStored(99 * kSecond));
        QVERIFY(!storeLag(run(), live(), 100 * kSecond));
    }
};

RANKSCOPE_CORE_TEST(TestStoreLag)
#include "tst_store_lag.moc"
