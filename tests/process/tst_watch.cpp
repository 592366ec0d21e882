// SPDX-License-Identifier: Apache-2.0
// Programs that Rankscope only watches: run, attach and observe-env.
#include "core/base/files/file.h"
#include "core/launch/command/process_tree.h"
#include "core/launch/run/launch_spec.h"
#include "core/store/read/run_reader.h"
#include "tests/process/launched_run.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <fcntl.h>
#include <pty.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

using namespace rankscope;
using namespace rankscope::test;
using launch::RunState;

/// A program that starts its ranks as users' programs do: it waits for them and returns the last bad exit code. The
/// first argument is the number of ranks.
static constexpr char kProgram[] = R"(
for r in $(seq 0 $(($1 - 1))); do
    RANK=$r WORLD_SIZE=$1 "$RANKSCOPE_TRAINER" --run "$RANKSCOPE_RUN_DIR" & pids="$pids $!"
done
echo to standard output; echo to standard error >&2
code=0; for p in $pids; do wait $p || code=$?; done; exit $code
)";
/// Starts its two ranks again when one has failed, as torchrun does.
static constexpr char kRestarting[] = R"(
for attempt in 1 2; do
    pids=""
    for r in 0 1; do
        RANK=$r WORLD_SIZE=2 "$RANKSCOPE_TRAINER" --run "$RANKSCOPE_RUN_DIR" & pids="$pids $!"
    done
    code=0; for p in $pids; do wait $p || { code=$?; kill -9 $pids 2>/dev/null; }; done
    rm -f "$RANKSCOPE_RUN_DIR/target"; RANKSCOPE_TARGET="steps=20 ms=20"; export RANKSCOPE_TARGET
    [ $code = 0 ] && break
done
exit $code
)";

class TestWatch : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> w;

    QString program(const char* text = kProgram) const { return w->file("program.sh", text); }
    QStringList runArgs(const QStringList& command, const QStringList& options = {}) const {
        return QStringList{"run", "--runs", w->runsDir()} + options + QStringList{"--"} + command;
    }
    Outcome run(const QStringList& command, const QStringList& options = {}) const {
        return w->ctl(runArgs(command, options));
    }
    QStringList ranks(int count) const { return {"sh", program(), QString::number(count)}; }
    std::unique_ptr<QProcess> start(const QStringList& args) const {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(w->environment());
        process->setWorkingDirectory(w->path("."));
        process->start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), args);
        return process;
    }
    static int exitCode(QProcess& process, int ms = 30'000) {
        const bool over = process.state() == QProcess::NotRunning || process.waitForFinished(ms);
        return over && process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    }
    /// Returns the processes that were started with the run's folder in their environment.
    std::vector<pid_t> left(const std::filesystem::path& dir) const {
        return launch::processesWith("RANKSCOPE_RUN_DIR=" + dir.string());
    }
    void nothingIsLeft() const { QTRY_VERIFY_WITH_TIMEOUT(left(w->run().dir).empty(), 10'000); }
    void everythingIsStored(int count) const {
        for (int r = 0; r < count; ++r) {
            const auto counted = w->appended(r);
            const auto stored = w->counter("records", r) + w->counter("malformed", r);
            QVERIFY2(counted.done <= stored && stored <= counted.begun,
                     qPrintable(QString("rank %1: %2 appended, %3 stored").arg(r).arg(counted.done).arg(stored)));
            QVERIFY(counted.done > 0);
        }
    }
    QStringList notes() const {
        QStringList texts;
        if (auto reader = store::RunReader::open(w->run().store()))
            for (const auto& note : reader->notes(0, 1000).value_or(std::vector<store::Note>()))
                texts.push_back(QString::fromStdString(note.text));
        return texts;
    }
    static pid_t guardOf(int supervisor) {
        for (const pid_t pid : launch::descendantsOf(supervisor)) {
            QFile name(QString("/proc/%1/comm").arg(pid));
            if (name.open(QIODevice::ReadOnly) && name.readAll().startsWith("rankscope-guard"))
                return pid;
        }
        return -1;
    }
    QString folder() const { return w->path("reports"); }
    /// Starts ranks as another program would, with the variables that observe-env prints.
    std::unique_ptr<QProcess> startElsewhere(int count) const {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(w->environment());
        process->start("sh", {"-c", QString("eval \"$('%1' observe-env '%2')\"; exec sh '%3' %4")
                                        .arg(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), folder(), program())
                                        .arg(count)});
        if (!QTest::qWaitFor([this] { return QFile::exists(folder() + "/ranks/0/board"); }, 20'000))
            qWarning("no rank reports to %s", qPrintable(folder()));
        return process;
    }
    launch::RunInfo attached() const {
        const auto info = launch::readRunInfo({folder().toStdString()});
        return info ? *info : launch::RunInfo{};
    }

private Q_SLOTS:
    void init() {
        qputenv("RANKSCOPE_OBSERVER", "off"); // the ranks are not Python programs
        w = std::make_unique<Workplace>();
    }

    void toTheEnd() {
        w->setTarget("steps=30 ms=5 python=1");
        const auto o = run(ranks(2), {"--name", "mine"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QCOMPARE(o.out, QString("to standard output\n")); // nothing of ours
        QVERIFY(o.err.contains("to standard error\n"));
        QVERIFY(o.err.contains("rankscope: 2 ranks train\n"));
        const auto info = w->info();
        QCOMPARE(info.state, RunState::Finished);
        QCOMPARE(info.worldSize, 2);
        QCOMPARE(info.totalSteps, std::int64_t(30));
        QCOMPARE(info.command.front(), std::string("sh"));
        QVERIFY(info.id.find("-mine-") != std::string::npos);
        const std::pair<std::string, std::string> torch{"torch", "2.11.0+cpu"};
        QVERIFY(std::find(info.versions.begin(), info.versions.end(), torch) != info.versions.end());
        everythingIsStored(2);
        QCOMPARE(w->incidents().size(), 0);
        QCOMPARE(readFile(w->run().commandLog()).value_or(""), std::string("to standard output\nto standard error\n"));
    }
    void whatNeedsARecipeIsAbsent() {
        w->setTarget("steps=5");
        QCOMPARE(run(ranks(1)).exitCode, 0);
        const auto json = QJsonDocument::fromJson(QByteArray::fromStdString(readFile(w->run().runJson()).value()));
        QCOMPARE(json["format"].toInt(), 2); // programs that expect a recipe say that it is newer than they are
        for (const char* key : {"config_path", "faults", "overrides", "drawn_seed", "resumed_from"})
            QVERIFY2(!json.object().contains(QLatin1String(key)), key);
        QVERIFY(!std::filesystem::exists(w->run().config()));
        QVERIFY(!std::filesystem::exists(w->run().effective()));
        const auto batch = w->ctl({"batch", QString::fromStdString(w->run().dir.string()), "--step", "1"});
        QVERIFY2(batch.err.contains("has no recipe"), qPrintable(batch.err));
        QCOMPARE(w->ctl({"show", QString::fromStdString(w->run().dir.string())}).exitCode, 0);
    }

    void aProgramNamesItsRecipe() {
        w->setTarget("steps=20 ms=20");
        const QString recipe =
            w->file("theirs.yaml", "model:\n  train_ds:\n    num_workers: 2\n  nemo_version: 2.7.3\n");
        const QString text = QString("cp '%1' \"$RANKSCOPE_RUN_DIR/recipe-nemo.yaml\"\n").arg(recipe) + kProgram;
        QCOMPARE(run({"sh", program(text.toUtf8()), "2"}).exitCode, 0);
        const auto info = w->info();
        QCOMPARE(info.recipeFrom, std::string("NeMo 2.7.3"));
        QVERIFY(info.hasRecipe() && !info.canRelaunch());
        QCOMPARE(readFile(w->run().config()).value_or(""), readFile(recipe.toStdString()).value());
        QVERIFY(readFile(w->run().effective()).value_or("").find("num_workers: 2") != std::string::npos);
        const QString dir = QString::fromStdString(w->run().dir.string());
        const auto shown = QJsonDocument::fromJson(w->ctl({"show", dir, "--json"}).out.toUtf8());
        QCOMPARE(shown["recipe_from"].toString(), QString("NeMo 2.7.3"));
        QVERIFY(w->ctl({"show", dir}).out.contains("NeMo 2.7.3"));
        const auto compared = w->ctl({"compare", QString::fromStdString(w->run().effective().string())});
        QVERIFY2(compared.out.contains("model.train_ds.num_workers"), qPrintable(compared.err));
    }
    void aRecipeThatCannotBeReadIsNoted() {
        w->setTarget("steps=20 ms=20");
        const QByteArray text = "echo 'a: [1' > \"$RANKSCOPE_RUN_DIR/recipe-nemo.yaml\"\n" + QByteArray(kProgram);
        QCOMPARE(run({"sh", program(text), "1"}).exitCode, 0);
        QVERIFY(!w->info().hasRecipe());
        QVERIFY(notes().join('\n').contains("The recipe that the program reported is not used"));
        QVERIFY(!std::filesystem::exists(w->run().config()));
    }
    void nemoTrainsARecipe() {
        w->setTarget("steps=20 ms=20");
        const QString python = w->file("python", "#!/bin/sh\necho \"$@\"\nRANK=0 WORLD_SIZE=1 exec "
                                                 "\"$RANKSCOPE_TRAINER\" --run \"$RANKSCOPE_RUN_DIR\"\n");
        QFile::setPermissions(python, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        const QStringList args{"launch",   w->config(),  "trainer.max_steps=20",
                               "--runs",   w->runsDir(), "--ranks",
                               "1",        "--trainer",  "nemo",
                               "--python", python};
        const auto o = w->ctl(args);
        if (o.err.contains("chmod go-w"))
            QSKIP("the folder of this build can be written by other users");
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        const auto info = w->info();
        QCOMPARE(info.recipeFrom, std::string("NeMo"));
        QCOMPARE(info.tags, std::vector<std::string>{"nemo"});
        QCOMPARE(info.overrides, std::vector<std::string>{"trainer.max_steps=20"});
        QCOMPARE(info.totalSteps, std::int64_t(20));
        QVERIFY(info.canRelaunch());
        const auto said = readFile(w->run().commandLog()).value_or("");
        const std::string folder = "--config-path=" + w->run().dir.string();
        for (const std::string& word : {std::string("nemo_pretraining.py"), folder, std::string("--config-name=config"),
                                        std::string("++trainer.max_steps=20"), std::string("++trainer.devices=1")})
            QVERIFY2(said.find(word) != std::string::npos, (word + " is not in " + said).c_str());
        QCOMPARE(readFile(w->run().config()).value_or(""), readFile(w->config().toStdString()).value());
        QVERIFY(w->ctl(args + QStringList{"--fault", "dead:rank=0,step=3"}).err.contains("only Rankscope's trainer"));
    }

    void aRunIsNamedAfterItsProgram_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("name");
        QTest::newRow("program") << QStringList{"--fast"} << "true";
        QTest::newRow("file") << QStringList{"--nproc-per-node", "2", "src/train.py", "--config", "b.py"} << "train";
        QTest::newRow("module") << QStringList{"-m", "package.train", "config.py"} << "package.train";
        QTest::newRow("launcher") << QStringList{"-m", "torch.distributed.run", "train.py"} << "train";
        QTest::newRow("launched module") << QStringList{"-m", "torch.distributed.run", "-m", "package.train"}
                                         << "package.train";
    }
    void aRunIsNamedAfterItsProgram() {
        QFETCH(QStringList, arguments);
        QCOMPARE(run(QStringList{"true"} + arguments).exitCode, 0);
        QTEST(QString::fromStdString(w->info().name), "name");
    }

    void theCommitOfTheCodeIsKept() {
        w->setTarget("steps=5");
        QVERIFY(QDir().mkpath(w->path("project/.git")));
        const QByteArray commit(40, 'c');
        w->file("project/.git/HEAD", commit + '\n');
        QCOMPARE(run(ranks(1) + QStringList{w->file("project/train.py", "")}).exitCode, 0);
        QCOMPARE(launch::versionOf(w->info(), launch::kCodeVersion), commit.toStdString());
        const auto shown = w->ctl({"show", QString::fromStdString(w->run().dir.string())});
        QVERIFY2(shown.out.contains(commit), qPrintable(shown.out));
    }

    void exitCodes_data() {
        QTest::addColumn<QStringList>("command");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("cause");
        QTest::newRow("its own") << QStringList{"sh", "-c", "echo no luck; exit 7"} << 7
                                 << "the command ended with exit code 7; its output ends with: no luck";
        QTest::newRow("signal") << QStringList{"sh", "-c", "kill -9 $$"} << 137 << "the command ended with SIGKILL";
        QTest::newRow("well") << QStringList{"true"} << 0 << "no rank was seen";
    }
    void exitCodes() {
        QFETCH(QStringList, command);
        QFETCH(int, code);
        QFETCH(QString, cause);
        const auto o = run(command);
        QCOMPARE(o.exitCode, code);
        const auto info = w->info();
        QCOMPARE(info.exitCode, code);
        QCOMPARE(info.worldSize, 0);
        QCOMPARE(info.state, code == 0 ? RunState::Finished : RunState::Failed);
        QVERIFY2(info.cause.english().find(cause.toStdString()) != std::string::npos, info.cause.english().c_str());
        QVERIFY(info.cause.english().find("no rank was seen") != std::string::npos);
        QVERIFY2(w->ctl({"list", "--runs", w->runsDir()}).out.contains(cause.left(20)), "list");
    }
    void nothingIsMadeForABadCommand() {
        const QString text = w->file("text", "no program");
        for (const QStringList& command : {QStringList{"/nonexistent/program"}, QStringList{text}, QStringList{}}) {
            const auto o = run(command);
            QCOMPARE(o.exitCode, int(launch::kBadInput));
            QVERIFY(o.err.startsWith("rankscopectl: "));
            QVERIFY(w->leftovers().empty());
        }
        QVERIFY(w->ctl({"run", "python", "train.py"}).err.contains("two dashes"));
    }

    void aRankDies() {
        w->setTarget("do=kill peers=notice ms=30");
        const auto o = run(ranks(2));
        QCOMPARE(o.exitCode, 137); // as the program says
        const auto info = w->info();
        QCOMPARE(info.state, RunState::Failed);
        QVERIFY2(info.cause.english().starts_with("rank 1 ended with SIGKILL at step 10 while in forward; the command"),
                 info.cause.english().c_str());
        const auto incidents = w->incidents();
        QCOMPARE(incidents.size(), 1);
        QCOMPARE(incidents[0].toObject()["cause"].toString(), QString("dead"));
        QCOMPARE(incidents[0].toObject()["holders"].toArray(), QJsonArray{1});
        everythingIsStored(2);
    }
    void exitCodesHaveNoMeaning_data() {
        QTest::addColumn<int>("code");
        for (const int code : {2, 3, 4}) // of a trainer: it refuses, it failed, it had no memory
            QTest::addRow("%d", code) << code;
    }
    void exitCodesHaveNoMeaning() {
        QFETCH(int, code);
        w->setTarget(QString("do=fails peers=notice ms=30 code=%1").arg(code));
        QCOMPARE(run(ranks(2)).exitCode, code);
        const auto cause = w->info().cause.english();
        QVERIFY2(cause.starts_with("rank 1 ended with exit code " + std::to_string(code) +
                                   " at step 10 while in forward: utt_7.wav: no samples; the command ended"),
                 cause.c_str());
    }
    void ranksAreStartedAgain() {
        w->setTarget("steps=20 ms=20 do=kill peers=notice");
        const auto o = run({"sh", program(kRestarting)});
        QCOMPARE(o.exitCode, 0);
        QCOMPARE(w->info().state, RunState::Finished);
        const auto all = notes();
        const auto again = all.filter("Rank 1 was started again as process ");
        QVERIFY2(again.size() == 1 && again.front().contains("rank 1 ended with SIGKILL at step 10"),
                 qPrintable(all.join('\n')));
        QCOMPARE(w->incidents().size(), 1); // the death is over with its attempt
        QCOMPARE(w->incidents()[0].toObject()["open"].toBool(), false);
    }
    void manyRanks() {
        w->setTarget("steps=20 ms=5");
        QCOMPARE(run(ranks(64)).exitCode, 0);
        QCOMPARE(w->info().worldSize, 64);
        everythingIsStored(64);
    }
    /// The time to join counts from the start of the command, also if the number of ranks is given.
    void ranksThatNeverAppear() {
        QCOMPARE(run({"sleep", "4"}, {"--ranks", "2", "--join-seconds", "1"}).exitCode, 0);
        const auto incidents = w->incidents();
        QCOMPARE(incidents.size(), 1);
        QCOMPARE(incidents[0].toObject()["cause"].toString(), QString("never_joined"));
    }
    /// As with srun, whose ranks are not its children.
    void ranksAreStartedElsewhere() {
        w->setTarget("steps=30 ms=5");
        auto process = start(runArgs({"sh", "-c", "while [ ! -e over ]; do sleep 0.05; done; exit 6"}));
        QTRY_VERIFY_WITH_TIMEOUT(!w->info().command.empty(), 10'000);
        QProcess elsewhere;
        auto environment = w->environment();
        environment.insert("RANKSCOPE_RUN_DIR", QString::fromStdString(w->run().dir.string()));
        elsewhere.setProcessEnvironment(environment);
        elsewhere.start("sh", {program(), "2"});
        QVERIFY(elsewhere.waitForFinished(20'000));
        w->file("over", {});
        QCOMPARE(exitCode(*process), 6);
        QCOMPARE(w->info().worldSize, 2);
        everythingIsStored(2);
    }

    void stop() {
        w->setTarget("steps=100000 ms=2");
        auto process = start(runArgs(ranks(2)));
        QTRY_VERIFY_WITH_TIMEOUT(w->runsAt(20), 20'000);
        QCOMPARE(w->ctl({"stop", QString::fromStdString(w->run().dir.string())}).exitCode, 0);
        QCOMPARE(exitCode(*process), 0); // the ranks left by themselves, and so did the command
        const auto info = w->info();
        QCOMPARE(info.state, RunState::Stopped);
        QVERIFY2(info.cause.english().find("stopped by the user after ") == 0, info.cause.english().c_str());
        auto reader = store::RunReader::open(w->run().store());
        const auto all = reader->ranks().value();
        QCOMPARE(all[0].lastStep, all[1].lastStep);
        nothingIsLeft();
        everythingIsStored(2);
    }
    void aProgramThatKnowsNoStopGetsSigterm() {
        auto process = start(runArgs({"sleep", "1000"}));
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Starting && !w->info().command.empty(), 10'000);
        QCOMPARE(::kill(pid_t(process->processId()), SIGTERM), 0);
        QCOMPARE(exitCode(*process), 128 + SIGTERM);
        QCOMPARE(w->info().state, RunState::Stopped);
        nothingIsLeft();
    }
    void theSecondRequestKills() {
        w->setTarget("steps=100000 do=deaf workers=1 signals=plain");
        auto process = start(runArgs({"sh", "-c", "trap '' TERM; sh " + program() + " 2 & wait; sleep 100"}));
        QTRY_VERIFY_WITH_TIMEOUT(w->runsAt(10), 20'000);
        QElapsedTimer timer;
        timer.start();
        for (int i = 0; i < 2; ++i, QTest::qWait(300))
            QCOMPARE(::kill(pid_t(process->processId()), SIGTERM), 0);
        QCOMPARE(exitCode(*process), 128 + SIGKILL);
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
        nothingIsLeft();
    }

    void ctrlCIsPassedOn() {
        // as in a terminal, the child gets it as well; both take longer than --stop-grace for what they have to save
        const QString child = w->file("child.sh", "trap 'sleep 2; echo child; exit' INT\n"
                                                  "echo ready; while :; do sleep 0.05; done\n");
        const QString parent = w->file("parent.sh", "trap : INT\nsh " + child.toUtf8() + "\necho parent; exit 9\n");
        auto process = start(runArgs({"sh", parent}, {"--stop-grace", "1"}));
        QTRY_VERIFY_WITH_TIMEOUT(process->bytesAvailable() > 0, 10'000);
        QCOMPARE(::kill(pid_t(process->processId()), SIGINT), 0);
        QCOMPARE(exitCode(*process), 9);
        QCOMPARE(process->readAllStandardOutput(), QByteArray("ready\nchild\nparent\n"));
        QCOMPARE(w->info().state, RunState::Stopped);
        nothingIsLeft();
    }
    void ctrlCEndsAProgramThatDoesNotExpectIt() {
        auto process = start(runArgs({"sleep", "1000"}));
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Starting && !w->info().command.empty(), 10'000);
        QCOMPARE(::kill(pid_t(process->processId()), SIGINT), 0);
        QCOMPARE(exitCode(*process), 128 + SIGINT);
        QCOMPARE(w->info().cause.english(),
                 std::string("stopped by the user before the first step; the command ended with SIGINT"));
    }
    void theThirdCtrlCKills() {
        auto process = start(runArgs({"sh", "-c", "trap '' INT TERM; echo ready; while :; do sleep 0.05; done"}));
        QTRY_VERIFY_WITH_TIMEOUT(process->bytesAvailable() > 0, 10'000);
        for (int i = 0; i < 2; ++i) {
            QCOMPARE(::kill(pid_t(process->processId()), SIGINT), 0);
            QVERIFY(!process->waitForFinished(700));
        }
        QCOMPARE(::kill(pid_t(process->processId()), SIGINT), 0);
        QCOMPARE(exitCode(*process, 5'000), 128 + SIGKILL);
        nothingIsLeft();
    }
    void anOrderlyStopMayFollowCtrlC() {
        auto process = start(runArgs({"sh", "-c", "trap '' INT; echo ready; exec sleep 1000"}));
        QTRY_VERIFY_WITH_TIMEOUT(process->bytesAvailable() > 0, 10'000);
        QCOMPARE(::kill(pid_t(process->processId()), SIGINT), 0);
        QTRY_COMPARE_WITH_TIMEOUT(w->info().state, RunState::Stopping, 5'000);
        QCOMPARE(w->ctl({"stop", QString::fromStdString(w->run().dir.string())}).exitCode, 0);
        QCOMPARE(exitCode(*process), 128 + SIGTERM);
        QCOMPARE(w->info().state, RunState::Stopped);
    }
    void whatTheCommandLeavesIsEnded() {
        QElapsedTimer timer;
        timer.start();
        const auto o = run({"sh", "-c", "setsid sh -c 'trap \"\" TERM; sleep 1000' & sleep 1000 & exit 5"});
        QCOMPARE(o.exitCode, 5);
        QVERIFY2(timer.elapsed() < 15'000, qPrintable(QString::number(timer.elapsed())));
        nothingIsLeft();
    }

    void kill_data() {
        QTest::addColumn<bool>("supervisor");
        QTest::addColumn<bool>("guard");
        QTest::newRow("supervisor") << true << false;
        QTest::newRow("guard") << false << true;
        QTest::newRow("both at once") << true << true;
    }
    void kill() {
        QFETCH(bool, supervisor);
        QFETCH(bool, guard);
        w->setTarget("steps=100000 ms=2 workers=1");
        auto process = start(runArgs(ranks(2)));
        QTRY_VERIFY_WITH_TIMEOUT(w->runsAt(20), 20'000);
        const auto info = w->info();
        QVERIFY(left(w->run().dir).size() >= 5); // the program, its ranks and their workers
        const pid_t guardPid = guardOf(info.supervisorPid);
        QVERIFY(guardPid > 0);
        if (supervisor)
            ::kill(info.supervisorPid, SIGKILL);
        if (guard)
            ::kill(guardPid, SIGKILL);
        QVERIFY(process->waitForFinished(20'000));
        if (supervisor && guard) // then the ranks' workers are ended by the next command
            QCOMPARE(w->ctl({"show", QString::fromStdString(w->run().dir.string())}).exitCode, 0);
        nothingIsLeft();
        QVERIFY(!w->anyRankLives(info));
        QCOMPARE(w->ctl({"show", QString::fromStdString(w->run().dir.string())}).exitCode, 0);
        const auto cause = w->info().cause.english();
        QVERIFY2(cause.find(supervisor ? "its supervisor was lost (killed)" : "rankscope-guard") != std::string::npos,
                 cause.c_str());
        everythingIsStored(2);
    }
    void detached() {
        w->setTarget("steps=30 ms=5");
        const auto o = run(ranks(2), {"--detach"});
        QCOMPARE(o.exitCode, 0);
        QCOMPARE(o.out, QString::fromStdString(w->run().dir.string() + "\n"));
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Finished, 20'000);
        QCOMPARE(readFile(w->run().commandLog()).value_or(""), std::string("to standard output\nto standard error\n"));
    }
    void aTerminalStaysOne() {
        int master = -1, slave = -1;
        QCOMPARE(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
        QProcess process;
        process.setProcessEnvironment(w->environment());
        process.setChildProcessModifier([slave] { ::dup2(slave, STDOUT_FILENO); });
        process.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"),
                      runArgs({"sh", "-c", "test -t 1 && ! test -t 2 && ! test -t 0 && echo a terminal"}));
        ::close(slave);
        QCOMPARE(exitCode(process), 0);
        char text[256];
        const ssize_t n = ::read(master, text, sizeof text);
        ::close(master);
        QCOMPARE(QByteArray(text, int(std::max<ssize_t>(n, 0))), QByteArray("a terminal\r\n"));
        QCOMPARE(readFile(w->run().commandLog()).value_or(""), std::string("a terminal\n"));
    }
    void aFullPipeStopsNobodyElse() {
        auto process = start(runArgs({"sh", "-c", "yes | head -c 1000000; echo done >&2"}));
        QCOMPARE(exitCode(*process), 0);
        QCOMPARE(process->readAllStandardOutput().size(), 1'000'000);
        QCOMPARE(std::filesystem::file_size(w->run().commandLog()), std::uintmax_t(1'000'005));
    }
    void aPipeThatNobodyReadsEndsTheProgramAsUsual() {
        QProcess shell;
        shell.setProcessEnvironment(w->environment());
        shell.start("bash", {"-c", QString("'%1' run --runs '%2' -- yes 2>/dev/null | head -1; exit ${PIPESTATUS[0]}")
                                       .arg(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), w->runsDir())});
        QCOMPARE(exitCode(shell), 128 + SIGPIPE);
        QCOMPARE(shell.readAllStandardOutput(), QByteArray("y\n"));
    }
    void aFullDiskBehindStandardOutput() {
        QProcess shell;
        shell.setProcessEnvironment(w->environment());
        shell.start("sh",
                    {"-c", QString("'%1' run --runs '%2' -- sh -c 'echo one; sleep 0.5; echo two; exit 7' >/dev/full")
                               .arg(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), w->runsDir())});
        QCOMPARE(exitCode(shell), 7);
        const QByteArray err = shell.readAllStandardError();
        QVERIFY2(err.count("rankscope: some of the command's output is lost: cannot write: No space left") == 1, err);
        QCOMPARE(readFile(w->run().commandLog()).value_or(""), std::string("one\ntwo\n"));
    }
    void closedStandardStreams() {
        w->setTarget("steps=30 ms=5");
        QProcess shell;
        shell.setProcessEnvironment(w->environment());
        shell.start("sh", {"-c", QString("'%1' run --runs '%2' -- sh '%3' 1 <&- >&- 2>&-")
                                     .arg(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), w->runsDir(), program())});
        QCOMPARE(exitCode(shell), 0);
        QCOMPARE(w->info().state, RunState::Finished);
        everythingIsStored(1);
        QCOMPARE(readFile(w->run().lock()).value_or("").find("to standard"), std::string::npos);
        QCOMPARE(readFile(w->run().commandLog()).value_or(""), std::string("to standard output\nto standard error\n"));
    }
    void aFolderThatIsRemovedEndsNobody() {
        w->setTarget("steps=300 ms=20");
        auto process = start(runArgs(ranks(2)));
        QTRY_VERIFY_WITH_TIMEOUT(w->runsAt(5), 20'000);
        QVERIFY(QDir(QString::fromStdString(w->run().dir.string())).removeRecursively());
        QCOMPARE(exitCode(*process), 0);
        const QByteArray err = process->readAllStandardError();
        QVERIFY2(err.count("the run's folder was removed or renamed; the ranks continue") == 1, err);
    }
    void pythonStacks() {
        w->setTarget("steps=30 ms=5 do=stall seconds=6 python=1");
        QCOMPARE(run(ranks(2)).exitCode, 0);
        const auto o = w->ctl({"diagnose", QString::fromStdString(w->run().dir.string()), "--json"});
        QVERIFY2(o.out.contains("train_step (/home/me/train.py:88)"), qPrintable(o.out));
        QVERIFY(o.out.contains("get (/lib/queue.py:5)"));
    }

    void observeEnv() {
        const QString odd = w->path("it's mine");
        const auto o = w->ctl({"observe-env", odd});
        QCOMPARE(o.exitCode, 0);
        QVERIFY2(o.out.contains("export RANKSCOPE_RUN_DIR='" + w->path("it'\\''s mine") + "'\n"), qPrintable(o.out));
        struct stat st {};
        QCOMPARE(::stat(qPrintable(odd), &st), 0);
        QCOMPARE(st.st_mode & 0777, mode_t(0700));
        QVERIFY(::chmod(qPrintable(odd), 0777) == 0);
        QCOMPARE(w->ctl({"observe-env", odd}).exitCode, 0);
        QCOMPARE(::stat(qPrintable(odd), &st), 0);
        QCOMPARE(st.st_mode & 0777, mode_t(0700));
    }
    void attachToTheEnd() {
        w->setTarget("steps=100 ms=10");
        auto elsewhere = startElsewhere(2);
        const auto o = w->ctl({"attach", folder()});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QVERIFY(elsewhere->waitForFinished(10'000));
        QCOMPARE(attached().state, RunState::Finished);
        QCOMPARE(attached().worldSize, 2);
        QVERIFY(attached().attached);
        QVERIFY(w->ctl({"attach", folder()}).err.contains("have ended"));
        QVERIFY(w->ctl({"observe-env", folder()}).err.contains("is a run already"));
    }
    void attachEndsWithoutTheRanks_data() {
        QTest::addColumn<int>("signal");
        QTest::newRow("Ctrl-C") << SIGINT;
        QTest::newRow("killed") << SIGKILL;
    }
    void attachEndsWithoutTheRanks() {
        QFETCH(int, signal);
        w->setTarget("steps=600 ms=10");
        auto elsewhere = startElsewhere(2);
        auto first = start({"attach", folder()});
        QTRY_VERIFY_WITH_TIMEOUT(attached().state == RunState::Running, 10'000);
        ::kill(pid_t(first->processId()), signal);
        QVERIFY(first->waitForFinished(10'000));
        QVERIFY(w->anyRankLives(attached()));
        QCOMPARE(w->ctl({"show", folder()}).exitCode, 0);
        QTest::qWait(2500);
        QVERIFY(w->anyRankLives(attached()));
        const auto o = w->ctl({"attach", folder()}); // the same run continues
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QVERIFY(elsewhere->waitForFinished(10'000));
        QCOMPARE(elsewhere->exitCode(), 0);
        auto reader = store::RunReader::open(folder().toStdString() + "/run.sqlite");
        QVERIFY(reader);
        const auto ranks = reader->ranks();
        QVERIFY(ranks && !ranks->empty());
        for (const auto& rank : *ranks)
            QCOMPARE(rank.lastStep, std::int64_t(599));
        const auto unwatched = reader->unwatched();
        QVERIFY(unwatched && unwatched->size() == 1);
        QVERIFY2(unwatched->front().lengthNs() > 2'400'000'000 && unwatched->front().lengthNs() < 5'000'000'000,
                 qPrintable(QString::number(unwatched->front().lengthNs())));
        const QString said = w->ctl({"diagnose", folder()}).out;
        QVERIFY2(said.contains(QLatin1String("it had no supervisor for ")), qPrintable(said));
    }
    void stopOfAttachedRanks() {
        w->setTarget("steps=100000 ms=10");
        auto elsewhere = startElsewhere(2);
        auto watcher = start({"attach", folder()});
        QTRY_VERIFY_WITH_TIMEOUT(attached().state == RunState::Running, 10'000);
        QCOMPARE(w->ctl({"stop", folder()}).exitCode, 0);
        QCOMPARE(exitCode(*watcher), int(launch::kStopped));
        QVERIFY(elsewhere->waitForFinished(10'000));
        QVERIFY(!w->anyRankLives(attached()));
    }
    void collectNeedsNoRecipe() {
        w->setTarget("steps=10 ms=2");
        auto elsewhere = startElsewhere(2);
        QVERIFY(elsewhere->waitForFinished(20'000));
        QVERIFY(w->ctl({"attach", folder()}).err.contains("rankscopectl collect"));
        const auto o = w->ctl({"collect", folder(), "--runs", w->runsDir()});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QCOMPARE(w->info().state, RunState::Finished);
    }
};

RANKSCOPE_CORE_TEST(TestWatch)
#include "tst_watch.moc"
