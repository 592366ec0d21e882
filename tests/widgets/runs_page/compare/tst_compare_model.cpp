// SPDX-License-Identifier: GPL-3.0-or-later
// Comparisons, checked by brute force against the written values.
#include "core/store/read/run_reader.h"
#include "core/store/write/run_writer.h"
#include "tests/support/test_runner.h"
#include "tests/widgets/runs_page/run_folders.h"
#include "widgets/runs/scan/runs_folder_scanner.h"
#include "widgets/runs_page/compare/compare_model.h"
#include "widgets/runs_page/compare/scatter_plot.h"
#include "widgets/runs_page/curves/run_curve.h"

#include <QTemporaryDir>
#include <QTest>

#include <rapidcheck.h>

#include <array>
#include <cmath>
#include <map>

using namespace rankscope;
using namespace rankscope::ui;
using rankscope::test::FolderSpec;

class CompareData : public QObject {
    Q_OBJECT

private slots:
    void differingKeysAreThoseThatBruteForceFinds() {
        const bool ok = rc::check("settings of random runs", [] {
            const auto pool = std::make_shared<StringInterner>(), other = std::make_shared<StringInterner>();
            QList<RunRow> runs;
            std::vector<std::map<std::string, std::string>> known;
            const int count = *rc::gen::inRange(1, 6);
            for (int r = 0; r < count; ++r) {
                RunRow run;
                if (*rc::gen::inRange(0, 5) > 0) { // some runs have no effective.yaml
                    std::map<std::string, std::string> keys;
                    std::string yaml = "a:\n  always: 1\n";
                    keys["a.always"] = "1";
                    for (const char* key : {"b", "c", "d", "e"})
                        if (const int value = *rc::gen::inRange(0, 4); value > 0) {
                            yaml += "  " + std::string(key) + ": " + std::to_string(value / 2) + "\n";
                            keys["a." + std::string(key)] = std::to_string(value / 2);
                        }
                    const auto read = settingsOf(yaml, "x", r % 2 ? pool : other);
                    RC_ASSERT(read.has_value());
                    run.settings = *read;
                    known.push_back(keys);
                }
                runs << run;
            }
            std::map<std::string, bool> expected;
            for (const auto& one : known)
                for (const auto& [key, value] : one)
                    for (const auto& two : known) {
                        const auto at = two.find(key);
                        expected[key] = expected[key] || at == two.end() || at->second != value;
                    }
            std::map<std::string, bool> all;
            for (const SettingLine& line : settingLines(runs, false))
                all[*line.key] = line.differs;
            RC_ASSERT(all == expected);
            std::erase_if(expected, [](const auto& one) { return !one.second; });
            std::map<std::string, bool> differing;
            for (const SettingLine& line : settingLines(runs, true))
                differing[*line.key] = line.differs;
            RC_ASSERT(differing == expected);
        });
        QVERIFY(ok);
    }

    void listsAndMapsAreReadWhole() {
        const auto pool = std::make_shared<StringInterner>();
        const auto read = settingsOf("a: {b: [1, 2], c: {}}\nd: ~\nlr: 1e-3\n", "x", pool);
        QVERIFY(read);
        QCOMPARE(QString::fromStdString(*(*read)->find("a.b")), QStringLiteral("[1, 2]"));
        QCOMPARE(QString::fromStdString(*(*read)->find("lr")), QStringLiteral("1e-3"));
        QVERIFY((*read)->find("a.c") && (*read)->find("d"));
        QVERIFY(!(*read)->find("a.x") && !(*read)->find("a"));
        const auto bad = settingsOf("a: [1\n", "effective.yaml", pool);
        QVERIFY(!bad);
        QVERIFY(bad.error().where.starts_with("effective.yaml"));
    }

    void changesArePercentages() {
        QCOMPARE(changeOf(3, 2).value(), 0.5);
        QCOMPARE(changeOf(0, 2).value(), -1.0);
        QCOMPARE(changeOf(-3, -2).value(), -0.5); // less, although the ratio is above 1
        QVERIFY(!changeOf(3, 0));
        QVERIFY(!changeOf(RunFigures::kNone, 2));
        QVERIFY(!changeOf(2, RunFigures::kNone));
        QCOMPARE(changeText(-0.02), QStringLiteral("−2 %"));
        QCOMPARE(changeText(0.06), QStringLiteral("+6 %"));
        QCOMPARE(changeText(0.004), QStringLiteral("+0.4 %"));
        QCOMPARE(changeText(0.00004), QStringLiteral("0 %"));
        QCOMPARE(changeText(11), QStringLiteral("×12"));
    }

    void aChangeSaysWhetherItIsBetter() {
        const auto change = [](FieldId id, double value, double baseline) {
            const auto cellOf = [](double number) {
                Cell cell;
                cell.number = cell.order = number;
                cell.text = QString::number(number);
                return cell;
            };
            return figureChange(id, cellOf(value), cellOf(baseline));
        };
        QCOMPARE(change(FieldId::Loss, 4.9, 5).text, QStringLiteral("▼ −2 % better"));
        QCOMPARE(change(FieldId::Loss, 5.3, 5).text, QStringLiteral("▲ +6 % worse"));
        QCOMPARE(change(FieldId::Rate, 5.3, 5).text, QStringLiteral("▲ +6 % better"));
        QVERIFY(change(FieldId::Rate, 5.3, 5).verdict == Verdict::Better);
        QCOMPARE(change(FieldId::Duration, 5.3, 5).text, QStringLiteral("▲ +6 %"));
        QVERIFY(change(FieldId::Duration, 5.3, 5).verdict == Verdict::None);
        QVERIFY(change(FieldId::Loss, 5.00001, 5).text.isEmpty());
        QVERIFY(change(FieldId::Holder, 2, 1).text.isEmpty());
    }

    void figuresOfAColumnHaveTheSameDecimals() {
        QCOMPARE(figureText(FieldId::Loss, 4.96), QStringLiteral("4.9600"));
        QCOMPARE(figureText(FieldId::Validation, 0.78741), QStringLiteral("0.7874"));
        QCOMPARE(figureText(FieldId::Rate, 2.8), QStringLiteral("2.800"));
        QCOMPARE(figureText(FieldId::SampleRate, 80), QStringLiteral("80.0"));
        QCOMPARE(figureText(FieldId::Loss, 2e-6), QStringLiteral("2.000e-06"));
    }

    void figuresAreThoseOfTheStore() {
        FolderSpec spec = described("20260101-000000-figures-0001");
        spec.loss = [](int rank, std::int64_t step) {
            return rank == 0 ? 5.0 - 0.1 * static_cast<double>(step % 30) : 9;
        };
        spec.validation = 2.5;
        auto reader = store::RunReader::open(test::makeFolder(root(), spec).store());
        QVERIFY(reader);
        const auto figures = readFigures(*reader);
        QVERIFY(figures);
        QCOMPARE(figures->lastStep, spec.steps - 1);
        QCOMPARE(figures->lastLoss, 5.0 - 0.1 * ((spec.steps - 1) % 30));
        QCOMPARE(figures->bestLoss, 5.0 - 0.1 * 29);
        QCOMPARE(figures->lastValidation, 2.5);
        QVERIFY(std::abs(figures->stepsPerSecond - 10) < 1e-9);
        QVERIFY(std::abs(figures->samplesPerSecond - 10 * 8) < 1e-9); // 2 ranks with batches of 4
        QCOMPARE(figures->waitedNs, spec.steps * 1'000'000);          // rank 0 waits 1 ms for rank 1 at each step
        QVERIFY(figures->held == (std::vector<HeldTime>{{1, spec.steps * 1'000'000}}));
    }

    /// As `show` and `waits` count them; no collective records such a wait.
    void waitsUntilTheRunsEndCount() {
        FolderSpec spec = described("20260101-000000-stopped-0012");
        const auto paths = test::makeFolder(root(), spec);
        {
            auto store = store::RunWriter::reopen(paths.store());
            QVERIFY(store);
            diagnosis::Transition stall;
            stall.incident.id = 1;
            stall.incident.holders = {0};
            stall.incident.waiters = {1};
            stall.incident.step = spec.steps; // no rank has ended it
            stall.incident.openedNs = stall.incident.detectedNs = store->meta().startNs + 100'000'000'000;
            stall.incident.closedNs = stall.incident.openedNs + 40'000'000'000;
            stall.incident.closed = diagnosis::CloseReason::StoppedByUser;
            QVERIFY(store->commit({}, std::array{stall}));
        }
        auto reader = store::RunReader::open(paths.store());
        QVERIFY(reader);
        const auto figures = readFigures(*reader);
        QVERIFY(figures);
        QCOMPARE(figures->waitedNs, spec.steps * 1'000'000 + 40'000'000'000);
        QCOMPARE(slowestOf(figures->held).rank, 0);
    }

    void curvesAreTheStoresPoints() {
        FolderSpec spec = described("20260101-000000-curves-0002");
        spec.loss = [](int rank, std::int64_t step) {
            return rank == 1 && step == 7 ? RunFigures::kNone : 10.0 * rank + static_cast<double>(step);
        };
        const auto store = test::makeFolder(root(), spec).store();
        CurveRequest request;
        request.meanOverRanks = false;
        const RunCurve first = readCurve(store, request, 1000, never);
        QCOMPARE(first.missing, QString());
        QCOMPARE(first.samples.size(), static_cast<std::size_t>(spec.steps));
        for (std::int64_t step = 0; step < spec.steps; ++step) {
            const Sample& s = first.samples[static_cast<std::size_t>(step)];
            QCOMPARE(s.x, static_cast<double>(step));
            QCOMPARE(s.mean, static_cast<double>(step));
        }
        request.meanOverRanks = true;
        const RunCurve mean = readCurve(store, request, 1000, never);
        for (std::int64_t step = 0; step < spec.steps; ++step) {
            const Sample& s = mean.samples[static_cast<std::size_t>(step)];
            const auto base = static_cast<double>(step);
            QCOMPARE(s.min, base);
            QCOMPARE(s.mean, step == 7 ? base : base + 5);
            QCOMPARE(s.max, step == 7 ? base : base + 10);
            QCOMPARE(s.notFinite, step == 7 ? 1 : 0);
        }
        request.axis = CurveAxis::Time;
        const RunCurve byTime = readCurve(store, request, 1000, never);
        QVERIFY(std::abs(byTime.samples[3].x - 0.35) < 1e-9); // the middle of step 3
    }

    /// What the earlier run did after the checkpoint was discarded, and is not part of the curve.
    void aResumedRunIsOneCurve() {
        FolderSpec first = described("20260101-000000-resumed-0010"),
                   second = described("20260102-000000-resumed-0011");
        const auto lossFrom = [](double base) {
            return [base](int rank, std::int64_t step) { return base + 10.0 * rank + static_cast<double>(step); };
        };
        first.steps = 100;
        first.loss = lossFrom(1000);
        first.validation = 7; // after step 99
        second.firstStep = 60;
        second.steps = 50;
        second.loss = lossFrom(2000);
        second.validation = 6;
        second.resumedFrom = first.id;
        const auto earlier = test::makeFolder(root(), first);
        const auto store = test::makeFolder(root(), second).store();
        const RunCurve curve = readCurve(store, {}, 1000, never);
        QCOMPARE(curve.missing, QString());
        QCOMPARE(curve.samples.size(), std::size_t{110});
        for (std::int64_t step = 0; step < 110; ++step) {
            const Sample& s = curve.samples[static_cast<std::size_t>(step)];
            const double own = (step < 60 ? 1000.0 : 2000.0) + static_cast<double>(step);
            QCOMPARE(s.x, static_cast<double>(step));
            QCOMPARE(s.min, own);
            QCOMPARE(s.max, own + 10);
        }
        CurveRequest request;
        request.meanOverRanks = false;
        QCOMPARE(readCurve(store, request, 1000, never).samples[59].mean, 1059.0);
        request.metric.reset();
        // the other validation was after step 99, which was discarded
        QCOMPARE(readCurve(store, request, 1000, never).samples.size(), std::size_t{1});
        request = {};
        request.axis = CurveAxis::Time; // over time, each run has its own curve
        QCOMPARE(readCurve(store, request, 1000, never).samples.size(), std::size_t{50});
        std::filesystem::remove_all(earlier.dir);
        const RunCurve alone = readCurve(store, {}, 1000, never);
        QCOMPARE(alone.samples.size(), std::size_t{50});
        QVERIFY2(alone.missing.contains(QString::fromStdString(first.id)), qPrintable(alone.missing));
    }

    void samplesAxisCountsWhatWasWorkedThrough() {
        FolderSpec spec = described("20260101-000000-samples-0003");
        spec.steps = 600;
        spec.batch = [](int rank, std::int64_t step) { return rank == 0 ? 3 : 1 + static_cast<int>(step % 5); };
        const auto store = test::makeFolder(root(), spec).store();
        CurveRequest request;
        request.axis = CurveAxis::SampleCount;
        const RunCurve curve = readCurve(store, request, 1000, never);
        QCOMPARE(curve.samples.size(), std::size_t{600});
        double sum = 0;
        for (std::int64_t step = 0; step < spec.steps; ++step) {
            sum += spec.batch(0, step) + spec.batch(1, step);
            QVERIFY(std::abs(curve.samples[static_cast<std::size_t>(step)].x - sum) < 1e-6);
        }
        // from buckets: exact at the end of each bucket, and never backwards
        const RunCurve coarse = readCurve(store, request, 20, never);
        QVERIFY(coarse.samples.size() < 100);
        for (std::size_t i = 1; i < coarse.samples.size(); ++i)
            QVERIFY(coarse.samples[i].x > coarse.samples[i - 1].x);
        QVERIFY(coarse.samples.back().x <= sum);
    }

    void whatIsMissingIsSaid() {
        const RunCurve none = readCurve(root() / "nothing" / "run.sqlite", {}, 100, never);
        QVERIFY(none.samples.empty() && none.missing.contains(QStringLiteral("no store")));
        FolderSpec spec = described("20260101-000000-bare-0004");
        spec.withBatches = false;
        const auto store = test::makeFolder(root(), spec).store();
        CurveRequest request;
        request.axis = CurveAxis::SampleCount;
        QVERIFY(readCurve(store, request, 100, never).missing.contains(QStringLiteral("batch sizes")));
        request = {};
        request.metric.reset();
        QVERIFY(readCurve(store, request, 100, never).missing.contains(QStringLiteral("not recorded")));
        QVERIFY(readCurve(store, {}, 100, [] { return true; }).samples.empty()); // cancelled
    }

    void aProgramWithoutARecipeHasNoRecipesName() {
        const RunField recipe = *builtinField(QStringLiteral("recipe"));
        RunRow run;
        run.info.name = "train";
        QCOMPARE(cellOf(run, recipe, 0).text, QStringLiteral("train"));
        run.info.command = {"python", "train.py"};
        QVERIFY(cellOf(run, recipe, 0).isMissing());
        QCOMPARE(run.name(), QStringLiteral("train"));
        run.info.recipeFrom = "NeMo 2.7.3";
        QCOMPARE(cellOf(run, recipe, 0).text, QStringLiteral("train"));
    }

    void scatterByNumberAndByCategory() {
        QList<RunRow> runs;
        const auto pool = std::make_shared<StringInterner>();
        for (const auto& [lr, loss] : {std::pair("0.1", 3.0), {"0.01", 2.0}, {"1e-3", RunFigures::kNone}}) {
            RunRow run;
            run.paths.dir = std::string("/r/") + lr;
            run.lastLoss = loss;
            run.settings = *settingsOf("optim: {lr: " + std::string(lr) + ", name: n" + lr + "}\n", "x", pool);
            runs << run;
        }
        const RunField loss = *builtinField(QStringLiteral("loss"));
        const auto numbers = scatterOf(runs, {}, settingField(QStringLiteral("optim.lr")), loss, 0);
        QVERIFY(numbers.categories.isEmpty());
        QCOMPARE(numbers.missing, 1);
        QCOMPARE(numbers.points.size(), std::size_t{2});
        QCOMPARE(numbers.points[1].x, 0.01);
        QCOMPARE(numbers.points[1].y, 2.0);
        const auto names = scatterOf(runs, {}, settingField(QStringLiteral("optim.name")), loss, 0);
        QCOMPARE(names.categories, (QStringList{QStringLiteral("n0.01"), QStringLiteral("n0.1")}));
        QCOMPARE(names.points[0].x, 1.0);
    }

    void aScanReadsOnlyWhatChanged() {
        const auto folder = root() / "scan";
        FolderSpec spec = described("20260101-000000-scan-0005");
        spec.yaml = "model: {lr: 1}\n";
        const auto paths = test::makeFolder(folder, spec);
        RunScan scan(folder);
        QVERIFY(scan.list().value());
        int shown = 0;
        scan.fill([&] { ++shown; }, [] { return false; });
        QCOMPARE(shown, 1);
        RunRow row = scan.rows().front();
        QVERIFY(row.figures && row.settings);
        QVERIFY(!scan.list().value()); // nothing has changed
        scan.fill([&] { ++shown; }, [] { return false; });
        QCOMPARE(shown, 1);
        QCOMPARE(scan.rows().front().figures.get(), row.figures.get());
        QVERIFY(launch::editMarks(paths, [](launch::RunMarks& marks) { marks.favourite = true; }));
        QVERIFY(scan.list().value());
        scan.fill([&] { ++shown; }, [] { return false; });
        QCOMPARE(shown, 1); // the store was not read again
        QVERIFY(scan.rows().front().marks.favourite);
        QCOMPARE(scan.rows().front().figures.get(), row.figures.get());
        QVERIFY(scan.rows().front().revision > row.revision);
    }

private:
    static bool never() { return false; }
    static FolderSpec described(const char* id) {
        FolderSpec spec;
        spec.id = id;
        spec.name = "run";
        return spec;
    }
    std::filesystem::path root() const { return m_dir.path().toStdString(); }
    QTemporaryDir m_dir;
};

RANKSCOPE_CORE_TEST(CompareData)
#include "tst_compare_model.moc"
