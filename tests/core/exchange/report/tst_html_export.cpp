// SPDX-License-Identifier: Apache-2.0
// The report of a run: well-formed, self-contained, escaped, and without losing a spike.
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/text/html_text.h"
#include "core/diagnosis/model/incident_titles.h"
#include "core/exchange/report/html_export.h"
#include "core/exchange/report/svg_curve.h"
#include "core/launch/run/run_annotations.h"
#include "tests/core/store/synthetic.h"
#include "tests/support/test_runner.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <cmath>
#include <set>

using namespace rankscope;
using namespace rankscope::exchange;
using namespace rankscope::store;
using namespace synthetic;

static const std::string kAlert = "rankscope.on_incident: could not be started for incident 1: No such file";
static const std::string kOdd = "<script>alert('x')</script> & \"quoted\"";

class TestHtml : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    QString m_page;

    launch::RunPaths run() const { return {m_dir.path().toStdString()}; }
    static launch::RunInfo info() {
        launch::RunInfo i;
        i.id = "20260101-120000-test-ab12";
        i.name = kOdd;
        i.state = launch::RunState::Failed;
        i.cause = kOdd;
        i.worldSize = 2;
        i.startRealtimeNs = 1'700'000'000'000'000'000;
        i.endRealtimeNs = i.startRealtimeNs + 65'000'000'000;
        i.argv = {"rankscopectl", kOdd};
        i.versions = {{"code", "0123abcd"}};
        return i;
    }
    /// Makes the page valid XML, so that an XML reader finds elements that are not closed.
    static QByteArray asXml(QString page) {
        page.replace("<!DOCTYPE html>", "");
        page.replace(QRegularExpression("(<meta [^>]*[^/])>"), "\\1/>");
        return page.toUtf8();
    }
    static std::vector<double> heights(const QString& svg) {
        std::vector<double> all;
        auto it = QRegularExpression("(?:[ML][-0-9.]+ |V)([-0-9.]+)").globalMatch(svg);
        while (it.hasNext())
            all.push_back(it.next().captured(1).toDouble());
        return all;
    }
    static SeriesPoint point(std::int64_t first, std::int64_t last, double min, double max) {
        return {first, last, 0, 0, last - first + 1, 0, min, max, (min + max) / 2};
    }

    static telemetry::AnyRecord validation(std::int64_t step, double loss) {
        telemetry::ValidationRecord record;
        record.header.step = step;
        record.beginNs = kStartNs + step * 1'000'000;
        record.endNs = record.header.timeNs = record.beginNs + 1'000;
        record.loss = record.localLoss = loss;
        record.batches = 1;
        return telemetry::AnyRecord::of(record);
    }
    /// Returns the figure with this title; empty if there is none.
    static QString figure(const QString& page, const char* title) {
        const auto at = page.indexOf(QStringLiteral("<figure><h3>") + QLatin1String(title));
        return at < 0 ? QString() : page.mid(at).section(QStringLiteral("</figure>"), 0, 0);
    }

private Q_SLOTS:
    void initTestCase() {
        Options options;
        options.steps = 3000;
        options.tags = {"sync_max_audio_length"};
        auto stream = makeStream(options);
        auto store = take(RunWriter::open(run().store(), meta(2)));
        QVERIFY(commitAll(store, stream, 1));
        telemetry::StepRecord bad;
        bad.header.step = 3000;
        bad.flags = 1;
        bad.loss = std::nan("");
        bad.beginNs = kStartNs + 3000 * std::int64_t{1'000'000'000};
        bad.endNs = bad.header.timeNs = bad.beginNs + 1'000;
        commit(store, 1, {telemetry::AnyRecord::of(bad)});
        commit(store, 0, {validation(999, 6.25), validation(1999, std::nan("")), validation(2999, 5.5)});
        diagnosis::Incident i;
        i.id = 1;
        i.cause = diagnosis::Cause::DataLoading;
        i.holders = {1};
        i.waiters = {0};
        i.step = 4;
        i.openedNs = i.detectedNs = kStartNs + 1;
        i.closedNs = kStartNs + 2'000'000'000;
        i.closed = diagnosis::CloseReason::Recovered;
        i.remedy.text = kOdd;
        i.evidence = diagnosis::evidenceFromJson({{"file", kOdd}, {"seconds", 2}});
        const diagnosis::Transition opened{diagnosis::Transition::TransitionKind::Opened, i};
        QVERIFY(store.commit({}, {&opened, 1}));
        QVERIFY(store.note(telemetry::NoteSeverity::Warning, kOdd, kStartNs));
        QVERIFY(store.note(telemetry::NoteSeverity::Warning, kAlert, kStartNs + 65'000'000'000));
        QVERIFY(store.finish());
        QVERIFY(writeFileAtomic(run().effective(), "model:\n  encoder:\n    sync_max_audio_length: false\n"));
        QVERIFY(launch::editMarks(run(), [](launch::RunMarks& marks) {
            marks.note = kOdd + "\nsecond line";
            marks.annotate({0, 1200, 1204, 12'000'000'000, -1, "learning rate halved", 1'700'000'100'000'000'000});
            marks.annotate({0, 7, 7, 7'000'000'000, 1, kOdd, 1'700'000'200'000'000'000});
        }));
        auto reader = take(RunReader::open(run().store()));
        const auto written = exportHtml(reader, run(), info(), run().dir / "report.html");
        QVERIFY2(written, written ? "" : written.error().message().c_str());
        m_page = QString::fromStdString(*readFile(run().dir / "report.html"));
    }

    void everyElementIsClosed() {
        QXmlStreamReader xml(asXml(m_page));
        int elements = 0;
        while (!xml.atEnd())
            elements += xml.readNext() == QXmlStreamReader::StartElement ? 1 : 0;
        QVERIFY2(!xml.hasError(), qPrintable(QString("line %1: %2").arg(xml.lineNumber()).arg(xml.errorString())));
        QVERIFY(elements > 100);
    }

    void nothingIsLoadedAndNothingRuns() {
        for (const char* forbidden : {"<script", "src=", "href=", "url(", "@import", "http://", "https://", "onload"})
            QVERIFY2(!m_page.contains(forbidden), forbidden);
        QVERIFY(m_page.contains("default-src 'none'") && m_page.contains("prefers-color-scheme:dark"));
    }

    void whatIsToldOfTheRun() {
        for (const char* wanted : {"20260101-120000-test-ab12", "failed: &lt;script&gt;", "1. Data loading",
                                   "<b>Remedy:</b> &lt;script&gt;", "2023-11-14 22:13:20 UTC", "sync_max_audio_length",
                                   "model.<wbr/>encoder.<wbr/>sync_max_audio_length</td><td class=\"any\">false</td>"
                                   "<td class=\"dim\">",
                                   "<th>Commit of the code</th><td>0123abcd", "1 not finite",
                                   "Who the others waited for", "<h3>Loss", "3,001"})
            QVERIFY2(m_page.contains(wanted), wanted);
        QVERIFY(m_page.size() < 400'000);
        QVERIFY(m_page.contains("<tr><th>run</th><td>&lt;script&gt;")); // noted at the start, so it has no time
        QVERIFY(!m_page.contains("run, 0 ns"));
    }

    /// The supervisor that would have closed it is gone.
    void anOpenIncidentOfAnEndedRun() {
        QTemporaryDir dir;
        const launch::RunPaths other{dir.path().toStdString()};
        auto store = take(RunWriter::open(other.store(), meta(2)));
        QVERIFY(commitAll(store, makeStream({}), 1));
        diagnosis::Incident i;
        i.id = 1;
        i.holders = {1};
        i.waiters = {0};
        i.step = 4;
        i.openedNs = i.detectedNs = kStartNs + 1;
        const diagnosis::Transition opened{diagnosis::Transition::TransitionKind::Opened, i};
        QVERIFY(store.commit({}, {&opened, 1}));
        auto reader = take(RunReader::open(other.store()));
        for (const auto state : {launch::RunState::Lost, launch::RunState::Running}) {
            auto told = info();
            told.state = state;
            QVERIFY(exportHtml(reader, other, told, other.dir / "report.html"));
            const QString page = QString::fromStdString(*readFile(other.dir / "report.html"));
            QCOMPARE(page.contains("last recorded as open"), state == launch::RunState::Lost);
            QCOMPARE(page.contains("still open"), state == launch::RunState::Running);
        }
    }

    /// What went wrong precedes figures and curves.
    void incidentsComeFirst() {
        const auto incidents = m_page.indexOf("<h2>Incidents"), waits = m_page.indexOf("<h2>Who the others waited for");
        QVERIFY(incidents > 0 && incidents < waits && waits < m_page.indexOf("<h2>Curves by step"));
    }

    /// One curve for the run, below the loss of the ranks. A validation without a loss is marked.
    void validationsAreACurve() {
        const QString losses = figure(m_page, "Loss"), curve = figure(m_page, "Validation loss");
        QVERIFY(losses.contains("rank 1</title>") && !curve.isEmpty());
        QVERIFY(m_page.indexOf(curve) > m_page.indexOf(losses));
        QVERIFY(m_page.indexOf(curve) < m_page.indexOf(figure(m_page, "Learning rate")));
        QVERIFY2(curve.contains("5.5 to 6.25") && curve.contains("1 not finite"), qPrintable(curve));
        QVERIFY(curve.contains("step 1999: 1 not finite"));
        QCOMPARE(curve.count("<path class=\"c"), 1);
        QVERIFY(!curve.contains("rank 0"));
    }

    /// Many validations do not make the page larger; the smallest and the largest one are still in it.
    void manyValidations() {
        QTemporaryDir dir;
        const launch::RunPaths other{dir.path().toStdString()};
        auto store = take(RunWriter::open(other.store(), meta(2)));
        QVERIFY(commitAll(store, makeStream({}), 1));
        std::vector<telemetry::AnyRecord> records;
        for (int i = 0; i < 20'000; ++i)
            records.push_back(validation(i, i == 12'345 ? 99 : 3));
        commit(store, 0, records);
        QVERIFY(store.finish());
        auto reader = take(RunReader::open(other.store()));
        QVERIFY(exportHtml(reader, other, info(), other.dir / "report.html"));
        const QString page = QString::fromStdString(*readFile(other.dir / "report.html"));
        const QString curve = figure(page, "Validation loss");
        QVERIFY2(curve.contains("3 to 99"), qPrintable(curve.left(300)));
        QVERIFY(curve.size() < 60'000);
    }

    /// Notes of users and alerts, by time and escaped. An alert is not repeated as a warning.
    void notesOfUsersAndAlerts() {
        const QString notes = m_page.section("<h2>Notes</h2>", 1).section("<h2>", 0, 0);
        QVERIFY(notes.contains("<p class=\"text\">&lt;script&gt;") && notes.contains("\nsecond line</p>"));
        const QStringList rows = notes.split("<tr>").mid(2);
        QCOMPARE(rows.size(), 3);
        QVERIFY2(rows[0].contains(">7.0 s<") && rows[0].contains(">7<") && rows[0].contains(">rank 1: &lt;script&gt;"),
                 qPrintable(rows[0]));
        QVERIFY2(rows[1].contains(">1,200–1,204<") && rows[1].contains(">learning rate halved<") &&
                     rows[1].contains(">2023-11-14 22:15:00 UTC<"),
                 qPrintable(rows[1]));
        QVERIFY2(rows[2].contains(">–<") && rows[2].contains(kAlert.c_str()) &&
                     rows[2].contains(">2023-11-14 22:14:25 UTC<"),
                 qPrintable(rows[2]));
        QCOMPARE(m_page.count(kAlert.c_str()), 1);
        QVERIFY(m_page.indexOf("<h2>Incidents") < m_page.indexOf("<h2>Notes"));
    }

    /// Without notes, the report has no such section. If the notes cannot be read, the report says so and is complete
    /// otherwise.
    void withoutNotes() {
        QTemporaryDir dir;
        const launch::RunPaths other{dir.path().toStdString()};
        auto store = take(RunWriter::open(other.store(), meta(2)));
        QVERIFY(commitAll(store, makeStream({}), 1));
        QVERIFY(store.finish());
        auto reader = take(RunReader::open(other.store()));
        const auto page = [&] {
            if (const auto written = exportHtml(reader, other, info(), other.dir / "report.html"); !written)
                return QString::fromStdString(written.error().message());
            return QString::fromStdString(*readFile(other.dir / "report.html"));
        };
        QVERIFY(page().contains("<h2>Ranks") && !page().contains("<h2>Notes"));
        QVERIFY(writeFileAtomic(other.dir / "marks.json", "{"));
        QVERIFY(page().contains("The notes cannot be read: ") && page().contains("marks.json"));
    }

    /// The page is in the reader's language; what the run recorded is not translated.
    void inChinese() {
        auto reader = take(RunReader::open(run().store()));
        const auto written = exportHtml(reader, run(), info(), run().dir / "chinese.html", Language::Chinese);
        QVERIFY2(written, written ? "" : written.error().message().c_str());
        const QString page = QString::fromStdString(*readFile(run().dir / "chinese.html"));
        for (const char* wanted : {"<html lang=\"zh-CN\">", "<th>状态</th>", "失败", "1. 数据加载", "<b>解决办法：</b>",
                                   "等待的是谁", "<h3>损失", "1 个 NaN/Inf", "65.0 秒", "&lt;script&gt;", "3,001"})
            QVERIFY2(page.contains(wanted), wanted);
        auto titles = QRegularExpression("<(?:th|h2|summary)[^>]*>([^<]*)<").globalMatch(page);
        while (titles.hasNext())
            if (const QString title = titles.next().captured(1); title.contains(' '))
                QVERIFY2(title.toUtf8() != title.toLatin1(), qPrintable(title));
    }

    void namesHaveChinese() {
        const auto isTranslated = [](const Message& name) { return name.text(Language::Chinese) != name.english(); };
        for (const auto& metric : metrics())
            QVERIFY2(isTranslated(title(metric.metric)), metric.column);
        for (int cause = 0; cause < static_cast<int>(diagnosis::Cause::Count); ++cause)
            QVERIFY2(isTranslated(causeTitle(static_cast<diagnosis::Cause>(cause))),
                     causeTitle(static_cast<diagnosis::Cause>(cause)).english().c_str());
    }

    /// A store with many more steps than points: the smallest and the largest value touch the margins of the plot.
    void noSpikeIsLost() {
        std::vector<RankCurve> curves{{0, {}}};
        for (int i = 0; i < 400; ++i)
            curves[0].points.push_back(point(i * 256, i * 256 + 255, 1, 2));
        curves[0].points[123].max = 50;
        curves[0].points[321].min = -50;
        const auto all = heights(QString::fromStdString(svgCurve(curves, 1, {})).section("class=\"c0\"", 1));
        const auto [low, high] = std::minmax_element(all.begin(), all.end());
        QVERIFY(std::abs(*low - (10 + 184 * 0.04 / 1.08)) < 0.02 && std::abs(*high - (10 + 184 * 1.04 / 1.08)) < 0.02);
        // also with many ranks
        while (curves.size() <= kMostLines)
            curves.push_back({static_cast<int>(curves.size()), {point(0, 255, 1, 2), point(102'144, 102'399, 1, 2)}});
        const QString band = QString::fromStdString(svgCurve(curves, 1, {})).section("class=\"band\"", 1);
        const auto banded = heights(band);
        QVERIFY(std::abs(*std::min_element(banded.begin(), banded.end()) - *low) < 0.02 &&
                std::abs(*std::max_element(banded.begin(), banded.end()) - *high) < 0.02);
        QVERIFY(!band.contains("class=\"c0\""));
    }

    void oddCurves() {
        QVERIFY(svgCurve({}, 1, {}).empty());
        QVERIFY(svgCurve({{0, {}}}, 1, {}).empty());
        SeriesPoint bad = point(5, 5, NAN, NAN);
        bad.count = 0;
        bad.notFinite = 1;
        const auto onlyBad = QString::fromStdString(svgCurve({{0, {bad}}}, 1, {{5, "<b>"}}));
        QVERIFY(onlyBad.contains("not finite") && onlyBad.contains("&lt;b&gt;") && !onlyBad.contains("nan"));
        for (const double value : {0.0, 1e-300, 1e300, -5.0}) {
            const auto one = QString::fromStdString(svgCurve({{0, {point(7, 7, value, value)}}}, 1, {}));
            QVERIFY2(one.contains("<path class=\"c0\"") && !one.contains("nan") && !one.contains("inf"),
                     qPrintable(one));
        }
    }

    void ticks_data() {
        QTest::addColumn<double>("least");
        QTest::addColumn<double>("most");
        for (const auto& [least, most] :
             {std::pair(0.0, 1.0), {3.0, 3.1}, {-7.0, 12.0}, {-0.1, 2.0}, {1e-9, 1e-8}, {0.0, 125000.0}})
            QTest::addRow("%g to %g", least, most) << least << most;
    }
    void ticks() {
        QFETCH(double, least);
        QFETCH(double, most);
        const auto all = axisTicks(least, most);
        QVERIFY2(all.size() >= 2 && all.size() <= 8, std::to_string(all.size()).c_str());
        for (const double tick : all)
            QVERIFY(!std::signbit(tick) || tick < 0);
        for (const double tick : all)
            QVERIFY(tick >= least - 1e-12 && tick <= most + 1e-12);
    }

    void escaping() {
        QCOMPARE(html("a<b>&\"'"), std::string("a&lt;b&gt;&amp;&quot;&#39;"));
        QCOMPARE(html("\x1b]0;title\x07 \xC2\x9B"
                      "31m\r\n\t"),
                 std::string("?]0;title? ?31m?\n\t"));
        QCOMPARE(cleanText("gut: \xC3\xA4 \xE4\xB8\xAD \xF0\x9F\x98\x80"),
                 std::string("gut: \xC3\xA4 \xE4\xB8\xAD \xF0\x9F\x98\x80"));
        QCOMPARE(cleanText("\xC3"), std::string("?"));
        QCOMPARE(cleanText("\xC0\xAF"), std::string("??"));      // overlong
        QCOMPARE(cleanText("\xED\xA0\x80"), std::string("???")); // a surrogate
        QCOMPARE(cleanText(std::string("a\0b", 3)), std::string("a?b"));
    }

    void aFileThatCannotBeWritten() {
        auto reader = take(RunReader::open(run().store()));
        const auto failed = exportHtml(reader, run(), info(), "/proc/nowhere/report.html");
        QVERIFY(!failed && failed.error().message().find("/proc/nowhere/report.html") != std::string::npos);
    }
};

RANKSCOPE_TEST(TestHtml)
#include "tst_html_export.moc"
