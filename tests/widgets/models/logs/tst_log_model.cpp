// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "widgets/models/logs/log_feed.h"
#include "widgets/models/logs/log_file.h"
#include "widgets/models/logs/log_line.h"
#include "widgets/models/logs/log_model.h"

#include <QAbstractItemModelTester>
#include <QDateTime>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;
using telemetry::NoteSeverity;

static void write(const QString& path, const QByteArray& text, bool append = false) {
    QFile file(path);
    QVERIFY(file.open(append ? QIODevice::Append : QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(text);
}

static QByteArray numbered(int from, int to) {
    QByteArray text;
    for (int i = from; i < to; ++i)
        text += "line " + QByteArray::number(i) + '\n';
    return text;
}

static QStringList texts(const std::vector<RawLine>& lines) {
    QStringList list;
    for (const auto& line : lines)
        list << QString::fromStdString(line.text);
    return list;
}

class TestLogModel : public QObject {
    Q_OBJECT
private slots:
    void readsOnlyWholeNewLines();
    void startsAtTheTailAndGoesBack();
    void shrunkFileStartsOver();
    void endlessLine();
    void progressBars();
    void parsesTimesAndLevels();
    void linesWithoutTimeFollowTheirPredecessor();
    void garbageIsHarmless();
    void mergeKeepsOrderWithinAFile();
    void modelIsBounded();
    void feedMergesFiltersAndFollows();
    void feedHasTheCommandsOutput();
    void feedLoadsOlder();

private:
    QTemporaryDir m_dir;
    QString path(const char* name) const { return m_dir.filePath(QString::fromLatin1(name)); }
};

void TestLogModel::readsOnlyWholeNewLines() {
    const QString file = path("a.txt");
    LogFile log(file.toStdString());
    QVERIFY(log.readNew(1000, 1000).empty()); // not there yet
    write(file, "one\ntwo\nthr");
    QCOMPARE(texts(log.readNew(1000, 1000)), (QStringList{"one", "two"}));
    write(file, "ee\r\n", true);
    QCOMPARE(texts(log.readNew(1000, 1000)), QStringList{"three"});
    QVERIFY(log.readNew(1000, 1000).empty());
    QVERIFY(!log.hasOlder());
}

void TestLogModel::startsAtTheTailAndGoesBack() {
    const QString file = path("b.txt");
    write(file, numbered(0, 2000));
    LogFile log(file.toStdString());
    QStringList all = texts(log.readNew(100, 100));
    QVERIFY(!all.isEmpty() && all.size() < 12);
    QCOMPARE(all.last(), QStringLiteral("line 1999"));
    QVERIFY(log.hasOlder());
    while (log.hasOlder()) {
        const auto older = texts(log.readOlder(333));
        QVERIFY(!older.isEmpty());
        QVERIFY(older.size() < 60);
        all = older + all;
    }
    QCOMPARE(all.size(), 2000);
    for (int i = 0; i < 2000; ++i)
        QCOMPARE(all[i], QStringLiteral("line %1").arg(i));
}

void TestLogModel::shrunkFileStartsOver() {
    const QString file = path("c.txt");
    write(file, numbered(0, 100));
    LogFile log(file.toStdString());
    QCOMPARE(log.readNew(10000, 10000).size(), std::size_t{100});
    write(file, "new\n");
    QCOMPARE(texts(log.readNew(10000, 10000)), QStringList{"new"});
}

void TestLogModel::endlessLine() {
    const QString file = path("d.txt");
    write(file, "start\n" + QByteArray(100'000, 'x'));
    LogFile log(file.toStdString());
    std::size_t longest = 0, lines = 0;
    for (int i = 0; i < 10; ++i)
        for (const auto& line : log.readNew(20'000, 200'000)) {
            longest = std::max(longest, line.text.size());
            ++lines;
        }
    QVERIFY(lines >= 2);
    QVERIFY(longest <= LogFile::kMaxLineBytes);
}

void TestLogModel::progressBars() {
    const QString file = path("e.txt");
    write(file, " 10%\r 50%\r100%\n");
    LogFile log(file.toStdString());
    QCOMPARE(texts(log.readNew(1000, 1000)), QStringList{"100%"});
}

void TestLogModel::parsesTimesAndLevels() {
    const qint64 day = QDateTime(QDate(2025, 1, 31), QTime(12, 0)).toMSecsSinceEpoch();
    const auto parse = [&](const char* text) { return parseLogLine({0, text}, 2, nullptr, day); };
    const auto full = parse("2025-01-31 12:04:31.250 WARNING: slow disk");
    QCOMPARE(full.timeMs, QDateTime(QDate(2025, 1, 31), QTime(12, 4, 31, 250)).toMSecsSinceEpoch());
    QCOMPARE(full.level, NoteSeverity::Warning);
    QCOMPARE(full.text, QStringLiteral("slow disk"));
    QCOMPARE(full.rank, 2);
    const auto utc = parse("[2025-01-31T12:04:31Z] [error] no space");
    QCOMPARE(utc.timeMs, QDateTime(QDate(2025, 1, 31), QTime(12, 4, 31), Qt::UTC).toMSecsSinceEpoch());
    QCOMPARE(utc.level, NoteSeverity::Error);
    QCOMPARE(utc.text, QStringLiteral("no space"));
    QCOMPARE(parse("12:04:31 step 5").timeMs, QDateTime(QDate(2025, 1, 31), QTime(12, 4, 31)).toMSecsSinceEpoch());
    QCOMPARE(parse("01:00:00 after midnight").timeMs, QDateTime(QDate(2025, 2, 1), QTime(1, 0)).toMSecsSinceEpoch());
    const auto ours = parse("2025-01-31 12:04:31.250 warning rank 2: step 7: loss nan"); // as the trainer writes it
    QCOMPARE(ours.level, NoteSeverity::Warning);
    QCOMPARE(ours.text, QStringLiteral("step 7: loss nan"));
    QCOMPARE(parse("12:04:31 info rank 1: not ours").text, QStringLiteral("rank 1: not ours"));
    const auto plain = parse("information about errors");
    QCOMPARE(plain.level, NoteSeverity::Info);
    QCOMPARE(plain.text, QStringLiteral("information about errors"));
    QCOMPARE(plain.timeMs, day);
    QVERIFY(!plain.ownTime);
}

void TestLogModel::linesWithoutTimeFollowTheirPredecessor() {
    const auto first = parseLogLine({0, "12:00:01 error: it failed"}, 0, nullptr, 0);
    const auto second = parseLogLine({9, "    in layer 7"}, 0, &first, 0);
    QCOMPARE(second.timeMs, first.timeMs);
    QCOMPARE(second.level, NoteSeverity::Error);
}

void TestLogModel::garbageIsHarmless() {
    for (const char* text : {"", "[", "::", "99:99:99", "2025-13-45 10:00:00", "12:00", "[12:00:00", "\xff\xfe\x80"})
        parseLogLine({0, text}, 0, nullptr, 0);
    const auto colour = parseLogLine({0, "\x1b[31mred\x1b[0m\tx"}, 0, nullptr, 0);
    QCOMPARE(colour.text, QStringLiteral("red    x"));
    QCOMPARE(parseLogLine({0, "99:99:99 x"}, 0, nullptr, 0).text, QStringLiteral("99:99:99 x"));
    QVERIFY(!parseLogLine({0, "p025-01-31 12:04:31 x"}, 0, nullptr, 0).ownTime); // no year
}

void TestLogModel::mergeKeepsOrderWithinAFile() {
    const auto line = [](int rank, qint64 time, const char* text) {
        LogLine l;
        l.rank = rank;
        l.timeMs = time;
        l.text = QString::fromLatin1(text);
        return l;
    };
    // rank 1's clock goes back once: the order of its lines stays
    const LogLines a{line(0, 10, "a1"), line(0, 20, "a2"), line(0, 40, "a3")};
    const LogLines b{line(1, 15, "b1"), line(1, 5, "b2"), line(1, 30, "b3")};
    QStringList order;
    for (const auto& l : mergeByTime({a, b}))
        order << l.text;
    QCOMPARE(order, (QStringList{"a1", "b1", "b2", "a2", "b3", "a3"}));
}

void TestLogModel::modelIsBounded() {
    LogModel model(100);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto lines = [](int from, int n) {
        LogLines list;
        for (int i = 0; i < n; ++i) {
            LogLine l;
            l.offset = from + i;
            l.text = QString::number(from + i);
            list.append(l);
        }
        return list;
    };
    QCOMPARE(model.append(lines(0, 60)), 0);
    QCOMPARE(model.append(lines(60, 60)), 20);
    QCOMPARE(model.rowCount(), 100);
    QCOMPARE(model.index(0, LogModel::TextColumn).data().toString(), QStringLiteral("20"));
    QCOMPARE(model.index(99, LogModel::TextColumn).data().toString(), QStringLiteral("119"));
    model.append(lines(200, 500));
    QCOMPARE(model.rowCount(), 100);
    QCOMPARE(model.index(99, LogModel::TextColumn).data().toString(), QStringLiteral("699"));
    model.replace(lines(5, 3));
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.find(model.line(2)), 2);
}

void TestLogModel::feedMergesFiltersAndFollows() {
    LogRun run;
    run.paths.dir = m_dir.filePath(QStringLiteral("run1")).toStdString();
    run.worldSize = 2;
    for (int r = 0; r < 2; ++r)
        std::filesystem::create_directories(run.paths.rank(r));
    const auto log = [&](int r) { return QString::fromStdString(run.paths.log(r).string()); };
    write(log(0), "12:00:01 first\n12:00:03 warning: third\n");
    write(log(1), "12:00:02 second\n");
    LogFeed feed;
    QSignalSpy replaced(&feed, &LogFeed::replaced), appended(&feed, &LogFeed::appended);
    run.startRealtimeNs = QDateTime(QDate::currentDate(), QTime(11, 59)).toMSecsSinceEpoch() * 1'000'000;
    feed.open(run);
    QCOMPARE(replaced.size(), 1);
    const auto linesOf = [](const QSignalSpy& spy) {
        QStringList list;
        for (const auto& l : *spy.last().first().value<LogLinesPtr>())
            list << l.text;
        return list;
    };
    QCOMPARE(linesOf(replaced), (QStringList{"first", "second", "third"}));
    write(log(1), "12:00:04 fourth\n", true);
    QVERIFY(appended.wait(5000));
    QCOMPARE(linesOf(appended), QStringList{"fourth"});
    LogFilter filter;
    filter.text = QRegularExpression(QStringLiteral("^f"));
    feed.setFilter(filter);
    QCOMPARE(linesOf(replaced), (QStringList{"first", "fourth"}));
    filter = {};
    filter.least = NoteSeverity::Warning;
    feed.setFilter(filter);
    QCOMPARE(linesOf(replaced), QStringList{"third"});
    filter = {};
    filter.rank = 1;
    feed.setFilter(filter);
    QCOMPARE(linesOf(replaced), (QStringList{"second", "fourth"}));
    feed.setFilter({});
    store::Note note;
    note.id = 1;
    note.timeNs = 61'500'000'000; // 12:00:01.5
    note.text = "note";
    feed.addNotes(std::make_shared<const std::vector<store::Note>>(1, note));
    feed.addNotes(std::make_shared<const std::vector<store::Note>>(1, note)); // added twice, listed once
    // far before the newest line: merged into its place
    QCOMPARE(linesOf(replaced), (QStringList{"first", "note", "second", "third", "fourth"}));
}

void TestLogModel::feedHasTheCommandsOutput() {
    LogRun run;
    run.paths.dir = m_dir.filePath(QStringLiteral("watched")).toStdString();
    run.startRealtimeNs = QDateTime(QDate::currentDate(), QTime(11, 59)).toMSecsSinceEpoch() * 1'000'000;
    run.worldSize = 1;
    run.watched = true;
    std::filesystem::create_directories(run.paths.rank(0));
    write(QString::fromStdString(run.paths.commandLog().string()), "12:00:01 epoch 1\n");
    write(QString::fromStdString(run.paths.log(0).string()), "12:00:02 of the rank\n");
    LogFeed feed;
    QSignalSpy replaced(&feed, &LogFeed::replaced);
    feed.open(run);
    const auto shown = [&] { return *replaced.last().first().value<LogLinesPtr>(); };
    QCOMPARE(shown().size(), 2);
    QCOMPARE(shown()[0].rank, kCommandLog);
    QCOMPARE(shown()[0].source, LogLine::LogOrigin::Command);
    QCOMPARE(shown()[1].rank, 0);
    LogModel model(100);
    model.replace(shown());
    QCOMPARE(model.index(0, LogModel::RankColumn).data().toString(), QStringLiteral("command"));
    LogFilter filter;
    filter.rank = kCommandLog;
    feed.setFilter(filter);
    QCOMPARE(shown().size(), 1);
    QCOMPARE(shown()[0].text, QStringLiteral("epoch 1"));
    // the place of a line is found in its own file
    const auto sources = logSources(run.paths, run.worldSize);
    for (const int rank : {-1, kCommandLog, 0})
        QCOMPARE(sources[static_cast<std::size_t>(sourceOf(rank))].rank, rank);
}

void TestLogModel::feedLoadsOlder() {
    LogRun run;
    run.paths.dir = m_dir.filePath(QStringLiteral("run2")).toStdString();
    run.worldSize = 1;
    std::filesystem::create_directories(run.paths.rank(0));
    QByteArray text;
    for (int i = 0; i < 40'000; ++i)
        text += "line " + QByteArray::number(i) + " with some words that make it longer than it would be\n";
    write(QString::fromStdString(run.paths.log(0).string()), text);
    LogFeed feed;
    QSignalSpy replaced(&feed, &LogFeed::replaced);
    feed.open(run);
    const auto count = [&] { return replaced.last().first().value<LogLinesPtr>()->size(); };
    const auto older = [&] { return replaced.last().at(1).toBool(); };
    const qsizetype first = count();
    QVERIFY(first > 0 && first < 40'000);
    QVERIFY(older());
    for (int i = 0; i < 100 && older(); ++i)
        feed.loadOlder();
    QCOMPARE(count(), qsizetype{40'000});
    const auto lines = replaced.last().first().value<LogLinesPtr>();
    for (int i = 0; i < 40'000; i += 997)
        QVERIFY(lines->at(i).text.startsWith(QStringLiteral("line %1 ").arg(i)));
}

RANKSCOPE_CORE_TEST(TestLogModel)
#include "tst_log_model.moc"
