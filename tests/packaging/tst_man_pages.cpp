// SPDX-License-Identifier: Apache-2.0
// The manual and --help name the same commands and options, and manuals are well-formed.
#include "tests/packaging/ran.h"
#include "tests/support/test_runner.h"

#include <QFile>
#include <QIODevice>
#include <QLatin1Char>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include <algorithm>

using namespace rankscope::test;

namespace {

/// Returns the options in the first column of a program's --help: "  -h,--help  …", "  --runs <DIR>  …".
QSet<QString> optionsOfHelp(const QString& help) {
    static const QRegularExpression column(QStringLiteral("^ {2,3}(-.*?)(?: {2,}|$)"),
                                           QRegularExpression::MultilineOption);
    static const QRegularExpression option(QStringLiteral("(?<![\\w-])--?[a-z][a-z-]*"));
    QSet<QString> all;
    for (auto line = column.globalMatch(help); line.hasNext();) {
        const QString words = line.next().captured(1);
        for (auto word = option.globalMatch(words); word.hasNext();)
            all.insert(word.next().captured());
    }
    return all;
}

QStringList commandsOfHelp(const QString& help) {
    static const QRegularExpression command(QStringLiteral("^  ([a-z][a-z-]*) "), QRegularExpression::MultilineOption);
    QStringList all;
    const qsizetype begin = help.indexOf(QLatin1String("Subcommands:"));
    for (auto one = command.globalMatch(help, std::max<qsizetype>(begin, 0)); begin >= 0 && one.hasNext();)
        all << one.next().captured(1);
    return all;
}

/// Returns the options that a part of a page explains: the "Fl" words of its .It lines.
QSet<QString> optionsOfPage(const QString& part) {
    static const QRegularExpression item(QStringLiteral("^\\.It (.*)$"), QRegularExpression::MultilineOption);
    static const QRegularExpression flag(QStringLiteral("(?:^| )Fl (Fl )?([a-z][a-z-]*)"));
    QSet<QString> all;
    for (auto line = item.globalMatch(part); line.hasNext();) {
        const QString words = line.next().captured(1);
        for (auto one = flag.globalMatch(words); one.hasNext();) {
            const auto match = one.next();
            all.insert((match.captured(1).isEmpty() ? QStringLiteral("-") : QStringLiteral("--")) + match.captured(2));
        }
    }
    return all;
}

QByteArray listed(QSet<QString> options) {
    QStringList all(options.begin(), options.end());
    all.sort();
    return all.join(QLatin1Char(' ')).toUtf8();
}

} // namespace

class TestManPages : public QObject {
    Q_OBJECT

    static QString page(const QString& program) {
        QFile file(QStringLiteral(RANKSCOPE_SOURCE_DIR "/packaging/man/%1.1").arg(program));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

private Q_SLOTS:
    void theComparisonSeesDifferences() {
        QCOMPARE(optionsOfHelp("Options:\n  -h,--help     Show --nothing\n  --a-b <X>  Y\n      --deep  no\n"),
                 (QSet<QString>{"-h", "--help", "--a-b"}));
        QCOMPARE(optionsOfPage(".It Fl h , Fl Fl help\ntext Fl Fl x\n.It Fl Fl a-b Ar X\n"),
                 (QSet<QString>{"-h", "--help", "--a-b"}));
    }

    void pageAndHelpNameTheSame_data() {
        QTest::addColumn<QString>("path");
        for (const QString& path : QStringLiteral(RANKSCOPE_PROGRAMS).split(QLatin1Char('|')))
            QTest::newRow(qPrintable(path.section(QLatin1Char('/'), -1))) << path;
    }
    void pageAndHelpNameTheSame() {
        QFETCH(QString, path);
        const QString program = path.section(QLatin1Char('/'), -1), text = page(program);
        QVERIFY2(!text.isEmpty(), qPrintable(program + " has no manual"));
        const Ran help = ran(path, {"--help"});
        QCOMPARE(help.code, 0);
        const QStringList commands = commandsOfHelp(help.out);
        const QStringList parts = text.split(QStringLiteral("\n.Ss "));
        // the first part lists the program's own options; after the last command come sections that are not its options
        QCOMPARE(listed(optionsOfPage(parts.front())), listed(optionsOfHelp(help.out)));
        QStringList told;
        for (const QString& part : parts.mid(1)) {
            const QString command = part.section(QLatin1Char('\n'), 0, 0);
            told << command;
            const Ran one = ran(path, {command, "--help"});
            QVERIFY2(one.code == 0, qPrintable(command + ": " + one.err));
            auto options = optionsOfHelp(one.out);
            QVERIFY(options.remove("-h") && options.remove("--help")); // described once for all commands
            if (program == QLatin1String("rankscope-trainer")) {       // only training has other ranks
                QVERIFY(one.out.contains(QStringLiteral("Exit codes:")));
                QCOMPARE(one.out.contains(QStringLiteral("MASTER_ADDR")), command == QLatin1String("train"));
            }
            const QString body = part.section(QStringLiteral("\n.Sh "), 0, 0);
            QVERIFY2(optionsOfPage(body) == options,
                     qPrintable(command + ": the manual has " + listed(optionsOfPage(body)) + ", --help has " +
                                listed(options)));
        }
        QStringList wanted = commands;
        wanted.sort();
        told.sort();
        QCOMPARE(told, wanted);
    }

    void pagesAreWellFormed() {
        if (const auto why = missing("mandoc"); !why.isEmpty())
            QSKIP(qPrintable(why));
        for (const char* name : {"rankscope", "rankscopectl", "rankscope-trainer", "rankscope-setup"}) {
            const QString file = QStringLiteral(RANKSCOPE_SOURCE_DIR "/packaging/man/%1.1").arg(QLatin1String(name));
            const Ran lint = ran("mandoc", {"-T", "lint", "-W", "warning", file});
            QVERIFY2(lint.code == 0, qPrintable(lint.out + lint.err));
        }
    }
};

RANKSCOPE_CORE_TEST(TestManPages)
#include "tst_man_pages.moc"
