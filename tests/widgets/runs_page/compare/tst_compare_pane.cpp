// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison below the table of runs, in the real window.
#include "tests/widgets/runs_page/runs_window.h"
#include "tests/support/test_runner.h"
#include "widgets/runs_page/compare/compare_chart.h"
#include "widgets/runs_page/compare/compare_model.h"
#include "widgets/runs_page/compare/compare_pane.h"
#include "widgets/runs_page/compare/compare_plot.h"
#include "widgets/runs_page/filter/filter_edit.h"
#include "widgets/runs_page/page/annotation_writer.h"
#include "widgets/runs_page/curves/run_names.h"
#include "widgets/runs_page/compare/scatter_plot.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QToolButton>

using namespace rankscope;
using namespace rankscope::ui;
using rankscope::test::FolderSpec;
namespace fs = std::filesystem;

class CompareTest : public QObject, protected test::RunsWindow {
    Q_OBJECT

private slots:
    void initTestCase() { setUp(); }
    void init() { openWindow(); }
    void cleanup() { m_window.reset(); }

    void comparison() {
        select({"alpha", "beta", "gamma"});
        page()->setCompared(true);
        ComparePane* compare = page()->compare();
        QTRY_VERIFY(compare->isComplete() && compare->plot()->lines().size() == 3);
        // curves: what was written
        const auto& lines = compare->plot()->lines();
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(lines[i].samples.size(), std::size_t{40});
            QCOMPARE(lines[i].samples[39].mean, lossOf(compare->runs()[static_cast<qsizetype>(i)]));
        }
        QCOMPARE(compare->plot()->readoutAt(10).size(), 3);

        // the baseline comes first, ratios are to it; a colour stays with its run
        const QPen before = compare->penOf(dir("alpha"));
        compare->baseline()->setCurrentIndex(compare->baseline()->findData(dir("alpha")));
        QCOMPARE(compare->runs().front().info.name, std::string("alpha"));
        QVERIFY(compare->penOf(dir("alpha")) == before);
        const CompareModel* figures = compare->figures();
        int loss = -1;
        for (int row = 0; row < figures->rowCount(); ++row)
            if (figures->index(row, 0).data() == RunField{FieldId::Loss, "loss"}.title())
                loss = row;
        QVERIFY(loss >= 0);
        for (int run = 1; run < 3; ++run)
            QCOMPARE(figures->index(loss, run + 1).data(CompareModel::RatioRole).toDouble(),
                     lossOf(compare->runs()[run]) / 3);

        const CompareModel* settings = compare->settings();
        QStringList keys;
        for (int row = 0; row < settings->rowCount(); ++row)
            keys << settings->index(row, 0).data().toString();
        QCOMPARE(keys, (QStringList{"model.encoder.n_layers", "model.optim.lr", "name"}));
        const int beta = compare->runs()[1].info.name == "beta" ? 2 : 3;
        QVERIFY(settings->index(0, beta).data(CompareModel::SameRole).toBool());
        QVERIFY(!settings->index(1, beta).data(CompareModel::SameRole).toBool());
        compare->settings()->setOnlyDiffering(false);
        QVERIFY(settings->rowCount() > 3);

        // by samples: 2 ranks of 4
        compare->axis()->setCurrentIndex(2);
        QTRY_VERIFY(compare->isComplete() && compare->plot()->lines()[0].samples[0].x == 8);
        compare->legend()->item(1)->setCheckState(Qt::Unchecked);
        QTRY_VERIFY(compare->plot()->lines()[1].hidden);
        QCOMPARE(compare->plot()->readoutAt(10).size(), 2);
    }

    /// What the others are compared with is what was tagged so, else what was there first.
    void theBaselineIsTheTaggedOrTheOldest() {
        select({"alpha", "beta", "gamma"});
        page()->setCompared(true);
        ComparePane* compare = page()->compare();
        QTRY_VERIFY(compare->isComplete() && compare->runs().size() == 3);
        QCOMPARE(compare->runs().front().info.name, std::string("alpha"));
        page()->setCompared(false);
        page()->marks()->setTags(page()->model()->rows()[page()->model()->rowOf(dir("beta"))],
                                 {QStringLiteral("Baseline")});
        QTRY_COMPARE(marks("beta").tags.size(), std::size_t{1});
        QTRY_VERIFY(compare->runs().isEmpty()); // runs that go on being compared keep their baseline
        select({"alpha", "beta", "gamma"});
        page()->setCompared(true);
        QTRY_VERIFY(compare->isComplete() && compare->runs().size() == 3);
        QCOMPARE(compare->runs().front().info.name, std::string("beta"));
        const CompareModel* figures = compare->figures();
        QStringList shown;
        for (int row = 0; row < figures->rowCount(); ++row)
            shown << figures->index(row, 3).data().toString();
        const bool said = std::any_of(shown.begin(), shown.end(), [](const QString& text) {
            return text.endsWith(QStringLiteral("better")) || text.endsWith(QStringLiteral("worse"));
        });
        QVERIFY2(said, qPrintable(shown.join(QLatin1Char('|'))));
    }

    void severalChartsAtOnce() {
        select({"alpha", "gamma"});
        page()->setCompared(true);
        ComparePane* compare = page()->compare();
        QVERIFY(!compare->loading()->isHidden()); // no empty axes before there is something to draw
        QVERIFY(!compare->plot()->isVisible());
        QTRY_VERIFY(compare->isComplete() && compare->plot()->lines().size() == 2);
        QVERIFY(!compare->loading()->isVisible() && compare->plot()->isVisible());
        QTest::mouseClick(compare->addButton(), Qt::LeftButton);
        QCOMPARE(compare->charts().size(), std::size_t{1});
        const CompareChart* chart = compare->charts().front();
        QTRY_VERIFY(compare->isComplete() && chart->plot()->lines().size() == 2);
        QVERIFY(chart->metric()->currentData() != compare->metric()->currentData());
        chart->metric()->setCurrentIndex(chart->metric()->findData(static_cast<int>(store::Metric::Loss)));
        QTRY_VERIFY(compare->isComplete() && !chart->plot()->lines()[0].samples.empty() &&
                    chart->plot()->lines()[0].samples[39].mean == lossOf(compare->runs()[0]));
        compare->legend()->item(1)->setCheckState(Qt::Unchecked); // in all charts
        QVERIFY(chart->plot()->lines()[1].hidden && compare->plot()->lines()[1].hidden);
        if (const QString folder = qEnvironmentVariable("RANKSCOPE_PICTURES"); !folder.isEmpty())
            QVERIFY(m_window->grab().save(folder + QStringLiteral("/runs-charts.png")));
        while (compare->addButton()->isEnabled() && compare->charts().size() < 20)
            compare->addChart();
        QCOMPARE(compare->charts().size() + 1, ComparePane::kMostCharts);
        QTRY_VERIFY(compare->isComplete());
        m_window->resize(900, 600); // they scroll, and ask for no larger window
        QTRY_COMPARE(m_window->size(), QSize(900, 600));
        m_window->resize(1440, 900);
        QTest::mouseClick(compare->charts().front()->removeButton(), Qt::LeftButton);
        QCOMPARE(compare->charts().size() + 2, ComparePane::kMostCharts);
        QVERIFY(compare->addButton()->isEnabled());
    }

    void colouredByASetting() {
        select({"alpha", "beta", "gamma"}); // alpha and beta have 17 layers, gamma 4
        page()->setCompared(true);
        ComparePane* compare = page()->compare();
        QTRY_VERIFY(compare->isComplete() && compare->plot()->lines().size() == 3);
        QVERIFY(compare->penOf(dir("alpha")) != compare->penOf(dir("beta")));
        compare->colourBy()->setCurrentIndex(compare->colourBy()->findData(QStringLiteral("model.encoder.n_layers")));
        QCOMPARE(compare->penOf(dir("alpha")), compare->penOf(dir("beta")));
        QVERIFY(compare->penOf(dir("alpha")) != compare->penOf(dir("gamma")));
        QTRY_VERIFY(compare->isComplete() && compare->plot()->lines()[0].pen == compare->penOf(dir("alpha")));
    }

    /// Runs with the same value are one curve, in all charts; what is hidden is the group.
    void groupedByASetting() {
        select({"alpha", "beta", "gamma"}); // losses 3, 2 and 1
        page()->setCompared(true);
        ComparePane* compare = page()->compare();
        QTRY_VERIFY(compare->isComplete() && compare->plot()->lines().size() == 3);
        QVERIFY(!compare->grouped()->isEnabled()); // by what
        compare->colourBy()->setCurrentIndex(compare->colourBy()->findData(QStringLiteral("model.encoder.n_layers")));
        QVERIFY(compare->grouped()->isEnabled());
        QTest::mouseClick(compare->grouped(), Qt::LeftButton, {}, QPoint(8, compare->grouped()->height() / 2));
        QVERIFY(compare->grouped()->isChecked());
        QTRY_VERIFY(compare->isComplete() && compare->plot()->lines().size() == 2);
        const auto& lines = compare->plot()->lines();
        QCOMPARE(lines[0].name, QStringLiteral("n_layers 4 (1 run)")); // by value
        QCOMPARE(lines[1].name, QStringLiteral("n_layers 17 (2 runs)"));
        QCOMPARE(lines[1].samples.size(), std::size_t{40});
        QCOMPARE(lines[1].samples[39].mean, 2.5);
        QCOMPARE(lines[1].samples[39].min, 2.0);
        QCOMPARE(lines[1].samples[39].max, 3.0);
        QCOMPARE(lines[1].pen, compare->penOf(dir("alpha")));
        QCOMPARE(compare->legend()->count(), 2);
        QCOMPARE(compare->legend()->item(0)->text(), lines[0].name); // no group is the baseline
        QVERIFY(compare->legend()->item(1)->toolTip().contains(QStringLiteral("beta")));
        compare->addChart();
        const CompareChart* chart = compare->charts().front();
        QTRY_VERIFY(compare->isComplete() && chart->plot()->lines().size() == 2);
        compare->legend()->item(1)->setCheckState(Qt::Unchecked);
        QVERIFY(chart->plot()->lines()[1].hidden && compare->plot()->lines()[1].hidden);
        QVERIFY(compare->plot()->csv().contains(QStringLiteral("n_layers 4")));
        compare->colourBy()->setCurrentIndex(0); // by run: no groups
        QVERIFY(!compare->grouped()->isEnabled());
        QTRY_VERIFY(compare->isComplete() && compare->plot()->lines().size() == 3);
        QVERIFY(!compare->plot()->lines()[1].hidden);
    }

    void otherSeedsAreSaid() {
        for (const char* seed : {"1", "2"}) {
            FolderSpec spec;
            spec.id = std::string("20260104-100000-seeded-000") + seed;
            spec.name = std::string("seeded") + seed;
            spec.yaml = std::string("rankscope: {seed: ") + seed + "}\n";
            test::makeFolder(root(), spec);
        }
        QTRY_COMPARE(names().size(), 5);
        select({"seeded1", "seeded2"});
        page()->setCompared(true);
        ComparePane* compare = page()->compare();
        QTRY_VERIFY(compare->isComplete() && compare->plot()->lines().size() == 2);
        QVERIFY2(compare->missing()->text().contains(QStringLiteral("different seeds")),
                 qPrintable(compare->missing()->text()));
        select({"alpha", "beta"}); // nothing is known of theirs
        QTRY_VERIFY(compare->isComplete() && compare->runs().front().info.name == "alpha");
        QVERIFY(!compare->missing()->text().contains(QStringLiteral("seeds")));
    }

    void categoriesAreReadable() {
        QList<RunRow> runs;
        const auto pool = std::make_shared<TextPool>();
        for (const char* yaml : {"faults: [{kind: data_loading, rank: 1}]\n", "faults: []\n"}) {
            RunRow run;
            run.paths.dir = "/runs/" + std::to_string(runs.size());
            run.settings = settingsOf(yaml, "effective.yaml", pool).value();
            run.lastLoss = 1;
            runs << run;
        }
        const auto data =
            scatterOf(runs, {}, settingField(QStringLiteral("faults")), *builtinField(QStringLiteral("loss")), 0);
        QCOMPARE(data.categories.size(), 2);
        QVERIFY2(data.categories.contains(QStringLiteral("none")) &&
                     data.categories.contains(QStringLiteral("kind: data_loading, rank: 1")),
                 qPrintable(data.categories.join(QLatin1Char('|'))));
    }

    void comparisonIsExported() {
        select({"alpha", "gamma"});
        page()->setCompared(true);
        ComparePlot* plot = page()->compare()->plot();
        QTRY_VERIFY(page()->compare()->isComplete() && plot->lines().size() == 2);
        for (const char* suffix : {"png", "pdf", "svg", "csv"}) {
            const QString file = m_dir->filePath(QStringLiteral("out.") + QLatin1String(suffix));
            QVERIFY(plot->exportTo(file, QStringLiteral("Two runs")));
            QVERIFY2(QFileInfo(file).size() > 500, suffix);
        }
        QCOMPARE(plot->csv().count(QLatin1Char('\n')), 1 + 2 * 40);
        const auto wrong = plot->exportTo(m_dir->filePath(QStringLiteral("out.doc")), {});
        QVERIFY(!wrong && wrong.error().what.find(".doc") != std::string::npos);
    }

    void aPointOfTheScatterChoosesItsRun() {
        select({"alpha", "beta", "gamma"});
        page()->setCompared(true);
        ComparePane* compare = page()->compare();
        compare->showTab(ComparePane::Scatter);
        compare->scatterX()->setCurrentIndex(compare->scatterX()->findData(QStringLiteral("model.optim.lr")));
        compare->scatterY()->setCurrentIndex(compare->scatterY()->findData(QStringLiteral("loss")));
        ScatterPlot* scatter = compare->scatter();
        QTRY_VERIFY(scatter->isDrawn() && scatter->data().points.size() == 3);
        int at = 0;
        for (int i = 0; i < 3; ++i)
            if (scatter->data().points[static_cast<std::size_t>(i)].name == QStringLiteral("beta"))
                at = i;
        QTest::mouseClick(scatter, Qt::LeftButton, {}, scatter->pixelOf(at).toPoint());
        QCOMPARE(page()->table()->selectedDirs(), QStringList{dir("beta")});
        compare->scatterY()->setCurrentIndex(compare->scatterY()->findData(QStringLiteral("memory")));
        QTRY_VERIFY(scatter->isDrawn() && scatter->unit() == QStringLiteral("MB")); // as everywhere else
    }

    void runsWithoutAStoreSayWhatIsMissing() {
        FolderSpec bare;
        bare.id = "20260104-100000-bare-0004";
        bare.name = "bare";
        bare.withStore = false;
        test::makeFolder(root(), bare);
        QTRY_COMPARE(names().size(), 4);
        select({"alpha", "bare"});
        page()->setCompared(true);
        ComparePane* compare = page()->compare();
        QTRY_VERIFY(compare->isComplete() && compare->plot()->lines().size() == 2);
        QVERIFY(compare->missing()->text().contains(QStringLiteral("bare: this run has no store")));
        QCOMPARE(compare->settings()->rowCount(), 0); // it says nothing of settings: nothing differs
    }

    void fitsSmallWindowsInBothLanguages() {
        const QString folder = qEnvironmentVariable("RANKSCOPE_PICTURES");
        page()->marks()->setFavourite({page()->model()->rows()[1]}, true);
        page()->marks()->setTags(page()->model()->rows()[2], {QStringLiteral("baseline"), QStringLiteral("long run")});
        page()->marks()->setNote(page()->model()->rows()[0], QStringLiteral("Peak too early"));
        QTRY_VERIFY(!page()->marks()->isBusy());
        select({"alpha", "beta", "gamma"});
        for (const char* language : {"en", "zh"})
            for (const QSize size : {QSize(1440, 900), QSize(1024, 640)})
                for (const bool dark : {false, true}) {
                    setLanguage(QLatin1String(language));
                    Theme::instance().apply(dark ? Theme::Mode::Dark : Theme::Mode::Light);
                    m_window->resize(size);
                    for (int tab = -1; tab <= ComparePane::Scatter; ++tab) {
                        page()->setCompared(tab >= 0);
                        page()->compare()->showTab(static_cast<ComparePane::Tab>(std::max(0, tab)));
                        page()->filter()->setText(tab == 0 ? QStringLiteral("loss<") : QString());
                        QTRY_VERIFY(page()->isComplete());
                        QTest::qWait(30);
                        QCOMPARE(m_window->size(), size);
                        if (!folder.isEmpty())
                            QVERIFY(
                                m_window->grab().save(QStringLiteral("%1/runs-%2-%3-%4-%5.png")
                                                          .arg(folder, QLatin1String(language))
                                                          .arg(size.width())
                                                          .arg(dark ? QStringLiteral("dark") : QStringLiteral("light"))
                                                          .arg(tab)));
                    }
                }
        setLanguage(QStringLiteral("en"));
        Theme::instance().apply(Theme::Mode::Light);
    }
};

RANKSCOPE_GUI_TEST(CompareTest)
#include "tst_compare_pane.moc"
