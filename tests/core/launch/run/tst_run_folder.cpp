// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/run/run_folder.h"
#include "core/launch/run/run_lock.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

using namespace rankscope;
using namespace rankscope::launch;

class TestRunFolder : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;

    std::filesystem::path runs() const { return m_dir->path().toStdString(); }
    RunPaths make(const std::string& id, std::int64_t began, RunState state = RunState::Finished) const {
        RunPaths run{runs() / id};
        (void)makePrivateDirs(run.dir);
        auto info = sample(state);
        info.startRealtimeNs = began;
        (void)writeRunInfo(run, info);
        return run;
    }
    static RunInfo sample(RunState state) {
        RunInfo i;
        i.name = "läuft";
        i.state = state;
        i.worldSize = 2;
        i.totalSteps = 300;
        i.supervisorPid = ::getpid();
        i.supervisorStartTicks = processStat(::getpid())->startTicks;
        i.host = hostName();
        i.bootId = bootId();
        i.namespaces = processNamespaces();
        i.startNs = 1, i.startRealtimeNs = 2, i.endRealtimeNs = 3;
        i.cause = {"rank {} ended with {} {}", 1, "\"SIGKILL\"\n", Message("at step {}", 4)};
        i.reason = {EndKind::Killed, 1, 4};
        i.exitCode = 3;
        i.argv = {"rankscopectl", "launch", "a b.yaml"};
        i.configPath = "/somewhere/a b.yaml";
        i.faults = {"dead on rank 1 at step 4"};
        i.rankPids = {10, 11};
        i.rankStartTicks = {12, 18446744073709551615ull};
        i.versions = {{"rankscope", "0.1.0"}};
        i.tags = {"night"};
        return i;
    }

private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void roundTrip() {
        const RunPaths run{runs() / "x"};
        QVERIFY(makePrivateDirs(run.dir));
        const RunInfo in = sample(RunState::Failed);
        QVERIFY(writeRunInfo(run, in));
        const auto out = readRunInfo(run);
        QVERIFY2(out.has_value(), out ? "" : out.error().message().c_str());
        QCOMPARE(out->id, std::string("x"));
        QCOMPARE(out->name, in.name);
        QCOMPARE(out->state, in.state);
        QCOMPARE(out->cause, in.cause);
        QVERIFY(out->reason == in.reason);
        QCOMPARE(out->argv, in.argv);
        QCOMPARE(out->rankStartTicks, in.rankStartTicks);
        QCOMPARE(out->namespaces, in.namespaces);
        QCOMPARE(out->versions, in.versions);
        QCOMPARE(out->faults, in.faults);
        QCOMPARE(out->endRealtimeNs, in.endRealtimeNs);
        QCOMPARE(std::filesystem::status(run.runJson()).permissions(), std::filesystem::perms(0600));
    }
    /// Older versions stored only the English sentence.
    void theCauseOfAnOlderRunIsItsEnglish() {
        const RunPaths run{runs() / "x"};
        QVERIFY(makePrivateDirs(run.dir));
        const RunInfo in = sample(RunState::Failed);
        auto json = nlohmann::json::parse(runInfoText(in));
        QCOMPARE(json["cause"].get<std::string>(), in.cause.english());
        json["cause"] = "rank 0 ended with SIGSEGV at step 9";
        for (const char* key : {"cause_message", "end_kind", "end_rank", "end_step"})
            json.erase(key);
        QVERIFY(writeRunFile(run.runJson(), json.dump()));
        const auto out = readRunInfo(run);
        QVERIFY(out);
        QCOMPARE(out->cause.english(), std::string("rank 0 ended with SIGSEGV at step 9"));
        QCOMPARE(out->cause.text(Language::Chinese), out->cause.english());
        QVERIFY(out->reason == (EndReason{EndKind::Crashed, 0, 9}));
    }
    /// The file may be of a newer version, or damaged.
    void anImpossibleEndIsUnknown() {
        const RunPaths run{runs() / "x"};
        QVERIFY(makePrivateDirs(run.dir));
        auto json = nlohmann::json::parse(runInfoText(sample(RunState::Failed)));
        QCOMPARE(json["end_kind"].get<std::string>(), std::string("killed"));
        json.update({{"end_kind", "melted"}, {"end_rank", 2}, {"end_step", -4}}); // of two ranks
        QVERIFY(writeRunFile(run.runJson(), json.dump()));
        const auto out = readRunInfo(run);
        QVERIFY(out);
        QVERIFY(out->reason == (EndReason{EndKind::Other, -1, -1}));
    }
    void bytesThatAreNoTextAreWrittenAnyway() {
        const RunPaths run{runs() / "x"};
        QVERIFY(makePrivateDirs(run.dir));
        RunInfo in = sample(RunState::Failed);
        in.cause = "bad \xff byte";
        QVERIFY(writeRunInfo(run, in));
        QVERIFY(readRunInfo(run));
    }

    void aLiveSupervisorIsBelieved() {
        QCOMPARE(readRunInfo(make("x", 1, RunState::Running))->state, RunState::Running);
    }
    void aReusedPidIsNot() {
        const RunPaths run = make("x", 1, RunState::Running);
        auto info = sample(RunState::Running);
        info.supervisorStartTicks += 1; // same pid, different process
        QVERIFY(writeRunInfo(run, info));
        QCOMPARE(readRunInfo(run)->state, RunState::Lost);
    }
    void neitherIsOneOfAnotherBoot() {
        const RunPaths run = make("x", 1, RunState::Running);
        auto info = sample(RunState::Stopping);
        info.bootId = "0";
        QVERIFY(writeRunInfo(run, info));
        QCOMPARE(readRunInfo(run)->state, RunState::Lost);
    }
    void onAnotherHostTheLockTells() {
        const RunPaths run = make("x", 1, RunState::Running);
        auto info = sample(RunState::Running);
        info.host = "elsewhere";
        info.bootId = "another";
        QVERIFY(writeRunInfo(run, info));
        QCOMPARE(readRunInfo(run)->state, RunState::Lost);
        const auto lock = RunLock::take(run.lock()); // a second open file, as another process would have
        QVERIFY(lock);
        QCOMPARE(readRunInfo(run)->state, RunState::Running);
    }
    /// Makes a run whose supervisor is this process.
    RunPaths makeLive(std::optional<RunLock>& lock, bool older = false) const {
        const RunPaths run = make("live", 1, RunState::Running);
        if (auto taken = RunLock::take(run.lock()))
            lock.emplace(std::move(*taken));
        lock->markSupervisor();
        auto info = sample(RunState::Running);
        info.folder = older ? std::string() : folderIdentity(run.dir);
        (void)writeRunInfo(run, info);
        return run;
    }
    static bool isLiveHere(const RunPaths& run) {
        const auto info = readRunInfo(run);
        return info && info->state == RunState::Running && info->supervisor == SupervisorLife::Alive && !info->copied;
    }

    /// Whatever the files in the folder say, no process holds the lock of a copy.
    void aCopyOfALiveRunIsNotLive_data() {
        QTest::addColumn<bool>("older");
        QTest::addColumn<int>("how");
        QTest::addColumn<bool>("withoutLock");
        const int links = int(std::filesystem::copy_options::create_hard_links);
        QTest::newRow("a copy") << false << 0 << false;
        QTest::newRow("of an older version's run") << true << 0 << false;
        QTest::newRow("of hard links") << false << links << false;
        QTest::newRow("whose lock was left out") << false << 0 << true;
    }
    void aCopyOfALiveRunIsNotLive() {
        QFETCH(bool, older);
        QFETCH(int, how);
        QFETCH(bool, withoutLock);
        std::optional<RunLock> lock;
        const RunPaths run = makeLive(lock, older), copy{runs() / "copy"};
        std::filesystem::copy(run.dir, copy.dir,
                              std::filesystem::copy_options::recursive | std::filesystem::copy_options(how));
        if (withoutLock)
            std::filesystem::remove(copy.lock());
        const auto info = readRunInfo(copy);
        QVERIFY(info);
        QCOMPARE(info->state, RunState::Lost);
        QVERIFY(info->copied);
        QCOMPARE(info->cause, Message(kCopiedCause));
        QVERIFY(info->reason == EndReason{EndKind::Copied});
        QVERIFY(isLiveHere(run));
    }
    /// Renamed, reached through a link, or without its lock file, it is still the same folder.
    void aLiveRunStaysSoWhereverItsFolderGoes() {
        std::optional<RunLock> lock;
        const RunPaths run = makeLive(lock), moved{runs() / "moved"}, linked{runs() / "linked"};
        std::filesystem::rename(run.dir, moved.dir);
        QVERIFY(isLiveHere(moved));
        std::filesystem::create_directory_symlink(moved.dir, linked.dir);
        QVERIFY(isLiveHere(linked));
        std::filesystem::remove(moved.lock());
        QVERIFY(isLiveHere(moved));
    }
    /// Copies on other disks may have the same inode number.
    void aFolderIsToldFromItsCopies() {
        RunInfo info;
        const RunPaths run = make("x", 1);
        QVERIFY(!isCopy(run, info)); // not recorded
        info.folder = folderIdentity(run.dir);
        QVERIFY(!info.folder.empty());
        QVERIFY(!isCopy(run, info));
        const std::string inode = info.folder.substr(0, info.folder.find(' '));
        info.folder = inode; // a file system that does not report birth times
        QVERIFY(!isCopy(run, info));
        info.folder = inode + "0";
        QVERIFY(isCopy(run, info));
        if (folderIdentity(run.dir) == inode)
            QSKIP("this file system tells no birth of a folder");
        info.folder = inode + " 1.000000001";
        QVERIFY(isCopy(run, info));
    }
    void theLockNamesTheSupervisorOfADamagedRun() {
        std::optional<RunLock> lock;
        const RunPaths run = makeLive(lock);
        const auto supervisor = RunLock::supervisor(run.lock());
        QVERIFY(supervisor);
        QCOMPARE(supervisor->pid, ::getpid());
        std::filesystem::remove(run.runJson());
        const auto info = readRunInfo(run);
        QVERIFY(!info);
        const std::string process = "process " + std::to_string(::getpid());
        QVERIFY2(info.error().what.english().find(process) != std::string::npos, info.error().what.english().c_str());
        lock->markRecovery();
        QVERIFY(!RunLock::supervisor(run.lock()));
        lock->markSupervisor();
        lock.reset();
        QVERIFY(!RunLock::supervisor(run.lock()));
        QVERIFY2(readRunInfo(run).error().what.english().find(process) == std::string::npos, "nobody holds the lock");
    }
    /// Whether processes can be seen depends on boot and namespace, not on the host's name, which may change.
    void aHostThatWasRenamedIsTheSame() {
        const RunPaths run = make("x", 1, RunState::Running);
        auto info = sample(RunState::Running);
        info.host = "before";
        QVERIFY(writeRunInfo(run, info));
        QCOMPARE(readRunInfo(run)->state, RunState::Running);
        QCOMPARE(readRunInfo(run)->supervisor, SupervisorLife::Alive);
    }
    /// Such a folder must not block the list of all runs.
    void aLockThatIsNoFileHoldsNobodyUp() {
        const RunPaths run = make("x", 1, RunState::Running);
        auto info = sample(RunState::Running);
        info.host = "elsewhere";
        QVERIFY(writeRunInfo(run, info));
        QCOMPARE(::mkfifo(run.lock().c_str(), 0600), 0);
        QVERIFY(readRunInfo(run).has_value());
        QCOMPARE(listRuns(runs())->size(), std::size_t(1));
        const auto fifo = RunLock::take(run.lock());
        QVERIFY(!fifo && fifo.error().code == Errc::Malformed);
        std::filesystem::remove(run.lock());
        std::filesystem::create_symlink(runs() / "made", run.lock());
        const auto link = RunLock::take(run.lock());
        QVERIFY(!link && link.error().code == Errc::Malformed);
        QVERIFY(!std::filesystem::exists(runs() / "made"));
    }
    void filesThatAreLinksOrPipes() {
        const RunPaths run = make("x", 1);
        std::filesystem::rename(run.runJson(), runs() / "elsewhere.json");
        std::filesystem::create_symlink("../elsewhere.json", run.runJson());
        QCOMPARE(readRunInfo(run).error().code, Errc::Malformed);
        QCOMPARE(listRuns(runs())->at(0).problem.empty(), false);
        std::filesystem::remove(run.runJson());
        QCOMPARE(::mkfifo(run.runJson().c_str(), 0600), 0);
        QCOMPARE(readRunInfo(run).error().code, Errc::Malformed);
        QCOMPARE(::mkfifo(run.log(0).c_str(), 0600), -1); // fails: the folder for it does not exist
        QVERIFY(makePrivateDirs(run.rank(0)));
        QCOMPARE(::mkfifo(run.log(0).c_str(), 0600), 0);
        QVERIFY(lastLogLines(run.log(0).string(), 3).empty());
        QVERIFY(makePrivateDirs(runs() / "weights"));
        QVERIFY(writeFileAtomic(runs() / "weights/last.safetensors", "x"));
        std::filesystem::create_directory_symlink("../weights", run.checkpoints());
        QVERIFY(!hasCheckpoint(run));
    }
    void theLockIsExclusive() {
        const RunPaths run = make("x", 1);
        {
            const auto first = RunLock::take(run.lock());
            QVERIFY(first);
            const auto second = RunLock::take(run.lock());
            QVERIFY(!second);
            QCOMPARE(second.error().code, Errc::Busy);
        }
        QVERIFY(RunLock::take(run.lock()));
    }

    void damaged_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("cut") << QByteArray("{\"format\": 1, \"name\": \"x");
        QTest::newRow("array") << QByteArray("[]");
        QTest::newRow("wrong type") << QByteArray("{\"format\": \"one\"}");
        QTest::newRow("key missing") << QByteArray("{\"format\": 1, \"name\": \"x\"}");
        QTest::newRow("newer") << QByteArray("{\"format\": 2}");
        QTest::newRow("binary") << QByteArray("\x00\xff\xfe{", 4);
    }
    void damaged() {
        QFETCH(QByteArray, text);
        const RunPaths run = make("20260101-000000-a-0001", 5);
        make("20260101-000000-b-0002", 4);
        QVERIFY(writeFileAtomic(run.runJson(), std::string_view(text.constData(), std::size_t(text.size()))));
        const auto info = readRunInfo(run);
        QVERIFY(!info);
        QCOMPARE(info.error().code, Errc::Malformed);
        const auto list = listRuns(runs());
        QVERIFY(list);
        QCOMPARE(list->size(), std::size_t(2));
        const auto& bad = list->at(0).problem.empty() ? list->at(1) : list->at(0);
        QVERIFY(QString::fromStdString(bad.problem).contains("run.json"));
        QVERIFY2(!QString::fromStdString(bad.problem).contains("json.exception"), bad.problem.c_str());
        QCOMPARE(bad.info.id, std::string("20260101-000000-a-0001"));
    }

    void newestFirst() {
        make("a", 10), make("b", 30), make("c", 20);
        QVERIFY(makePrivateDirs(runs() / ".half-made" / "ranks"));
        QVERIFY(makePrivateDirs(runs() / "not a run"));
        const auto list = listRuns(runs());
        QVERIFY(list);
        std::string order;
        for (const auto& run : *list)
            order += run.info.id;
        QCOMPARE(order, std::string("bca"));
    }
    /// The wall clock was set back by a day after the first run began.
    void newestFirstByTheClockThatNobodySets() {
        constexpr std::int64_t kSecond = 1'000'000'000;
        const auto began = [&](const char* id, std::int64_t secondsAgo, std::int64_t clockWrongBy) {
            const RunPaths run = make(id, 1);
            auto info = sample(RunState::Finished);
            info.startNs = monotonicNs() - secondsAgo * kSecond;
            info.startRealtimeNs = realtimeNs() + (clockWrongBy - secondsAgo) * kSecond;
            QVERIFY(writeRunInfo(run, info));
        };
        began("first", 20, 86'400);
        began("second", 10, 0);
        const auto list = listRuns(runs());
        QVERIFY(list);
        QCOMPARE(list->front().info.id, std::string("second"));
        QCOMPARE(findRun(runs(), "last")->dir.filename().string(), std::string("second"));
        const auto age = ageNs(list->back().info) / kSecond;
        QVERIFY2(age >= 19 && age < 60, std::to_string(age).c_str());
    }
    void noFolderIsAnEmptyList() {
        const auto list = listRuns(runs() / "nowhere");
        QVERIFY(list);
        QVERIFY(list->empty());
    }

    void find_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("error");
        QTest::newRow("id") << "20260101-000000-nest-00aa"
                            << "20260101-000000-nest-00aa"
                            << "";
        QTest::newRow("id that begins another") << "20260101-000000-nest"
                                                << "20260101-000000-nest"
                                                << "";
        QTest::newRow("prefix") << "20260102"
                                << "20260102-000000-nest-00bb"
                                << "";
        QTest::newRow("part") << "00bb"
                              << "20260102-000000-nest-00bb"
                              << "";
        QTest::newRow("last") << "last"
                              << "20260102-000000-nest-00bb"
                              << "";
        QTest::newRow("ambiguous prefix") << "2026"
                                          << ""
                                          << "3 runs match";
        QTest::newRow("ambiguous part") << "nest"
                                        << ""
                                        << "3 runs match";
        QTest::newRow("none") << "zzz"
                              << ""
                              << "no such run";
        QTest::newRow("a path that is none") << "./zzz"
                                             << ""
                                             << "no run.json";
        QTest::newRow("empty") << ""
                               << ""
                               << "no run was named";
    }
    void find() {
        make("20260101-000000-nest", 1), make("20260101-000000-nest-00aa", 2), make("20260102-000000-nest-00bb", 3);
        QFETCH(QString, what);
        QFETCH(QString, error);
        const auto run = findRun(runs(), what.toStdString());
        if (error.isEmpty()) {
            QVERIFY2(run.has_value(), run ? "" : run.error().message().c_str());
            QTEST(QString::fromStdString(run->dir.filename().string()), "id");
        } else {
            QVERIFY(!run);
            const auto message = QString::fromStdString(run.error().message());
            QVERIFY2(message.contains(error), qPrintable(message));
        }
    }
    /// It is a run, or may be one: only its owner can tell.
    void aFolderThatMayNotBeReadIsSaidToBeSo() {
        const RunPaths run = make("20260101-000000-x-0001", 1);
        const bool root = ::geteuid() == 0; // may read everything
        std::filesystem::permissions(runs(), std::filesystem::perms(0755));
        std::filesystem::permissions(run.dir, std::filesystem::perms::none);
        QVERIFY(!root || ::seteuid(65534) == 0);
        const bool reached = ::faccessat(AT_FDCWD, runs().c_str(), R_OK | X_OK, AT_EACCESS) == 0;
        const auto byPath = findRun("/nonexistent", run.dir.string()), byId = findRun(runs(), "20260101-000000-x-0001");
        const auto closed = closedFolders(runs());
        QVERIFY(!root || ::seteuid(0) == 0);
        std::filesystem::permissions(run.dir, std::filesystem::perms::owner_all);
        if (!reached)
            QSKIP("the folder for temporary files is closed to other users");
        for (const auto* found : {&byPath, &byId}) {
            QVERIFY(!*found);
            QCOMPARE(found->error().code, Errc::Permission);
        }
        QCOMPARE(closed, std::size_t(1));
        QCOMPARE(closedFolders(runs()), std::size_t(0));
        QVERIFY(findRun(runs(), "20260101-000000-x-0001"));
    }
    /// A file that may be read, but not executed, is not called unreadable.
    void aFileIsNoRun() {
        const RunPaths run = make("20260101-000000-x-0001", 1);
        std::filesystem::permissions(run.runJson(), std::filesystem::perms(0600));
        const auto byPath = findRun("/nonexistent", run.runJson().string());
        QVERIFY(!byPath);
        QCOMPARE(byPath.error().code, Errc::NotFound);
        QVERIFY(writeFileAtomic(runs() / "notes.txt", "text"));
        const auto byName = findRun(runs(), "notes.txt");
        QVERIFY(!byName);
        QCOMPARE(byName.error().code, Errc::NotFound);
    }
    void findByPath() {
        const RunPaths run = make("x", 1);
        QCOMPARE(findRun("/nonexistent", run.dir.string())->dir, run.dir);
        QCOMPARE(findRun("/nonexistent", run.dir.string() + "/")->dir, run.dir);
    }

    void lastLines() {
        const auto log = (runs() / "log.txt").string();
        QVERIFY(writeFileAtomic(log, std::string(100'000, 'x') + "\none\n\n\033[31mtwo\033[0m\n  \nthree"));
        const std::vector<std::string> expected{"one", "two", "three"};
        QCOMPARE(lastLogLines(log, 3), expected);
        QCOMPARE(lastLogLines(log, 1).front(), std::string("three"));
        QVERIFY(lastLogLines(log + ".none", 3).empty());
    }
};

RANKSCOPE_TEST(TestRunFolder)
#include "tst_run_folder.moc"
