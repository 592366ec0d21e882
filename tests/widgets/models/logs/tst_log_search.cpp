// SPDX-License-Identifier: GPL-3.0-or-later
// Searches complete logs: filters compared with a check of every line, arbitrary parts, stepping, saving.
#include "tests/support/test_runner.h"
#include "widgets/models/logs/log_feed.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <random>

using namespace rankscope;
using namespace rankscope::ui;
using telemetry::NoteSeverity;

class TestLogSearch : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;
    LogRun m_run;
    std::vector<LogSource> m_sources;
    qint64 m_beginMs = 0;
    static constexpr int kLines = 60'000; ///< of each rank

    /// Returns the time of a rank's line: lines are 10 ms apart, ranks 3 ms.
    qint64 timeOf(int rank, int i) const { return m_beginMs + 1000 + 10LL * i + 3 * rank; }

    void writeLogs() {
        for (int rank = 0; rank < 3; ++rank) {
            std::ofstream out(m_run.paths.log(rank));
            for (int i = 0; i < kLines; ++i) {
                const std::string time = QDateTime::fromMSecsSinceEpoch(timeOf(rank, i))
                                             .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz"))
                                             .toStdString();
                const char* level = i % 5000 == 77 ? "error" : i % 1000 == 9 ? "warning" : "info";
                out << time << ' ' << level << " rank " << rank << ": step " << i << ": loss " << i % 13 << ".5 "
                    << std::string(static_cast<std::size_t>(i % 40), 'x') << '\n';
                if (i % 5000 == 77)
                    out << "    in layer " << i << "\n";
                if (i % 7000 == 500)
                    out << "a line without time, Needle " << i << "\n";
            }
        }
    }

    LogLines everyLine() const {
        std::vector<LogLines> lists;
        for (const LogSource& source : m_sources) {
            LogFile file(source.path);
            LogLines lines;
            LogLine last;
            for (const RawLine& raw : file.readNew(1u << 30, 1u << 30)) {
                lines.append(parseLogLine(raw, source.rank, lines.isEmpty() ? nullptr : &last, m_beginMs));
                last = lines.back();
            }
            lists.push_back(std::move(lines));
        }
        return mergeByTime(std::move(lists));
    }

    static LogFilter filterOf(const char* pattern, NoteSeverity least = NoteSeverity::Debug, int rank = -2) {
        LogFilter filter;
        filter.text = QRegularExpression(QLatin1String(pattern), QRegularExpression::CaseInsensitiveOption);
        filter.least = least;
        filter.rank = rank;
        return filter;
    }

private slots:
    void initTestCase() {
        m_run.paths.dir = m_dir.filePath(QStringLiteral("run")).toStdString();
        m_run.worldSize = 3;
        for (int r = 0; r < 3; ++r)
            std::filesystem::create_directories(m_run.paths.rank(r));
        m_beginMs = QDateTime(QDate(2025, 1, 31), QTime(9, 0)).toMSecsSinceEpoch();
        m_run.startRealtimeNs = m_beginMs * 1'000'000;
        writeLogs();
        m_sources.push_back({m_run.paths.dir / "supervisor.log", -1});
        for (int r = 0; r < 3; ++r)
            m_sources.push_back({m_run.paths.log(r), r});
    }

    /// Escape sequences, tabs and text that a progress bar overwrote hide no word from the search.
    void whatIsNotShownHidesNothing() {
        const std::filesystem::path path = m_dir.filePath(QStringLiteral("odd.txt")).toStdString();
        std::ofstream(path) << "load\x1b[31mer\x1b[0m is slow\na\tb\n50%\rla\x01st\n\xe2\x84\xaa"
                               "ernel\n";
        for (const char* pattern : {"loader", "a    b", "last", "kernel"}) {
            LogScanState state;
            const auto found = scanLogs({{path, 0}}, filterOf(pattern), m_beginMs, state);
            QVERIFY2(found.count == 1, pattern);
        }
    }

    void findsWhatALookAtEveryLineFinds_data() {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<int>("least");
        QTest::addColumn<int>("rank");
        const auto row = [](const char* pattern, NoteSeverity least = NoteSeverity::Debug, int rank = -2) {
            QTest::newRow(qPrintable(QString("%1 %2 %3").arg(pattern).arg(int(least)).arg(rank)))
                << QByteArray(pattern) << static_cast<int>(least) << rank;
        };
        row("needle");
        row("NEEDLE 14500");
        row("step 31999:");
        row("step\\ 5");
        row("^step \\d+9: loss 12");
        row("loss 3\\.5 x{5}$");
        row("nowhere");
        row("needlee? 14500");
        row("need(les)*le? 14");
        row("step 3199{2}:");
        row("(loss 7|Needle 21)");
        row("ste[^a]+ 4447[78]: LOSS");
        row("\\x73tep 77:");
        row("\\bneedle\\b");
        row("[]x]needle?");
        row("time, needl.? 500$");
        row("", NoteSeverity::Warning);
        row("", NoteSeverity::Error);
        row("layer", NoteSeverity::Error);
        row("in layer 5077", NoteSeverity::Warning);
        row("needle", NoteSeverity::Info);
        row("loss 1", NoteSeverity::Warning, 1);
        row("[xy]+", NoteSeverity::Debug, 2);
    }
    void findsWhatALookAtEveryLineFinds() {
        QFETCH(const QByteArray, pattern);
        QFETCH(const int, least);
        QFETCH(const int, rank);
        const LogFilter filter = filterOf(pattern.constData(), static_cast<NoteSeverity>(least), rank);
        LogScanState state;
        const LogScanResult result = scanLogs(m_sources, filter, m_beginMs, state);
        QVERIFY(result.whole && !result.tooMany);
        QCOMPARE(result.bytes, result.total);
        std::vector<std::tuple<qint64, int, qint64>> expected, found;
        for (const LogLine& line : everyLine())
            if (filter.accepts(line))
                expected.emplace_back(line.timeMs, line.rank + 1, line.offset);
        for (const LogMatch& match : result.matches)
            found.emplace_back(match.timeMs, match.file, match.offset);
        std::sort(expected.begin(), expected.end());
        QVERIFY(std::is_sorted(result.matches.begin(), result.matches.end()));
        std::sort(found.begin(), found.end());
        QCOMPARE(found.size(), expected.size());
        QVERIFY(found == expected);
        QCOMPARE(result.count, static_cast<std::int64_t>(expected.size()));
    }

    /// A line with catastrophic backtracking is skipped and counted.
    void aCatastrophicPatternEnds() {
        {
            std::ofstream out(m_dir.filePath(QStringLiteral("bad.txt")).toStdString());
            for (int i = 0; i < 200; ++i)
                out << std::string(200, 'a') << "!\n";
            out << "aaaa\n";
        }
        const std::vector<LogSource> sources{{m_dir.filePath(QStringLiteral("bad.txt")).toStdString(), 0}};
        LogScanState state;
        const LogScanResult result = scanLogs(sources, filterOf("^(a+)+$"), m_beginMs, state);
        QVERIFY(result.whole);
        QCOMPARE(result.givenUp, std::int64_t{200});
        QCOMPARE(result.count, std::int64_t{1});
    }

    void cancelledAtOnce() {
        LogScanState state;
        state.cancelled = true;
        const LogScanResult result = scanLogs(m_sources, filterOf("step"), m_beginMs, state);
        QVERIFY(!result.whole && result.matches.empty() && result.bytes == 0);
    }

    /// Each part is a gapless piece of the merged logs.
    void partsArePiecesOfTheWhole() {
        const LogLines all = everyLine();
        std::map<std::pair<int, qint64>, qsizetype> row;
        for (qsizetype i = 0; i < all.size(); ++i)
            row[{all[i].rank, all[i].offset}] = i;
        std::mt19937 random(5);
        for (int round = 0; round < 40; ++round) {
            LogPlace place;
            qsizetype wanted = -1;
            if (round % 3 == 0) {
                place.fraction = static_cast<double>(random() % 1001) / 1000;
            } else if (round % 3 == 1) {
                wanted = static_cast<qsizetype>(random() % static_cast<unsigned>(all.size()));
                place.line = LogMatch{all[wanted].timeMs, all[wanted].offset, all[wanted].rank + 1};
            } else {
                place.timeMs = m_beginMs + static_cast<qint64>(random() % 700'000);
            }
            const LogPart part = partAround(m_sources, {}, place, m_beginMs);
            QVERIFY(part.lines.size() > 1000);
            const qsizetype first = row.at({part.lines[0].rank, part.lines[0].offset});
            for (qsizetype i = 0; i < part.lines.size(); ++i) {
                QCOMPARE(part.lines[i].offset, all[first + i].offset);
                QCOMPARE(part.lines[i].rank, all[first + i].rank);
                QCOMPARE(part.lines[i].text, all[first + i].text);
            }
            QCOMPARE(part.older, first > 0);
            QCOMPARE(part.newer, first + part.lines.size() < all.size());
            if (wanted >= 0)
                QCOMPARE(first + part.focus, wanted);
            if (place.timeMs && part.newer && part.older)
                QVERIFY(part.lines[part.focus].timeMs >= *place.timeMs &&
                        part.lines[part.focus - 1].timeMs < *place.timeMs);
            if (place.fraction && *place.fraction > 0.1 && *place.fraction < 0.9)
                QVERIFY(std::abs((part.from + part.to) / 2 - *place.fraction) < 0.1);
        }
    }

    void logsWithoutTimesHaveParts() {
        const std::string file = m_dir.filePath(QStringLiteral("plain.txt")).toStdString();
        {
            std::ofstream out(file);
            for (int i = 0; i < 200'000; ++i)
                out << "line " << i << " of a program that tells no time\n";
        }
        LogPlace place;
        place.fraction = 0.5;
        const LogPart part = partAround({{file, 0}}, {}, place, m_beginMs);
        QVERIFY(part.older && part.newer && part.lines.size() > 1000);
        const int number = part.lines[part.lines.size() / 2].text.section(u' ', 1, 1).toInt();
        QVERIFY2(number > 80'000 && number < 120'000, qPrintable(QString::number(number)));
        place = {};
        place.fraction = 1;
        QVERIFY(
            partAround({{file, 0}}, {}, place, m_beginMs).lines.back().text.startsWith(QStringLiteral("line 199999 ")));
    }

    /// The feed finds, steps through and saves more lines than it holds, and keeps up with new ones.
    void theFeedFindsBeyondWhatItHolds() {
        LogFeed feed;
        QSignalSpy placed(&feed, &LogFeed::placed), searched(&feed, &LogFeed::searched),
            appended(&feed, &LogFeed::appended), message(&feed, &LogFeed::message);
        feed.open(m_run);
        feed.setFilter(filterOf("needle"));
        const auto state = [&] { return searched.last().first().value<LogSearch>(); };
        QVERIFY(QTest::qWaitFor([&] { return !searched.isEmpty() && state().whole; }, 20'000));
        QCOMPARE(state().matches, qint64{27});
        QVERIFY(QTest::qWaitFor([&] { return !placed.isEmpty(); }, 5000));
        const auto part = [&] { return placed.last().first().value<LogPartPtr>(); };
        QCOMPARE(part()->lines.size(), qsizetype{27});
        QVERIFY(!part()->older && !part()->newer);
        QVERIFY(part()->lines.front().text.contains(QStringLiteral("Needle 500")));

        const QString file = m_dir.filePath(QStringLiteral("saved.txt"));
        feed.save(file);
        QVERIFY(message.last().first().toString().contains(file));
        QFile saved(file);
        QVERIFY(saved.open(QIODevice::ReadOnly));
        const QByteArray text = saved.readAll();
        QCOMPARE(text.count('\n'), 27);
        QVERIFY(text.contains("rank 2: a line without time, Needle 56500"));
        message.clear();
        feed.save(QStringLiteral("/nowhere/at/all.txt"));
        QVERIFY(message.last().first().toString().contains(QStringLiteral("/nowhere/at/all.txt")));

        {
            std::ofstream out(m_run.paths.log(1), std::ios::app);
            out << QDateTime::fromMSecsSinceEpoch(timeOf(1, kLines)).toString("yyyy-MM-dd HH:mm:ss.zzz").toStdString()
                << " info rank 1: the last needle\n";
        }
        QVERIFY(appended.wait(5000));
        QCOMPARE(appended.last().first().value<LogLinesPtr>()->size(), qsizetype{1});
        QCOMPARE(state().matches, qint64{28});

        // all lines again, stepping from match to match
        bool searching = false; // known when the lines arrive: the last search's count is not theirs
        connect(&feed, &LogFeed::replaced, this, [&] { searching = state().running; });
        feed.setFilter(filterOf("needle"), false);
        QVERIFY(searching);
        QVERIFY(QTest::qWaitFor([&] { return state().whole; }, 20'000));
        QCOMPARE(state().matches, qint64{28});
        LogLine from;
        from.timeMs = 0;
        feed.toMatch(from, true);
        QVERIFY(part()->lines.size() > 1000);
        QVERIFY(part()->lines[part()->focus].text.contains(QStringLiteral("Needle 500")));
        for (int i = 1; i < 28; ++i) {
            feed.toMatch(part()->lines[part()->focus], true);
            QVERIFY(part()->lines[part()->focus].text.contains(QStringLiteral("needle"), Qt::CaseInsensitive));
        }
        QCOMPARE(part()->lines[part()->focus].text, QStringLiteral("the last needle"));
        message.clear();
        feed.toMatch(part()->lines[part()->focus], true);
        QCOMPARE(message.size(), 1);
        feed.toMatch(part()->lines[part()->focus], false);
        QVERIFY(part()->lines[part()->focus].text.contains(QStringLiteral("Needle 56500")));
        QVERIFY(part()->jump);
        LogPlace place;
        place.timeMs = timeOf(0, 30'000);
        feed.around(place);
        QVERIFY(!part()->jump);
        QVERIFY(part()->lines[part()->focus].text.startsWith(QStringLiteral("step 30000:")));
    }

    void closedWhileItLooks() {
        for (int i = 0; i < 20; ++i) {
            LogFeed feed;
            feed.open(m_run);
            feed.setFilter(filterOf("(x+)+y"));
            if (i % 2)
                feed.setFilter(filterOf("other"));
            if (i % 3)
                feed.close();
        }
    }
};

RANKSCOPE_CORE_TEST(TestLogSearch)
#include "tst_log_search.moc"
