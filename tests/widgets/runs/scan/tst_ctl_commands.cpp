// SPDX-License-Identifier: GPL-3.0-or-later
// rankscopectl as a child process: its end is reported exactly once, whatever happens. The program is a script of the
// test.
#include "tests/support/test_runner.h"
#include "widgets/runs/commands/ctl_commands.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <optional>

using namespace rankscope::ui;

class Commands : public QObject {
    Q_OBJECT

private slots:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }
    void cleanup() { qunsetenv("RANKSCOPECTL"); }

    void passesArgumentsWithoutAShell() {
        script("printf '%s|' \"$@\"; printf '%s' \"$PWD\"");
        const auto reply =
            run({QStringLiteral("stop"), QStringLiteral("a b; $(id)"), QStringLiteral("*")}, m_dir->path());
        QCOMPARE(reply.exitCode, 0);
        QCOMPARE(QString::fromUtf8(reply.output), QStringLiteral("stop|a b; $(id)|*|") + m_dir->path());
        QVERIFY(reply.error.isEmpty());
    }

    void errorIsItsStandardErrorWithoutItsName() {
        script("echo 'rankscopectl: model.yaml:3:5: unknown key' >&2; exit 2");
        const auto reply = run({QStringLiteral("launch")});
        QCOMPARE(reply.exitCode, 2);
        QCOMPARE(reply.error, QStringLiteral("model.yaml:3:5: unknown key"));
    }

    void silentFailureStillHasWords() {
        script("exit 3");
        QVERIFY(run({}).error.contains(QLatin1Char('3')));
    }

    void killedIsAnError() {
        script("kill -9 $$");
        const auto reply = run({});
        QVERIFY(!reply.error.isEmpty());
        QCOMPARE(reply.exitCode, -1);
    }

    void missingProgramIsNamed() {
        qputenv("RANKSCOPECTL", "/nowhere/rankscopectl");
        const auto reply = run({});
        QVERIFY(!reply.started);
        QVERIFY(reply.error.contains(QStringLiteral("/nowhere/rankscopectl")));
    }

    void unrunnableProgramAnswersOnce() {
        QFile file(m_dir->filePath(QStringLiteral("broken")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/nowhere/interpreter\n");
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        file.close();
        qputenv("RANKSCOPECTL", file.fileName().toLocal8Bit());
        int answers = 0;
        CtlCommands commands;
        commands.run({}, {}, [&](const CommandReply& reply) {
            ++answers;
            QVERIFY(!reply.started);
        });
        QTRY_COMPARE(answers, 1);
        QTest::qWait(50);
        QCOMPARE(answers, 1);
    }

    void stopSaysWhenItFails() {
        script("echo \"$@\" > \"$(dirname \"$0\")/arguments\"; echo 'rankscopectl: no such run' >&2; exit 2");
        CtlCommands commands;
        QSignalSpy said(&commands, &CtlCommands::message), failed(&commands, &CtlCommands::stopRefused);
        commands.stop(QStringLiteral("/runs/x-1"), true);
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(said.count(), 1);
        QCOMPARE(failed.front().front().toString(), QStringLiteral("/runs/x-1"));
        QVERIFY(failed.front().back().toString().contains(QStringLiteral("no such run")));
        QFile arguments(m_dir->filePath(QStringLiteral("arguments")));
        QVERIFY(arguments.open(QIODevice::ReadOnly));
        QCOMPARE(arguments.readAll().trimmed(), QByteArray("stop /runs/x-1 --no-wait --now"));
    }

private:
    void script(const QByteArray& body) {
        QFile file(m_dir->filePath(QStringLiteral("rankscopectl")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\n" + body + "\n");
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        file.close();
        qputenv("RANKSCOPECTL", file.fileName().toLocal8Bit());
    }
    CommandReply run(const QStringList& arguments, const QString& dir = {}) {
        CtlCommands commands;
        std::optional<CommandReply> got;
        commands.run(arguments, dir, [&](const CommandReply& reply) { got = reply; });
        (void)QTest::qWaitFor([&] { return got.has_value(); }, 5000);
        return got.value_or(CommandReply{});
    }

    std::unique_ptr<QTemporaryDir> m_dir;
};

RANKSCOPE_GUI_TEST(Commands)
#include "tst_ctl_commands.moc"
