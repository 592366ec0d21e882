// SPDX-License-Identifier: Apache-2.0
// A run as event files: read by TensorBoard's own package, if available, and imported as a run again.
#include "core/exchange/import/run_import.h"
#include "core/exchange/tensorboard/series_tags.h"
#include "core/exchange/tensorboard/tensorboard_export.h"
#include "tests/core/store/synthetic.h"
#include "tests/support/test_runner.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <set>

using namespace rankscope;
using namespace rankscope::exchange;
using namespace rankscope::store;
using namespace synthetic;

static constexpr int kRanks = 3, kSteps = 200;

static telemetry::AnyRecord validation(std::int64_t step, double loss) {
    telemetry::ValidationRecord v;
    v.header.step = step;
    v.loss = v.localLoss = loss;
    v.beginNs = kStartNs + step * 1'000'000'000 + 910'000'000;
    v.endNs = v.beginNs + 50'000'000;
    v.header.timeNs = v.endNs;
    return telemetry::AnyRecord::of(v);
}

class TestTensorBoard : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    std::filesystem::path path(const char* name) const { return m_dir.filePath(name).toStdString(); }
    RunReader reader() const { return take(RunReader::open(path("run.sqlite"))); }

    std::vector<StepRow> steps(RunReader& from, int rank) const {
        std::vector<StepRow> rows;
        const auto read = from.eachStep(rank, {0, INT64_MAX}, [&](const StepRow& row) {
            rows.push_back(row);
            return Result<void>();
        });
        if (!read)
            qFatal("%s", read.error().message().c_str());
        return rows;
    }

    QJsonObject expected() const {
        auto from = reader();
        QJsonObject runs;
        for (int rank = 0; rank < kRanks; ++rank) {
            QJsonObject series;
            const auto add = [&](const std::string& tag, std::int64_t step, std::int64_t ns, double value) {
                const double wall = static_cast<double>(from.meta().startRealtimeNs + ns) * 1e-9;
                auto points = series[QString::fromStdString(tag)].toArray();
                points.append(QJsonArray{static_cast<double>(step), wall,
                                         std::isnan(value) ? QJsonValue("nan") : QJsonValue(value)});
                series[QString::fromStdString(tag)] = points;
            };
            for (const StepRow& row : steps(from, rank))
                for (const auto& info : metrics())
                    if (const auto value = row.value(info.metric))
                        add(tagOf(info.metric), row.step, row.endNs, *value * tagScale(info.metric));
            for (const StepRow& row : steps(from, rank))
                if (row.epoch >= 0)
                    add("epoch", row.step, row.endNs, static_cast<double>(row.epoch));
            if (!from.eachValidation(rank, {-1, INT64_MAX}, [&](const ValidationRow& v) -> Result<void> {
                    add("val/loss", v.step, v.endNs, v.loss);
                    return {};
                }))
                qFatal("cannot read the validations");
            runs[QString("rank_%1").arg(rank)] = series;
        }
        return runs;
    }

    int check(const std::filesystem::path& folder, const QJsonObject& wanted, QByteArray& said) const {
        QFile file(m_dir.filePath("expected.json"));
        if (!file.open(QIODevice::WriteOnly) || file.write(QJsonDocument(wanted).toJson()) < 0)
            qFatal("cannot write");
        file.close();
        const QString given = qEnvironmentVariable("RANKSCOPE_TENSORBOARD_PYTHON");
        QProcess python;
        python.start(given.isEmpty() ? "python3" : given,
                     {RANKSCOPE_SOURCE_DIR "/tests/core/exchange/tensorboard/check_tensorboard.py",
                      QString::fromStdString(folder.string()), file.fileName()});
        if (!python.waitForStarted())
            return 77;
        const bool ended = python.waitForFinished(100'000);
        said = python.readAllStandardOutput() + python.readAllStandardError();
        return ended && python.exitStatus() == QProcess::NormalExit ? python.exitCode() : -1;
    }

private Q_SLOTS:
    void initTestCase() {
        Options options;
        options.worldSize = kRanks;
        options.steps = kSteps;
        const Stream stream = makeStream(options);
        auto store = take(RunWriter::open(path("run.sqlite"), meta(kRanks)));
        QVERIFY(commitAll(store, stream, 1));
        telemetry::StepRecord bad;
        bad.header.step = kSteps;
        bad.flags = 1;
        bad.loss = std::nan("");
        bad.beginNs = kStartNs + kSteps * std::int64_t{1'000'000'000};
        bad.endNs = bad.header.timeNs = bad.beginNs + 1'000;
        commit(store, 1, {telemetry::AnyRecord::of(bad)});
        for (int rank = 0; rank < kRanks; ++rank)
            commit(store, rank, {validation(99, 1.25), validation(199, 0.75)});
        QVERIFY(store.finish());
        auto from = reader();
        const auto figures = exportTensorBoard(from, path("events"));
        QVERIFY2(figures, figures ? "" : figures.error().message().c_str());
        QCOMPARE(figures->files, kRanks);
        std::int64_t points = 0;
        for (const auto& series : expected())
            for (const auto& of : series.toObject())
                points += of.toArray().size();
        QCOMPARE(figures->points, points);
        QVERIFY(points > kRanks * kSteps * 10);
    }

    void tensorboardReadsThem() {
        QByteArray said;
        const int code = check(path("events"), expected(), said);
        if (code == 77)
            QSKIP(qPrintable("RANKSCOPE_TENSORBOARD_PYTHON names no Python with tensorboard: " + said));
        QVERIFY2(code == 0, said.constData());
        qInfo("%s", said.constData());
        // prove that the check can fail
        auto other = expected();
        auto rank = other["rank_1"].toObject();
        auto loss = rank["train/loss"].toArray();
        auto point = loss[7].toArray();
        point[2] = point[2].toDouble() + 0.01;
        loss[7] = point;
        rank["train/loss"] = loss;
        other["rank_1"] = rank;
        QCOMPARE(check(path("events"), other, said), 1);
        QVERIFY2(said.contains("rank_1 train/loss"), said.constData());
    }

    /// Every metric has the same value at every step, as a 32-bit float; times are exact to a microsecond.
    void backIntoARun() {
        const auto imported = take(importRun({{path("events")}, {}, "again", path("runs"), {}}));
        QVERIFY2(imported.remarks.empty(), imported.remarks.empty() ? "" : imported.remarks.front().english().c_str());
        QCOMPARE(imported.info.worldSize, kRanks);
        auto before = reader();
        auto after = take(RunReader::open(imported.run.store()));
        QCOMPARE(after.meta().startRealtimeNs, before.meta().startRealtimeNs);
        for (int rank = 0; rank < kRanks; ++rank) {
            const auto was = steps(before, rank), is = steps(after, rank);
            QCOMPARE(is.size(), was.size());
            for (std::size_t i = 0; i < was.size(); ++i) {
                QCOMPARE(is[i].step, was[i].step);
                QCOMPARE(is[i].epoch, was[i].epoch);
                QVERIFY(std::abs(is[i].endNs - was[i].endNs) <= 1000);
                for (const auto& info : metrics()) {
                    const auto a = was[i].value(info.metric), b = is[i].value(info.metric);
                    QVERIFY2(a.has_value() == b.has_value(), info.column);
                    if (!a || (std::isnan(*a) && std::isnan(*b)))
                        continue;
                    const double scale = tagScale(info.metric);
                    const auto wanted = static_cast<double>(static_cast<float>(*a * scale));
                    QCOMPARE(*b, scale == 1 ? wanted : std::round(wanted * 1e9));
                }
            }
        }
        const auto was = take(before.validations(-1, 100)), is = take(after.validations(-1, 100));
        QCOMPARE(is.size(), was.size());
        for (std::size_t i = 0; i < was.size(); ++i)
            QVERIFY(is[i].rank == was[i].rank && is[i].step == was[i].step && is[i].loss == was[i].loss);
    }

    /// Curves of the imported run show the extremes of all levels.
    void thePyramidIsWhole() {
        const auto imported = take(importRun({{path("events")}, {}, "pyramid", path("runs"), {}}));
        auto after = take(RunReader::open(imported.run.store()));
        const auto coarse = take(after.series(Metric::Loss, 0, 0, kSteps, 4));
        QVERIFY(coarse.size() <= 8);
        double least = INFINITY, most = -INFINITY;
        std::int64_t count = 0;
        for (const auto& row : steps(after, 0)) {
            least = std::min(least, *row.value(Metric::Loss));
            most = std::max(most, *row.value(Metric::Loss));
        }
        double coarseLeast = INFINITY, coarseMost = -INFINITY;
        for (const auto& point : coarse) {
            coarseLeast = std::min(coarseLeast, point.min);
            coarseMost = std::max(coarseMost, point.max);
            count += point.count;
        }
        QCOMPARE(count, std::int64_t{kSteps});
        QVERIFY(coarseLeast == least && coarseMost == most);
    }

    void aSelection() {
        auto from = reader();
        Selection selection;
        selection.series = {Metric::Loss};
        selection.ranks = {2};
        selection.steps = {10, 19};
        QCOMPARE(take(exportTensorBoard(from, path("part"), selection)).points, std::int64_t{10});
        QVERIFY(std::filesystem::exists(path("part") / "rank_2") && !std::filesystem::exists(path("part") / "rank_0"));
    }

    /// A second export replaces the first; otherwise TensorBoard would show the points of both.
    void again() {
        auto from = reader();
        QVERIFY(exportTensorBoard(from, path("events")));
        int files = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(path("events")))
            files += entry.is_regular_file() ? 1 : 0;
        QCOMPARE(files, kRanks);
    }

    void everyTagIsItsOwn() {
        std::set<std::string> tags;
        for (const auto& info : metrics()) {
            QVERIFY(tags.insert(tagOf(info.metric)).second);
            const auto known = knownTag(tagOf(info.metric));
            QVERIFY(known && known->metric == info.metric && known->meaning == KnownTag::TagMeaning::Metric);
        }
        QVERIFY(!knownTag("accuracy"));
    }

    void aFolderThatCannotBeWritten() {
        auto from = reader();
        const auto failed = exportTensorBoard(from, "/proc/nowhere");
        QVERIFY(!failed && failed.error().message().find("/proc/nowhere") != std::string::npos);
    }
};

RANKSCOPE_TEST(TestTensorBoard)
#include "tst_tensorboard_export.moc"
