// SPDX-License-Identifier: GPL-3.0-or-later
// The filter expression: what it accepts, its errors and their positions, and random trees written as text and parsed
// again.
#include "tests/support/test_runner.h"
#include "widgets/runs_page/filter/query_parser.h"

#include <QDateTime>
#include <QTest>

#include <rapidcheck.h>

#include <cmath>

using namespace rankscope;
using namespace rankscope::ui;

static RunRow makeRow(const std::string& name, launch::RunState state, double loss, std::int64_t seconds,
                      const std::string& yaml) {
    static const auto pool = std::make_shared<StringInterner>();
    RunRow row;
    row.paths.dir = "/runs/" + name;
    row.info.id = row.info.name = name;
    row.info.state = state;
    row.info.worldSize = 4;
    row.info.host = "node-7";
    row.info.startRealtimeNs = 1'767'225'600'000'000'000; // 2026-01-01 UTC
    row.info.endRealtimeNs = row.info.startRealtimeNs + seconds * 1'000'000'000;
    row.lastLoss = loss;
    row.lastStep = 9'999;
    RunFigures figures;
    figures.waitedNs = 250'000'000;
    figures.held = {{0, 50'000'000}, {3, 200'000'000}};
    figures.memoryBytes = std::int64_t{2} << 30;
    row.figures = std::make_shared<const RunFigures>(figures);
    auto settings = settingsOf(yaml, "effective.yaml", pool);
    if (!settings)
        qFatal("%s", settings.error().message().c_str());
    row.settings = *settings;
    row.marks.tags = {"baseline", "long run"};
    row.marks.note = "Lower peak";
    return row;
}

static const RunRow& row() {
    static const RunRow one = makeRow("alpha", launch::RunState::Failed, 4.2, 5400,
                                      "model:\n  optim: {lr: 1e-3, name: adamw}\n  encoder: {n_layers: 17}\n"
                                      "trainer: {strategy: ddp, devices: [0, 1]}\nname: alpha\n");
    return one;
}

static std::variant<RunQuery, QueryError> read(const QString& text) {
    static const QSet<QString> settings{QStringLiteral("model.optim.lr"), QStringLiteral("seed")};
    return parseQuery(text, settings);
}

static bool takes(const QString& text, const RunRow& run = row()) {
    const auto query = read(text);
    if (const auto* error = std::get_if<QueryError>(&query))
        qFatal("%s: %s", qPrintable(text), qPrintable(error->text));
    return std::get<RunQuery>(query).takes(run, searchTextOf(run), run.info.endRealtimeNs);
}

class Query : public QObject {
    Q_OBJECT

private slots:
    void takesWhatItSays_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("expected");
        const auto add = [](const char* text, bool expected) {
            QTest::newRow(text) << QString::fromUtf8(text) << expected;
        };
        add("", true);
        add("   ", true);
        add("alpha", true);
        add("ALPHA", true);
        add("beta", false);
        add("alpha beta", false);
        add("alpha or beta", true);
        add("not beta", true);
        add("not alpha", false);
        add("\"lower peak\"", true);
        add("\"peak lower\"", false);
        add("state:failed", true);
        add("state:Failed", true);
        add("state:finished", false);
        add("state!=finished", true);
        add("state:live", false);
        add("loss<5", true);
        add("loss < 5", true);
        add("loss<4.2", false);
        add("loss<=4.2", true);
        add("loss=4.2", true);
        add("loss==4.2", true);
        add("loss!=4.2", false);
        add("loss>5", false);
        add("val<5", false); // the run has no validation
        add("not val<5", true);
        add("val!=5", true);
        add("tag:baseline", true);
        add("tag:BASELINE", true);
        add("tag:base", false); // a tag matches only as a whole
        add("tag:\"long run\"", true);
        add("duration>1h", true);
        add("duration>90min", false);
        add("duration>=90min", true);
        add("duration<2h", true);
        add("waited>200ms", true);
        add("waited>1", false);
        add("memory>=2GiB", true);
        add("memory<2000MiB", false);
        add("steps>=10k", true);
        add("holder=3", true);
        add("holder=1", false);
        add("ranks=4", true);
        add("steps=10000", true);
        add("steps=10k", true);
        add("steps=9999", false);
        add("steps!=9999", true);
        add("steps=10003", false);
        add("loss=4.201", false);
        add("loss=4.20004", true);
        add("duration=90min", true);
        add("duration=5401", true); // also shown as 1 h 30 min
        add("duration=5461", false);
        add("memory=2GiB", true);
        add("started>2025-12-30", true);
        add("started>2026-02-01T12:30", false);
        add("host:node", true);
        add("note:peak", true);
        add("note:valley", false);
        add("favourite:yes", false);
        add("favourite:no", true);
        add("model.optim.lr>=1e-3", true);
        add("model.optim.lr>0.001", false);
        add("model.optim.lr=0.001", true);
        add("model.optim.name:adam", true);
        add("model.optim.name=adam", false);
        add("model.optim.name=AdamW", true);
        add("model.optim.name>3", false);
        add("model.encoder.n_layers=17", true);
        add("model.encoder.no_such>1", false);
        add("trainer.devices:\"0, 1\"", true);
        add("seed=1", false);
        add("alpha and loss<5 and not tag:old", true);
        add("alpha or beta loss>5", true); // "and" binds closer, even if it is omitted
        add("(alpha or beta) loss>5", false);
        add("not (beta or loss>5)", true);
        add("not not alpha", true);
        add("((alpha))", true);
        add("state:failed(loss<5)", true);
        add("\"and\"", false);
        add("android", false);
        add("notalpha", false);
        add("\"\\\"\"", false);
    }
    void takesWhatItSays() {
        QFETCH(QString, text);
        QFETCH(bool, expected);
        QCOMPARE(takes(text), expected);
    }

    /// A day in the filter means the whole day.
    void momentsAreDaysAndMinutes() {
        const auto startedAt = [](const char* local) {
            RunRow run = row();
            run.info.startRealtimeNs =
                QDateTime::fromString(QLatin1String(local), Qt::ISODate).toMSecsSinceEpoch() * 1'000'000;
            return run;
        };
        const RunRow morning = startedAt("2026-11-12T00:00:00"), night = startedAt("2026-11-12T23:59:59"),
                     before = startedAt("2026-11-11T23:59:59"), after = startedAt("2026-11-13T00:00:00");
        for (const char* equal : {"started=2026-11-12", "started:2026-11-12"}) {
            QVERIFY(takes(QLatin1String(equal), morning) && takes(QLatin1String(equal), night));
            QVERIFY(!takes(QLatin1String(equal), before) && !takes(QLatin1String(equal), after));
        }
        QVERIFY(takes("started!=2026-11-12", before) && takes("started!=2026-11-12", after));
        QVERIFY(!takes("started!=2026-11-12", morning) && !takes("started!=2026-11-12", night));
        QVERIFY(takes("started<2026-11-12", before) && !takes("started<2026-11-12", morning));
        QVERIFY(takes("started<=2026-11-12", night) && !takes("started<=2026-11-12", after));
        QVERIFY(takes("started>2026-11-12", after) && !takes("started>2026-11-12", night));
        QVERIFY(takes("started>=2026-11-12", morning) && !takes("started>=2026-11-12", before));
        QVERIFY(takes("started=2026-11-12T23:59", night) && !takes("started=2026-11-12T23:58", night));
        QVERIFY(takes("started=2026-11-12T23:59:59", night) && !takes("started=2026-11-12T23:59:58", night));
    }

    void saysWhereItIsWrong_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("at");
        QTest::addColumn<int>("length");
        QTest::addColumn<QString>("word");
        const auto add = [](const char* text, int at, int length, const char* word) {
            QTest::newRow(text) << QString::fromUtf8(text) << at << length << QString::fromUtf8(word);
        };
        add("(alpha", 0, 1, "no closing one");
        add("alpha)", 5, 1, "no opening one");
        add("()", 0, 2, "empty");
        add("a or", 4, 1, "missing at the end");
        add("or a", 0, 2, "both sides");
        add("a and and b", 6, 3, "both sides");
        add("a and or b", 6, 2, "both sides");
        add("not", 3, 1, "missing at the end");
        add("\"alpha", 0, 1, "closed");
        add("x tag:\"a", 6, 1, "closed");
        add("los<5", 0, 3, "did you mean loss");
        add("zzzzqq:5", 0, 6, "There is no column");
        add("loss<", 4, 1, "value is missing");
        add("a loss:", 6, 1, "value is missing");
        add("<5", 0, 1, "name is missing");
        add("loss<abc", 5, 3, "takes a number");
        add("loss:abc", 5, 3, "takes a number");
        add("duration>5x", 9, 2, "takes a duration");
        add("memory>5x", 7, 2, "takes a size");
        add("started>yesterday", 8, 9, "takes a date");
        add("state<5", 6, 1, "state is not a number");
        add("model.optim.lr<fast", 15, 4, "need a number");
    }
    void saysWhereItIsWrong() {
        QFETCH(QString, text);
        QFETCH(int, at);
        QFETCH(int, length);
        QFETCH(QString, word);
        const auto query = read(text);
        QVERIFY(std::holds_alternative<QueryError>(query));
        const QueryError error = std::get<QueryError>(query);
        QVERIFY2(error.text.contains(word), qPrintable(error.text));
        QCOMPARE(error.at, at);
        QCOMPARE(error.length, length);
    }

    void deepNestingIsRefused() {
        const QString deep = QString(5000, QLatin1Char('(')) + QStringLiteral("a") + QString(5000, QLatin1Char(')'));
        QVERIFY(std::holds_alternative<QueryError>(read(deep)));
        QVERIFY(std::holds_alternative<QueryError>(read(QStringLiteral("not ").repeated(5000) + QStringLiteral("a"))));
    }

    /// Any text results in a query or in an error at a position within the text.
    void anythingIsRead() {
        const bool ok = rc::check("no text breaks it", [] {
            static const std::string letters = "ab <>=!:()\"\\.andorlos5 ";
            const auto picks =
                *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, static_cast<int>(letters.size())));
            QString text;
            for (const int at : picks)
                text += QLatin1Char(letters[static_cast<std::size_t>(at)]);
            const auto query = read(text);
            if (const auto* error = std::get_if<QueryError>(&query)) {
                RC_ASSERT(!error->text.isEmpty());
                RC_ASSERT(error->at >= 0 && error->at <= text.size() && error->length >= 1);
            }
        });
        QVERIFY(ok);
    }

    /// Trees with a known result, written with all brackets or only with those that are needed.
    void randomTreesMeanWhatTheyMean() {
        const bool ok = rc::check("written and read back", [] {
            bool truth = false;
            const int depth = *rc::gen::inRange(0, 5);
            const QString text = randomTree(depth, truth);
            RC_LOG(text.toStdString());
            RC_ASSERT(takes(text) == truth);
        });
        QVERIFY(ok);
    }

    void placeOfTheCaret_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("begin");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("field");
        QTest::newRow("empty") << QString() << 0 << QString() << QString();
        QTest::newRow("name") << QStringLiteral("a (lo") << 3 << QStringLiteral("lo") << QString();
        QTest::newRow("value") << QStringLiteral("x state:fi") << 8 << QStringLiteral("fi") << QStringLiteral("state");
        QTest::newRow("no value yet") << QStringLiteral("tag:") << 4 << QString() << QStringLiteral("tag");
        QTest::newRow("setting") << QStringLiteral("model.optim.name=ad") << 17 << QStringLiteral("ad")
                                 << QStringLiteral("model.optim.name");
    }
    void placeOfTheCaret() {
        QFETCH(QString, text);
        QFETCH(int, begin);
        QFETCH(QString, typed);
        QFETCH(QString, field);
        const QueryPlace place = queryPlace(text, static_cast<int>(text.size()));
        QCOMPARE(place.begin, begin);
        QCOMPARE(place.typed, typed);
        QCOMPARE(place.field ? QString::fromStdString(place.field->key) : QString(), field);
    }

    void sortingPutsMissingLast() {
        const auto number = [](double v) {
            Cell cell;
            cell.number = cell.order = v;
            cell.text = QString::number(v);
            return cell;
        };
        Cell word;
        word.text = QStringLiteral("layer 10");
        Cell other;
        other.text = QStringLiteral("layer 9");
        for (const bool down : {false, true}) {
            QVERIFY(sortsBefore(number(2), Cell(), down));
            QVERIFY(!sortsBefore(Cell(), number(2), down));
            QVERIFY(!sortsBefore(Cell(), Cell(), down));
            QCOMPARE(sortsBefore(number(2), number(10), down), !down);
            QCOMPARE(sortsBefore(other, word, down), !down); // numbers in texts by value: 9 before 10
            QVERIFY(sortsBefore(number(2), word, down));
        }
    }

private:
    static QString randomTree(int depth, bool& truth) {
        struct Leaf {
            const char* text;
            bool truth;
        };
        static constexpr Leaf leaves[] = {{"alpha", true},   {"beta", false},         {"loss<5", true},
                                          {"loss>5", false}, {"state:failed", true},  {"tag:\"long run\"", true},
                                          {"seed=1", false}, {"duration > 1h", true}, {"model.optim.lr<1", true},
                                          {"\"or\"", false}, {"tag:x", false}};
        if (depth == 0) {
            const Leaf& leaf = leaves[*rc::gen::inRange<std::size_t>(0, std::size(leaves))];
            truth = leaf.truth;
            return QString::fromUtf8(leaf.text);
        }
        bool a = false, b = false;
        const QString left = randomTree(depth - 1, a);
        switch (*rc::gen::inRange(0, 4)) {
        case 0:
            truth = !a;
            return QStringLiteral("not (%1)").arg(left);
        case 1: {
            const QString right = randomTree(depth - 1, b);
            truth = a || b;
            return QStringLiteral("(%1 or %2)").arg(left, right);
        }
        case 2: {
            const QString right = randomTree(depth - 1, b);
            truth = a && b;
            return QStringLiteral("(%1) (%2)").arg(left, right);
        }
        default: {
            const QString right = randomTree(depth - 1, b);
            truth = a && b;
            return QStringLiteral("((%1) AND (%2))").arg(left, right);
        }
        }
    }
};

RANKSCOPE_CORE_TEST(Query)
#include "tst_run_query.moc"
