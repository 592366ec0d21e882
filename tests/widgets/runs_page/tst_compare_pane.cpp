// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison below the table of runs, in the real window.
#include "runs_window.h"
#include "widgets/runs_page/compare_model.h"
#include "widgets/runs_page/compare_pane.h"
#include "widgets/runs_page/compare_plot.h"
#include "widgets/runs_page/filter_edit.h"
#include "widgets/runs_page/marks_editor.h"
#include "widgets/runs_page/run_names.h"
#include "widgets/runs_page/scatter_plot.h"
#include "tests/support/test_runner.h"

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>

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
