// SPDX-License-Identifier: Apache-2.0
// Runs whose supervisor is gone are brought up to date.
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/launch/cleanup/leftover_files.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/process/child_process.h"
#include "core/launch/recording/journal_drain.h"
#include "core/launch/recording/run_info_reserve.h"
#include "core/launch/recovery/run_recovery.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/run/run_folder.h"
#include "core/launch/run/run_lock.h"
#include "core/store/read/run_reader.h"
#include "core/telemetry/journal/journal_writer.h"
#include "tests/core/launch/recovery/lost_run.h"
#include "tests/support/test_runner.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <thread>

using namespace rankscope;
using namespace rankscope::launch;
using namespace rankscope::telemetry;

class TestRecover : public QObject, LostRun {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        makeLost();
    }

    /// The container was restarted, the machine renamed, or the folder mounted elsewhere.
    void whereverTheSupervisorRan_data() {
        QTest::addColumn<QString>("host");
        QTest::addColumn<QString>("boot");
        QTest::addColumn<QString>("namespaces");
        const QString here = QString::fromStdString(hostName()), boot = QString::fromStdString(bootId()),
                      own = QString::fromStdString(processNamespaces());
        QTest::newRow("another host") << "elsewhere"
                                      << "another" << own;
        QTest::newRow("this host, renamed") << "elsewhere" << boot << own;
        QTest::newRow("this host, before its last start") << here << "another" << own;
        QTest::newRow("another container") << here << boot << "pid:[1] time:[2]";
        QTest::newRow("an older run") << here << boot << "";
        QTest::newRow("an older run of another host") << "elsewhere"
                                                      << ""
                                                      << "";
    }
    void whereverTheSupervisorRan() {
        QFETCH(QString, host);
        QFETCH(QString, boot);
        QFETCH(QString, namespaces);
        rewrite([&](RunInfo& info) {
            info.host = host.toStdString();
            info.bootId = boot.toStdString();
            info.namespaces = namespaces.toStdString();
        });
        writeSteps(0, 3);
        QCOMPARE(readRunInfo(m_run)->state, RunState::Lost);
        const auto done = recover(m_run);
        QVERIFY2(done.has_value(), done ? "" : done.error().message().c_str());
        QCOMPARE(readRunInfo(m_run)->state, RunState::Failed);
        QCOMPARE(records(0), std::int64_t(3));
        QVERIFY(!hasJournals(m_run));
        QCOMPARE(recordedRunInfo(m_run)->state, RunState::Failed);
    }
    /// Seen from another container with the same host name, where the supervisor's process number means nothing.
    void whereTheProcessIsNotSeenTheLockDecides() {
        writeSteps(0, 3);
        rewrite([](RunInfo& info) {
            info.supervisorPid = 4'000'000;
            info.namespaces = "pid:[1] time:[2]";
        });
        auto lock = std::optional(RunLock::take(m_run.lock()));
        QVERIFY(lock->has_value());
        auto info = *readRunInfo(m_run);
        QCOMPARE(info.state, RunState::Running);
        QCOMPARE(info.supervisor, SupervisorLife::Alive);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(recover(m_run));
        const auto stopped = requestStop(m_run, false);
        QVERIFY(timer.elapsed() < 2000);
        QVERIFY2(!stopped && stopped.error().what.english().find("another container") != std::string::npos,
                 "it was stopped");
        QVERIFY(hasJournals(m_run));
        (*lock)->markRecovery();
        QCOMPARE(readRunInfo(m_run)->state, RunState::Lost);
        lock.reset();
        QCOMPARE(readRunInfo(m_run)->state, RunState::Lost);
        // a lock that may not be opened, because it is a link
        std::filesystem::remove(m_run.lock());
        std::filesystem::create_symlink("lock", m_run.lock());
        info = *readRunInfo(m_run);
        QCOMPARE(info.state, RunState::Running);
        QCOMPARE(info.supervisor, SupervisorLife::Unknown);
    }
    /// Stopped by Ctrl-Z or SIGSTOP: it receives no requests, and its ranks keep running.
    void aStoppedSupervisorIsSaidToBeSo() {
        auto child = ChildProcess::start({{"/bin/sleep", "1000"}, {}, m_run.log(0)});
        QVERIFY(child);
        rewrite([&](RunInfo& info) {
            info.supervisorPid = child->pid();
            info.supervisorStartTicks = child->startTicks();
        });
        QCOMPARE(readRunInfo(m_run)->supervisor, SupervisorLife::Alive);
        child->signal(SIGSTOP);
        QTRY_COMPARE(readRunInfo(m_run)->supervisor, SupervisorLife::Stopped);
        QCOMPARE(readRunInfo(m_run)->state, RunState::Running);
        const auto asked = requestStop(m_run, false);
        QVERIFY(!asked && asked.error().code == Errc::Busy);
        QVERIFY2(asked.error().what.english().find("is stopped") != std::string::npos,
                 asked.error().what.english().c_str());
        QVERIFY(!child->poll());
        QVERIFY(requestStop(m_run, true)); // SIGQUIT, then SIGCONT so that it is received
        auto end = child->poll();          // reported only once
        QTRY_VERIFY(end || (end = child->poll()));
        QCOMPARE(end->code, SIGQUIT);
    }
    /// Without the lock, recovery could read a store that another recovery has only half written.
    void anotherRecoveryIsWaitedFor() {
        writeSteps(0, 3);
        auto lock = std::optional(RunLock::take(m_run.lock()));
        QVERIFY(lock->has_value());
        const auto kept = m_run.dir / "kept";
        std::filesystem::rename(m_run.store(), kept);
        QVERIFY(writeFileAtomic(m_run.store(), "half of a page"));
        Result<void> done;
        std::thread second([&] { done = recover(m_run); });
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        std::filesystem::rename(kept, m_run.store());
        lock.reset();
        second.join();
        QVERIFY2(done.has_value(), done ? "" : done.error().message().c_str());
        QCOMPARE(records(0), std::int64_t(3));
        QCOMPARE(readRunInfo(m_run)->state, RunState::Failed);
    }
    void ranksThatNobodyListsAreGone() {
        writeSteps(1, 3);
        auto drain = Drain::open(m_run, std::move(*store::RunWriter::reopen(m_run.store())));
        QVERIFY(drain);
        drain->read({});
        QCOMPARE(drain->newRecords(1).size(), std::size_t(3));
    }
    /// run.json may list fewer ranks than the store: the journal of each is read as that of a process that is gone.
    void moreRanksThanRunJsonSays() {
        rewrite([](RunInfo& info) { info.worldSize = 1; });
        writeSteps(1, 5);
        // the third slot was reserved but never completed: a live writer might still complete it
        const auto segment = m_run.rank(1) / "journal.000000";
        auto bytes = *readFile(segment);
        std::fill_n(bytes.begin() + 3 * 256, 256, '\0');
        QVERIFY(writeFileAtomic(segment, bytes));
        QVERIFY(recover(m_run));
        QCOMPARE(records(1), std::int64_t(4));
        QCOMPARE(stored()[1].lastStep, std::int64_t(4));
    }

    void everyRecordOnce() {
        writeSteps(0, 50);
        writeSteps(1, 47);
        QCOMPARE(readRunInfo(m_run)->state, RunState::Lost);
        for (int again = 0; again < 3; ++again) {
            const auto done = recover(m_run);
            QVERIFY2(done.has_value(), done ? "" : done.error().message().c_str());
            QCOMPARE(records(0), std::int64_t(50));
            QCOMPARE(records(1), std::int64_t(47));
        }
        const auto ranks = stored();
        QCOMPARE(ranks.size(), std::size_t(2));
        QCOMPARE(ranks[0].lastStep, std::int64_t(49));
        QCOMPARE(ranks[1].lastLoss.value(), 47.0);
        const auto info = readRunInfo(m_run);
        QCOMPARE(info->state, RunState::Failed);
        QCOMPARE(info->exitCode, int(kRankFailed));
        QVERIFY2(info->cause.english().find("supervisor was lost") != std::string::npos, info->cause.english().c_str());
        QVERIFY2(info->cause.english().find("recorded until step 49") != std::string::npos,
                 info->cause.english().c_str());
        QVERIFY(info->reason == (EndReason{EndKind::SupervisorLost, -1, 49}));
        QVERIFY(info->endRealtimeNs > info->startRealtimeNs);
        QVERIFY(!hasJournals(m_run));
    }
    void whatTheRanksSaidCounts_data() {
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("second");
        QTest::addColumn<int>("hash");
        QTest::addColumn<int>("state");
        const int finished = int(EndCause::Finished), stopped = int(EndCause::Stopped), failed = int(EndCause::Failed);
        QTest::newRow("all finished") << finished << finished << 5 << int(RunState::Finished);
        QTest::newRow("all stopped") << stopped << stopped << 5 << int(RunState::Stopped);
        QTest::newRow("one cut off") << finished << -1 << 5 << int(RunState::Failed);
        QTest::newRow("one failed") << finished << failed << 5 << int(RunState::Failed);
        QTest::newRow("weights differ") << finished << finished << 6 << int(RunState::Failed);
    }
    void whatTheRanksSaidCounts() {
        QFETCH(int, first);
        QFETCH(int, second);
        QFETCH(int, hash);
        writeSteps(0, 3, EndCause(first));
        writeSteps(1, 3, second < 0 ? std::nullopt : std::optional(EndCause(second)), std::uint64_t(hash));
        QVERIFY(recover(m_run));
        QTEST(int(readRunInfo(m_run)->state), "state");
    }
    /// A supervisor that was killed before it wrote run.json had already stored its verdict: that counts, and is noted
    /// once.
    void theVerdictThatIsInTheStoreCounts_data() {
        QTest::addColumn<QString>("kind");
        QTest::newRow("stored") << "killed";
        QTest::newRow("by an older version") << "";
    }
    void theVerdictThatIsInTheStoreCounts() {
        QFETCH(QString, kind);
        writeSteps(0, 3);
        const store::RunEnding ending{"failed",
                                      {"rank {} ended with {} {}", 1, "SIGKILL", Message("at step {}", 2)},
                                      3,
                                      1'700'000'000'000'000'000,
                                      kind.toStdString(),
                                      kind.isEmpty() ? -1 : 1,
                                      kind.isEmpty() ? -1 : 2};
        {
            auto store = store::RunWriter::reopen(m_run.store());
            QVERIFY(store);
            QVERIFY(store->end(ending, NoteSeverity::Error, "The run ended: " + ending.cause.english() + ".",
                               m_startNs + 5));
        }
        QVERIFY(recover(m_run));
        const auto info = readRunInfo(m_run);
        QCOMPARE(info->state, RunState::Failed);
        QCOMPARE(info->exitCode, 3);
        QCOMPARE(info->cause, ending.cause);
        QVERIFY(info->reason == (EndReason{EndKind::Killed, 1, 2}));
        QCOMPARE(info->endRealtimeNs, std::int64_t(1'700'000'000'000'000'000));
        QCOMPARE(endsTold(), 1);
    }
    void aRecoveryThatWasKilledTellsTheEndOnce() {
        writeSteps(0, 3);
        const auto before = *readRunInfo(m_run);
        QVERIFY(recover(m_run));
        const auto cause = readRunInfo(m_run)->cause;
        const auto reason = readRunInfo(m_run)->reason;
        auto info = before; // as if the recovery was killed before it wrote run.json
        info.state = RunState::Running;
        QVERIFY(writeRunInfo(m_run, info));
        QVERIFY(recover(m_run));
        QCOMPARE(readRunInfo(m_run)->cause, cause);
        QVERIFY(readRunInfo(m_run)->reason == reason);
        QCOMPARE(endsTold(), 1);
    }
    void halfWrittenFilesAreTakenAway() {
        const auto put = [&](const std::filesystem::path& name) { QVERIFY(writeFileAtomic(m_run.dir / name, "x")); };
        QVERIFY(makePrivateDirs(m_run.checkpoints()));
        for (const char* rest :
             {".run.json.AbCdEf.part", "checkpoints/.campaign-step=4.safetensors.123456.part",
              "checkpoints/.last.safetensors.link", "ranks/1/.board.AbCdEf.part", ".control.AbCdEf.part"})
            put(rest);
        for (const char* kept : {"checkpoints/last.safetensors", ".marks.json.AbCdEf.part", "notes.part"})
            put(kept);
        writeSteps(0, 3);
        QVERIFY(recover(m_run));
        std::vector<std::string> left;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(m_run.dir))
            if (const auto name = entry.path().filename().string();
                name.front() == '.' || name.find(".part") != name.npos)
                left.push_back(name);
        std::sort(left.begin(), left.end());
        QCOMPARE(left, (std::vector<std::string>{".marks.json.AbCdEf.part", "notes.part"}));
        QVERIFY(std::filesystem::exists(m_run.checkpoints() / "last.safetensors"));
    }
    /// Links in a foreign folder may lead anywhere: nothing outside the folder is removed or written.
    void linksOutOfTheFolderAreNotFollowed() {
        namespace fs = std::filesystem;
        const fs::path other = fs::path(m_dir->path().toStdString()) / "other";
        QVERIFY(makePrivateDirs(other));
        const std::vector<std::string> files{"journal.000000", "journal.2024",   "journal.txt",
                                             "board.AbCdEf",   ".x.AbCdEf.part", "keep.txt"};
        for (const auto& file : files)
            QVERIFY(writeFileAtomic(other / file, "mine"));
        writeSteps(0, 3);
        QVERIFY(makePrivateDirs(m_run.rank(1)));
        fs::create_directory_symlink(other, m_run.dir / "ranks/zz");
        fs::create_directory_symlink(other, m_run.checkpoints());
        fs::remove_all(m_run.rank(1));
        fs::create_directory_symlink(other, m_run.rank(1));
        QVERIFY(writeFileAtomic(m_run.dir / "ranks/0/journal.old", "mine")); // not the name of a segment
        const auto done = recover(m_run);
        QVERIFY2(done.has_value(), done ? "" : done.error().message().c_str());
        for (const auto& file : files)
            QVERIFY2(fs::exists(other / file), file.c_str());
        QVERIFY(fs::exists(m_run.dir / "ranks/0/journal.old") && !hasJournals(m_run));
        QCOMPARE(records(0), std::int64_t(3));
        QCOMPARE(readRunInfo(m_run)->state, RunState::Failed);
    }
    void aLockThatIsALinkIsNotMade() {
        namespace fs = std::filesystem;
        writeSteps(0, 3);
        fs::create_symlink("../made", m_run.lock());
        const auto done = recover(m_run);
        QVERIFY(!done);
        QCOMPARE(done.error().code, Errc::Malformed);
        QVERIFY(!fs::exists(m_run.dir / "../made"));
        QVERIFY(hasJournals(m_run));
    }
    /// Reading must end, whatever number is in a file's name.
    void aJournalWithoutEndIsNoJournal() {
        writeSteps(0, 3);
        for (const char* name : {"journal.18446744073709551615", "journal.9007199254740993"})
            QVERIFY(writeFileAtomic(m_run.rank(0) / name, std::string(512, '\1')));
        QVERIFY(recover(m_run));
        QCOMPARE(records(0), std::int64_t(3));
        QVERIFY(!hasJournals(m_run));
    }
    /// Other hidden entries in the folder of runs belong to the user or to other programs: secrets, for example.
    void onlyOnesOwnLaunchesAreTakenAway() {
        namespace fs = std::filesystem;
        const fs::path runs = m_dir->path().toStdString();
        const std::vector<std::string> names{".2fa",
                                             ".2048",
                                             ".20260101-000000-x",
                                             ".2026010-000000-x-0001",
                                             ".20260101-000000--0001",
                                             ".20260101-000000-x y-0001",
                                             ".20260101-000000-x-00G1",
                                             ".20260101-000000-secrets-0001",
                                             ".20260101-000000-folder-0001",
                                             ".20260101-000000-linked-0001",
                                             ".20260101-000000-rank-0001"};
        for (const std::string& name : names) {
            QVERIFY(makePrivateDirs(runs / name / "ranks/0"));
            QVERIFY(writeFileAtomic(runs / name / "lock", ""));
        }
        QVERIFY(writeFileAtomic(runs / names[7] / "secrets", "mine"));
        QVERIFY(makePrivateDirs(runs / names[8] / "mine"));
        fs::create_symlink("/etc/hostname", runs / names[9] / "config.yaml");
        QVERIFY(writeFileAtomic(runs / names[10] / "ranks/0/diary.txt", "mine"));
        const std::string gone = ".20260101-000000-a.b_c-0a1f";
        QVERIFY(makePrivateDirs(runs / gone / "ranks/12"));
        QVERIFY(makePrivateDirs(runs / gone / "checkpoints"));
        for (const char* file :
             {"lock", "config.yaml", ".run.json.AbCdEf.part", "run.sqlite", "run.sqlite-wal", "ranks/12/journal.000000",
              "ranks/12/.board.AbCdEf.part", "checkpoints/last.safetensors"})
            QVERIFY(writeFileAtomic(runs / gone / file, "x"));
        for (const auto& entry : fs::directory_iterator(runs))
            fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(1));
        removeAbandonedLaunches(runs);
        for (const std::string& name : names)
            QVERIFY2(fs::exists(runs / name / "lock"), name.c_str());
        QVERIFY(!fs::exists(runs / gone));
    }
    void abandonedLaunchesAreTakenAway() {
        namespace fs = std::filesystem;
        const fs::path runs = m_dir->path().toStdString();
        const auto hidden = [&](const char* name, bool withLock) {
            const fs::path folder = runs / name;
            QVERIFY(makePrivateDirs(folder / "ranks/0"));
            if (withLock)
                QVERIFY(writeFileAtomic(folder / "lock", ""));
        };
        const auto age = [&](const char* name) {
            fs::last_write_time(runs / name, fs::file_time_type::clock::now() - std::chrono::hours(1));
        };
        hidden(".20260101-000000-dead-0001", true);
        hidden(".20260101-000000-live-0002", true);
        hidden(".20260101-000000-young-0003", true);
        hidden(".20260101-000000-import-0004", false);
        hidden(".something", true);
        const auto held = RunLock::take(runs / ".20260101-000000-live-0002/lock");
        QVERIFY(held);
        for (const char* name :
             {".20260101-000000-dead-0001", ".20260101-000000-live-0002", ".20260101-000000-import-0004", ".something"})
            age(name);
        removeAbandonedLaunches(runs);
        QVERIFY(!fs::exists(runs / ".20260101-000000-dead-0001"));
        for (const char* name : {".20260101-000000-live-0002", ".20260101-000000-young-0003",
                                 ".20260101-000000-import-0004", ".something"})
            QVERIFY2(fs::exists(runs / name), name);
    }
    void withoutAStore() {
        for (const char* suffix : {"", "-wal", "-shm"})
            std::filesystem::remove(m_run.store().string() + suffix);
        writeSteps(0, 3);
        QVERIFY(recover(m_run));
        QCOMPARE(records(0), std::int64_t(3));
    }
    void openIncidentsAreClosed() {
        {
            auto store = store::RunWriter::reopen(m_run.store());
            QVERIFY(store);
            diagnosis::Transition opened;
            opened.incident.id = 1;
            opened.incident.cause = diagnosis::Cause::DataLoading;
            opened.incident.holders = {1};
            opened.incident.waiters = {0};
            opened.incident.openedNs = m_startNs + 1000;
            opened.incident.detectedNs = m_startNs + 2000;
            opened.incident.evidence.lastedSeconds = 40; // at its last update: longer than the ranks wrote records
            QVERIFY(store->commit({}, std::array{opened}));
        }
        writeSteps(0, 3);
        QVERIFY(recover(m_run));
        auto reader = store::RunReader::open(m_run.store());
        const auto incidents = reader->incidents().value();
        QCOMPARE(incidents.size(), std::size_t(1));
        QCOMPARE(incidents[0].closed, diagnosis::CloseReason::RunEnded);
        QCOMPARE(incidents[0].closedNs, incidents[0].openedNs + 40'000'000'000);
        QCOMPARE(incidents[0].holders, std::vector<int>{1});
    }
    void aLiveRunIsLeftAlone() {
        writeSteps(0, 3);
        auto info = *readRunInfo(m_run);
        info.state = RunState::Running;
        info.supervisorStartTicks = processStat(::getpid())->startTicks;
        QVERIFY(writeRunInfo(m_run, info));
        QVERIFY(recover(m_run));
        QVERIFY(hasJournals(m_run));
        QCOMPARE(readRunInfo(m_run)->state, RunState::Running);
    }
    void anEndedRunWithNothingLeftIsNotTouched() {
        auto info = *readRunInfo(m_run);
        info.state = RunState::Finished;
        QVERIFY(writeRunInfo(m_run, info));
        const auto before = std::filesystem::last_write_time(m_run.store());
        QVERIFY(recover(m_run));
        QVERIFY(std::filesystem::last_write_time(m_run.store()) == before);
        QVERIFY(!std::filesystem::exists(m_run.lock()));
    }
    void anEndedRunGetsWhatADiskWithoutRoomHeldBack() {
        writeSteps(0, 3);
        auto info = *readRunInfo(m_run);
        info.state = RunState::Stopped;
        info.cause = "stopped by the user";
        QVERIFY(writeRunInfo(m_run, info));
        QVERIFY(recover(m_run));
        QCOMPARE(records(0), std::int64_t(3));
        QCOMPARE(readRunInfo(m_run)->cause, info.cause);
        QCOMPARE(endsTold(), 1); // the store had no room for it then
        QVERIFY(!hasJournals(m_run));
    }
    /// Space for the final run.json is reserved at the start, so that none is needed if the disk is full.
    void theVerdictHasItsRoom() {
        auto reserve = RunInfoReserve::make(m_run, 8192);
        QVERIFY(reserve);
        const auto size = [&] { return std::filesystem::file_size(m_run.dir / ".run.json.reserved"); };
        QCOMPARE(size(), std::uintmax_t(8192));
        auto info = *recordedRunInfo(m_run);
        info.state = RunState::Failed;
        info.cause = "rank 1 ended with SIGKILL at step 2";
        QVERIFY(reserve->write(m_run, runInfoText(info)));
        QCOMPARE(recordedRunInfo(m_run)->cause, info.cause);
        QVERIFY(!std::filesystem::exists(m_run.dir / ".run.json.reserved"));
        QCOMPARE(std::filesystem::status(m_run.runJson()).permissions(), std::filesystem::perms(0600));
    }
    /// Another program's file in place of the reserved one is neither used for the verdict nor removed.
    void roomThatWasReplacedIsNoVerdict() {
        const auto file = m_run.dir / ".run.json.reserved";
        const auto text = *readFile(m_run.runJson());
        {
            auto reserve = RunInfoReserve::make(m_run, 8192);
            QVERIFY(reserve);
            std::filesystem::remove(file);
            QCOMPARE(reserve->write(m_run, "{}").error().code, Errc::NotFound);
            QVERIFY(writeFileAtomic(file, "another's"));
            QCOMPARE(reserve->write(m_run, "{}").error().code, Errc::NotFound);
        }
        QCOMPARE(*readFile(file), std::string("another's"));
        QCOMPARE(*readFile(m_run.runJson()), text);
    }
    void theRoomOfAKilledSupervisorsVerdictIsGivenBack() {
        QVERIFY(writeFileAtomic(m_run.dir / ".run.json.reserved", std::string(8192, '\0')));
        QVERIFY(recover(m_run));
        QVERIFY(!std::filesystem::exists(m_run.dir / ".run.json.reserved"));
    }
    void aRankThatIsLeftIsEnded() {
        auto child = ChildProcess::start({{"/bin/sleep", "1000"}, {}, m_run.log(0)});
        QVERIFY(child);
        auto info = *readRunInfo(m_run);
        info.state = RunState::Running;
        info.rankPids = {child->pid(), ::getpid()};
        info.rankStartTicks = {child->startTicks(), 1}; // the second pid belongs to another process now
        QVERIFY(writeRunInfo(m_run, info));
        QVERIFY(requestStop(m_run, false));
        const auto end = child->poll();
        QVERIFY(end && end->signalled);
        QCOMPARE(readRunInfo(m_run)->state, RunState::Failed);
    }
    /// A foreign folder may name any process: it is ended neither as a rank nor as a supervisor.
    void aProcessOfAnotherUserThanTheFolderIsLeftAlone() {
        if (::geteuid() != 0)
            QSKIP("only root can give the folder to another user");
        auto child = ChildProcess::start({{"/bin/sleep", "1000"}, {}, m_run.log(0)});
        QVERIFY(child);
        auto info = *readRunInfo(m_run);
        info.state = RunState::Running;
        info.rankPids = {child->pid(), 1};
        info.rankStartTicks = {child->startTicks(), 1};
        QVERIFY(writeRunInfo(m_run, info));
        constexpr uid_t kNobody = 65534;
        QCOMPARE(::chown(m_run.runJson().c_str(), kNobody, kNobody), 0);
        QVERIFY(recover(m_run));
        QVERIFY(!child->poll());
        info.supervisorPid = child->pid();
        info.supervisorStartTicks = child->startTicks();
        QVERIFY(writeRunInfo(m_run, info));
        const auto lock = RunLock::take(m_run.lock()); // as that process would hold it
        QVERIFY(lock);
        lock->markSupervisor();
        QCOMPARE(::chown(m_run.runJson().c_str(), kNobody, kNobody), 0);
        QCOMPARE(readRunInfo(m_run)->state, RunState::Running);
        const auto stopped = requestStop(m_run, true);
        QVERIFY(!stopped && stopped.error().what.english().find("a different user") != std::string::npos);
        QVERIFY(!child->poll());
        // the same folder, owned by its user again
        QCOMPARE(::chown(m_run.runJson().c_str(), 0, 0), 0);
        QVERIFY(requestStop(m_run, true));
        auto end = child->poll(); // reported only once
        QTRY_VERIFY(end || (end = child->poll()));
    }
};

RANKSCOPE_TEST(TestRecover)
#include "tst_run_recovery.moc"
