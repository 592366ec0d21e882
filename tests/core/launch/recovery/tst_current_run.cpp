// SPDX-License-Identifier: Apache-2.0
// What is shown of a run that cannot be brought up to date, and what is left untouched: copies, foreign stores, runs of
// other users.
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/launch/process/child_process.h"
#include "core/launch/recovery/current_run.h"
#include "core/launch/recovery/run_recovery.h"
#include "core/launch/run/run_lock.h"
#include "tests/core/launch/recovery/lost_run.h"
#include "tests/support/test_runner.h"

#include <filesystem>
#include <string>

using namespace rankscope;
using namespace rankscope::launch;

class TestCurrentRun : public QObject, LostRun {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        makeLost();
    }

    /// Neither the processes nor the files of the original are touched: it may still be training.
    void aCopyLeavesTheRunAlone() {
        auto child = ChildProcess::start({{"/bin/sleep", "1000"}, {}, m_run.log(0)});
        QVERIFY(child);
        writeSteps(0, 3);
        rewrite([&](RunInfo& info) {
            info.folder = folderIdentity(m_run.dir);
            info.supervisorPid = child->pid();
            info.supervisorStartTicks = child->startTicks();
            info.rankPids = {child->pid()};
            info.rankStartTicks = {child->startTicks()};
        });
        const auto lock = RunLock::take(m_run.lock());
        QVERIFY(lock);
        lock->markSupervisor();
        const RunPaths original = m_run, links{original.dir.string() + "-links"};
        m_run.dir = original.dir.string() + "-copy";
        using std::filesystem::copy_options;
        std::filesystem::copy(original.dir, m_run.dir, copy_options::recursive);
        std::filesystem::copy(original.dir, links.dir, copy_options::recursive | copy_options::create_hard_links);
        for (const bool now : {false, true}) {
            const auto asked = requestStop(m_run, now);
            QVERIFY(!asked && asked.error().code == Errc::BadInput);
        }
        const auto current = currentRun(m_run);
        QVERIFY2(current && !current->missing, "the copy was not brought up to date");
        QCOMPARE(current->info.state, RunState::Failed);
        QCOMPARE(current->info.cause.english(), std::string(kCopiedCause) + "; recorded until step 2");
        QVERIFY(current->info.reason == (EndReason{EndKind::Copied, -1, 2}));
        QCOMPARE(records(0), std::int64_t(3));
        // writing to a hard link would write to the run itself
        const auto bytes = *readFile(original.store());
        const auto viewed = currentRun(links);
        QVERIFY(viewed && viewed->missing && viewed->missing->journals);
        QVERIFY2(viewed->missing->why.what.english().find("hard link") != std::string::npos,
                 viewed->missing->why.what.english().c_str());
        QVERIFY(*readFile(original.store()) == bytes && hasJournals(original));
        QVERIFY(!child->poll());
        QCOMPARE(readRunInfo(original)->state, RunState::Running);
    }
    /// A foreign file in place of the store keeps the journals from being stored: it is named, and once it is gone they
    /// are.
    void journalsBesideAForeignStoreAreTakenInLater() {
        writeSteps(0, 3);
        QVERIFY(writeFileAtomic(m_run.store(), "a letter"));
        const auto current = currentRun(m_run);
        QVERIFY(current && current->missing);
        QCOMPARE(reasonName(*current->missing), std::string_view("store"));
        const std::string said = missingText(*current->missing).english();
        QVERIFY2(said.find("move run.sqlite, run.sqlite-wal and run.sqlite-shm out of the folder") != said.npos,
                 said.c_str());
        QCOMPARE(*readFile(m_run.store()), std::string("a letter"));
        QVERIFY(hasJournals(m_run));
        std::filesystem::rename(m_run.store(), m_run.dir / "letter");
        const auto again = currentRun(m_run);
        QVERIFY(again && !again->missing);
        QCOMPARE(records(0), std::int64_t(3));
        QVERIFY(!hasJournals(m_run));
    }
    void aRunOfAnotherUserIsOnlyViewed() {
        if (::geteuid() != 0)
            QSKIP("only root can give the folder to another user");
        writeSteps(0, 3);
        QCOMPARE(::chown(m_run.dir.c_str(), 65534, 65534), 0);
        const auto before = readFile(m_run.runJson());
        const auto viewed = currentRun(m_run);
        QVERIFY(viewed && viewed->missing);
        QCOMPARE(viewed->info.state, RunState::Lost);
        QCOMPARE(reasonName(*viewed->missing), std::string_view("not_writable"));
        const std::string said = missingText(*viewed->missing).english();
        QVERIFY2(said.find("another user's run") != said.npos && said.find("only in their journals") != said.npos &&
                     said.find("copy the folder") != said.npos,
                 said.c_str());
        QCOMPARE(*readFile(m_run.runJson()), *before);
        QVERIFY(hasJournals(m_run));
        QVERIFY(!std::filesystem::exists(m_run.lock()));
        QCOMPARE(::chown(m_run.dir.c_str(), 0, 0), 0);
        QVERIFY(recover(m_run));
        QCOMPARE(records(0), std::int64_t(3));
    }
};

RANKSCOPE_TEST(TestCurrentRun)
#include "tst_current_run.moc"
