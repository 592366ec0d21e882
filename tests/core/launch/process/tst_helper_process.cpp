// SPDX-License-Identifier: Apache-2.0
#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/launch/monitors/incident_hook.h"
#include "core/launch/process/helper_process.h"
#include "core/launch/run/run_folder.h"
#include "tests/support/test_runner.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace rankscope;
using namespace rankscope::launch;

class TestHelperProcess : public QObject {
    Q_OBJECT

    static HelperProcess shell(const std::string& script, std::string input = {}, double seconds = 30,
                               std::size_t most = 1000) {
        auto helper = HelperProcess::start({{"sh", "-c", script}, std::move(input), seconds, most}, monotonicNs());
        if (!helper)
            qFatal("%s", helper.error().message().c_str());
        return std::move(*helper);
    }
    static HelperProcess::HelperEnd waitFor(HelperProcess& helper) {
        std::optional<HelperProcess::HelperEnd> end;
        if (!QTest::qWaitFor([&] { return (end = helper.poll(monotonicNs())).has_value(); }, 20'000))
            qFatal("it does not end");
        return *end;
    }
    static diagnosis::Transition transition(diagnosis::Transition::TransitionKind kind, std::int64_t id) {
        diagnosis::Transition t;
        t.kind = kind;
        t.incident.id = id;
        t.incident.holders = {1};
        t.incident.waiters = {0};
        t.incident.cause = diagnosis::Cause::DataLoading;
        t.incident.openedNs = 5'000'000'000;
        return t;
    }
    static std::vector<IncidentHook::HookNote> settle(IncidentHook& hook) {
        std::vector<IncidentHook::HookNote> notes;
        (void)QTest::qWaitFor(
            [&] {
                for (auto& note : hook.round(monotonicNs()))
                    notes.push_back(std::move(note));
                return hook.idle();
            },
            20'000);
        return notes;
    }

private Q_SLOTS:
    void inAndOut() {
        auto helper = shell("cat; echo said >&2; exit 3", "a \"quoted\" text\n");
        const auto end = waitFor(helper);
        QCOMPARE(end.out, std::string("a \"quoted\" text\n"));
        QCOMPARE(end.errors, std::string("said\n"));
        QCOMPARE(end.code, 3);
        QCOMPARE(end.problem(), std::string("ended with exit code 3: said"));
        QVERIFY(!helper.poll(monotonicNs())); // only once
    }
    void allIsWellIsNoProblem() {
        auto helper = shell("echo warning >&2");
        QCOMPARE(waitFor(helper).problem(), std::string());
    }
    /// The input is provided completely, whether or not the program reads it.
    void muchInput() {
        const std::string much(3 << 20, 'x');
        auto reads = shell("wc -c", much);
        QCOMPARE(QByteArray::fromStdString(waitFor(reads).out).trimmed().toLongLong(), qlonglong(much.size()));
        auto ignores = shell("exit 0", much);
        QCOMPARE(waitFor(ignores).problem(), std::string());
    }
    void moreOutputThanWanted() {
        auto helper = shell("yes | head -c 3000000; echo end >&2", {}, 30, 1000);
        const auto end = waitFor(helper);
        QCOMPARE(end.out.size(), std::size_t(1000));
        QVERIFY(end.cut);
        QCOMPARE(end.errors, std::string("end\n"));
        QCOMPARE(end.code, 0);
    }
    void theTimeLimitEndsItsChildrenToo() {
        QTemporaryDir dir;
        const QString file = dir.filePath("pid");
        auto helper = shell("sleep 1000 & echo $! > " + file.toStdString() + "; wait", {}, 0.3);
        const auto end = waitFor(helper);
        QVERIFY(end.timedOut && end.signalled);
        QCOMPARE(end.problem(), std::string("took too long and was ended"));
        QFile f(file);
        QVERIFY(f.open(QIODevice::ReadOnly));
        const int sleeper = f.readAll().trimmed().toInt();
        QVERIFY(sleeper > 0);
        // it may be a zombie of the process that adopts it
        QTRY_VERIFY(::kill(sleeper, 0) != 0 || QFile::symLinkTarget(QString("/proc/%1/exe").arg(sleeper)).isEmpty());
    }
    void aSignalIsNamed() {
        auto helper = shell("kill -SEGV $$");
        QVERIFY(waitFor(helper).problem().find("ended with signal 11") == 0);
    }
    /// No signal is blocked or ignored in the helper, and it gets no signals from its starter's terminal.
    void itStartsClean() {
        sigset_t all, before;
        sigfillset(&all);
        ::sigprocmask(SIG_SETMASK, &all, &before);
        const auto old = ::signal(SIGPIPE, SIG_IGN);
        auto helper =
            shell("grep -E '^Sig(Blk|Ign)' /proc/self/status; cut -d' ' -f1,6 /proc/$$/stat; ls /proc/self/fd");
        const pid_t session = helper.pid();
        QVERIFY(session != ::getsid(0));
        ::signal(SIGPIPE, old);
        ::sigprocmask(SIG_SETMASK, &before, nullptr);
        const auto end = waitFor(helper);
        const auto lines = QByteArray::fromStdString(end.out).split('\n');
        QCOMPARE(lines.at(0), QByteArray("SigBlk:\t0000000000000000"));
        const auto ignored = lines.at(1).mid(8).toULongLong(nullptr, 16);
        QCOMPARE(ignored & ~0x180000000ull, 0ull);                           // 32 and 33 belong to the C library
        QCOMPARE(lines.at(2).split(' ').at(1), QByteArray::number(session)); // a separate session
        QCOMPARE(lines.mid(3), (QList<QByteArray>{"0", "1", "2", "3", ""})); // 3 is the folder that ls reads
    }
    /// The helper's time limit is enforced by its starter; if the starter is killed, the helper ends too.
    void itEndsWithItsStarter() {
        QTemporaryDir dir;
        const std::string file = dir.filePath("pid").toStdString();
        const pid_t starter = ::fork();
        if (starter == 0) {
            auto helper = shell("sleep 1000 & echo $! > " + file + "; wait", {}, 600);
            for (;;)
                ::pause();
        }
        pid_t sleeper = 0;
        const auto isWritten = [&] {
            QFile f(QString::fromStdString(file));
            return f.open(QIODevice::ReadOnly) && (sleeper = f.readAll().trimmed().toInt()) > 0;
        };
        QTRY_VERIFY(isWritten());
        const auto stat = processStat(sleeper);
        ::kill(starter, SIGKILL);
        ::waitpid(starter, nullptr, 0);
        QVERIFY(stat);
        QTRY_VERIFY(!isSameProcess(sleeper, stat->startTicks)); // so does the program's child
    }
    void noSuchProgram() {
        const auto helper = HelperProcess::start({{"/no/such/program"}, "", 1, 10}, monotonicNs());
        QVERIFY(!helper);
        QVERIFY(helper.error().message().find("/no/such/program") == 0);
        QVERIFY(!HelperProcess::start({{}, "", 1, 10}, monotonicNs()));
    }

    void hookIsToldInOrder() {
        QTemporaryDir dir;
        const std::string out = dir.filePath("out").toStdString();
        RunInfo info;
        info.id = "r1";
        info.name = "quick";
        // the argument stays one word for the command, and no shell interprets it
        IncidentHook hook({"sh", "-c", "cat >> \"$0\"; echo \"$1\" >> \"$0\"", out, "a b; $(false)"}, info,
                          {"/runs/r1"}, 1'000'000'000);
        using Kind = diagnosis::Transition::TransitionKind;
        hook.enqueue({transition(Kind::Opened, 1), transition(Kind::Updated, 1), transition(Kind::Closed, 1)});
        hook.enqueue({transition(Kind::Opened, 2)});
        QVERIFY(!hook.idle());
        const auto notes = settle(hook);
        QCOMPARE(notes.size(), std::size_t(3));
        QCOMPARE(notes[1].text,
                 std::string("rankscope.on_incident: sh was run for incident 1 (closed) and ended with exit code 0"));
        QVERIFY(notes[1].severity == telemetry::NoteSeverity::Info);
        QFile f(QString::fromStdString(out));
        QVERIFY(f.open(QIODevice::ReadOnly));
        const auto lines = f.readAll().split('\n');
        QCOMPARE(lines.size(), qsizetype(7));
        const char* events[] = {"opened", "closed", "opened"};
        for (int i = 0; i < 3; ++i) {
            const auto told = nlohmann::json::parse(lines.at(2 * i).toStdString());
            QCOMPARE(told["event"].get<std::string>(), std::string(events[i]));
            QCOMPARE(told["run"]["id"].get<std::string>(), std::string("r1"));
            QCOMPARE(told["run"]["path"].get<std::string>(), std::string("/runs/r1"));
            QCOMPARE(told["incident"]["id"].get<int>(), i == 2 ? 2 : 1);
            QCOMPARE(told["incident"]["opened_s"].get<double>(), 4.0);
            QCOMPARE(told["incident"]["cause"].get<std::string>(), std::string("data_loading"));
            QCOMPARE(lines.at(2 * i + 1), QByteArray("a b; $(false)"));
        }
    }
    void hookThatFailsIsNoted() {
        RunInfo watched;
        watched.command = {"train"};
        IncidentHook hook({"sh", "-c", "echo no route >&2; exit 7"}, watched, {"/r"}, 0);
        for (int i = 0; i < 9; ++i)
            hook.enqueue({transition(diagnosis::Transition::TransitionKind::Opened, i)});
        const auto notes = settle(hook);
        QCOMPARE(notes.size(), std::size_t(9));
        QCOMPARE(notes.front().text, // the option of a watched run
                 std::string("--on-incident: sh was run for incident 0 (opened) and ended with exit code 7: no route"));
        QVERIFY(notes.back().severity == telemetry::NoteSeverity::Warning);
    }
    void hookThatIsTooSlowLosesTheNewest() {
        IncidentHook hook({"true"}, RunInfo{}, {"/r"}, 0);
        for (int i = 0; i < 40; ++i)
            hook.enqueue({transition(diagnosis::Transition::TransitionKind::Opened, i)});
        const auto notes = settle(hook);
        QCOMPARE(notes.size(), std::size_t(33)); // 32 calls
        QVERIFY2(notes.front().text.find("missed 8 changes") != std::string::npos, notes.front().text.c_str());
    }
    void noHookNoWork() {
        IncidentHook hook({}, RunInfo{}, {"/r"}, 0);
        hook.enqueue({transition(diagnosis::Transition::TransitionKind::Opened, 1)});
        QVERIFY(hook.idle());
    }
};

RANKSCOPE_CORE_TEST(TestHelperProcess)
#include "tst_helper_process.moc"
