// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison below the table of runs, in the real window.
#include "tests/support/test_runner.h"
#include "tests/widgets/runs_page/runs_window.h"
#include "widgets/plots/plot/plot_readout.h"
#include "widgets/runs_page/compare/compare_chart.h"
#include "widgets/runs_page/compare/compare_curves.h"
#include "widgets/runs_page/compare/compare_model.h"
#include "widgets/runs_page/compare/compare_pane.h"
#include "widgets/runs_page/compare/compare_plot.h"
#include "widgets/runs_page/compare/scatter_plot.h"
#include "widgets/runs_page/curves/run_names.h"
#include "widgets/runs_page/filter/filter_edit.h"
#include "widgets/runs_page/page/annotation_writer.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QElapsedTimer>
#include <QFont>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMouseEvent>
#include <QSet>
#include <QTableView>
#include <QToolButton>

using namespace rankscope;
using namespace rankscope::ui;
using rankscope::test::FolderSpec;
namespace fs = std::filesystem;

class CompareTest : public QObject, protected test::RunsWindow {
    Q_OBJECT

    ComparePane* compare() const { return page()->findChild<ComparePane*>(); }
    template <class Widget> Widget* child(const char* name) const {
        return compare()->findChild<Widget*>(QLatin1String(name));
    }
    ComparePlot* plot() const { return child<ComparePlot>("firstPlot"); }
    QList<CompareChart*> charts() const { return compare()->findChildren<CompareChart*>(); }
    QListWidget* legend() const { return compare()->findChild<QListWidget*>(); }
    QToolButton* addButton() const { return child<QToolButton>("addChart"); }
    /// Shows the table of figures or settings, and returns its model.
    const QAbstractItemModel* compared(const char* name) const {
        compare()->showTab(name == QLatin1String("figures") ? ComparePane::Figures : ComparePane::Settings);
        return child<QTableView>(name)->model();
    }
    /// Returns the plot's item of this class; null if there is none. The classes have no meta objects, so findChild()
    /// does not work.
    template <class Item> static const Item* itemOf(const QCustomPlot* plot) {
        for (int i = 0; i < plot->itemCount(); ++i)
            if (const auto* item = dynamic_cast<const Item*>(plot->item(i)))
                return item;
        return nullptr;
    }
    /// Returns the number of runs in the box at the pointer.
    qsizetype readoutSizeAt(double x) const {
        const QPointF at(plot()->xAxis->coordToPixel(x), plot()->axisRect()->center().y());
        QMouseEvent move(QEvent::MouseMove, at, plot()->mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
        QCoreApplication::sendEvent(plot(), &move);
        return itemOf<ReadoutItem>(plot())->cells.size();
    }
    QPen penOf(const char* run) const {
        for (const CompareLine& line : plot()->lines())
            if (line.id == dir(run))
                return line.pen;
        return Qt::NoPen;
    }
    void choose(const char* box, const QVariant& value) const {
        auto* combo = child<QComboBox>(box);
        combo->setCurrentIndex(combo->findData(value));
    }

    void addSeeded(const char* name, const char* seed, double loss, bool watched = false) {
        FolderSpec spec;
        spec.watched = watched;
        spec.id = std::string("20260104-100000-") + name + "-000" + seed;
        spec.name = name;
        spec.yaml = std::string("rankscope: {seed: ") + seed + "}\n";
        spec.loss = [loss](int, std::int64_t step) { return loss - 0.01 * static_cast<double>(step); };
        test::makeFolder(root(), spec);
    }

private slots:
    void initTestCase() { setUp(); }
    void init() { openWindow(); }
    void cleanup() { m_window.reset(); }

    void comparison() {
        select({"alpha", "beta", "gamma"});
        page()->setCompared(true);
        QTRY_VERIFY(compare()->isComplete() && plot()->lines().size() == 3);
        // no line here is that of a rank, so the runs may have the colours of ranks
        const auto& lines = plot()->lines();
        QSet<QRgb> colours;
        for (const auto& line : lines)
            colours << line.pen.color().rgb();
        QCOMPARE(colours.size(), 3);
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(lines[i].samples.size(), std::size_t{40});
            QCOMPARE(lines[i].samples[39].mean, lossOf(compare()->runs()[static_cast<qsizetype>(i)]));
        }
        QTRY_COMPARE(readoutSizeAt(10), 3);

        // the baseline comes first, and ratios refer to it; each run keeps its colour
        const QPen before = penOf("alpha");
        choose("baseline", dir("alpha"));
        QCOMPARE(compare()->runs().front().info.name, std::string("alpha"));
        QTRY_VERIFY(compare()->isComplete());
        QVERIFY(penOf("alpha") == before);
        const QAbstractItemModel* figures = compared("figures");
        int loss = -1;
        for (int row = 0; row < figures->rowCount(); ++row)
            if (figures->index(row, 0).data() == RunField{FieldId::Loss, "loss"}.title())
                loss = row;
        QVERIFY(loss >= 0);
        for (int run = 1; run < 3; ++run)
            QCOMPARE(figures->index(loss, run + 1).data(CompareModel::ShareRole).toDouble(),
                     lossOf(compare()->runs()[run]) / 3 - 1);
        for (int row = 0; row < figures->rowCount(); ++row) // the state as well
            QVERIFY(figures->index(row, 1).data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight);

        const QAbstractItemModel* settings = compared("settings");
        QStringList keys;
        for (int row = 0; row < settings->rowCount(); ++row)
            keys << settings->index(row, 0).data().toString();
        QCOMPARE(keys, (QStringList{"model.encoder.n_layers", "model.optim.lr", "name"}));
        const int beta = compare()->runs()[1].info.name == "beta" ? 2 : 3;
        QVERIFY(settings->index(0, beta).data(CompareModel::SameRole).toBool());
        QVERIFY(!settings->index(1, beta).data(CompareModel::SameRole).toBool());
        child<QCheckBox>("allSettings")->setChecked(true);
        QVERIFY(settings->rowCount() > 3);

        // by samples: 2 ranks with batches of 4
        choose("axis", 2);
        QTRY_VERIFY(compare()->isComplete() && plot()->lines()[0].samples[0].x == 8);
        legend()->item(1)->setCheckState(Qt::Unchecked);
        QTRY_VERIFY(plot()->lines()[1].hidden);
        QTRY_COMPARE(readoutSizeAt(10), 2);
    }

    /// The baseline is the run with that tag, otherwise the oldest.
    void theBaselineIsTheTaggedOrTheOldest() {
        select({"alpha", "beta", "gamma"});
        page()->setCompared(true);
        QTRY_VERIFY(compare()->isComplete() && compare()->runs().size() == 3);
        QCOMPARE(compare()->runs().front().info.name, std::string("alpha"));
        page()->setCompared(false);
        annotationWriter()->setTags(model()->rows()[model()->rowOf(dir("beta"))], {QStringLiteral("Baseline")});
        QTRY_COMPARE(marks("beta").tags.size(), std::size_t{1});
        QTRY_VERIFY(compare()->runs().isEmpty()); // runs that stay compared keep their baseline
        select({"alpha", "beta", "gamma"});
        page()->setCompared(true);
        QTRY_VERIFY(compare()->isComplete() && compare()->runs().size() == 3);
        QCOMPARE(compare()->runs().front().info.name, std::string("beta"));
        const QAbstractItemModel* figures = compared("figures");
        QStringList shown;
        for (int row = 0; row < figures->rowCount(); ++row)
            shown << figures->index(row, 3).data().toString();
        const bool said = std::any_of(shown.begin(), shown.end(), [](const QString& text) {
            return text.endsWith(QStringLiteral("better")) || text.endsWith(QStringLiteral("worse"));
        });
        QVERIFY2(said, qPrintable(shown.join(QLatin1Char('|'))));
    }

    /// It need not be selected, and its line differs from all others.
    void thePinnedBaselineIsAlwaysCompared() {
        annotationWriter()->setBaseline(model()->rows()[model()->rowOf(dir("gamma"))], {});
        QTRY_VERIFY(!annotationWriter()->isBusy() && marks("gamma").tags.size() == 1);
        select({"alpha", "beta"});
        page()->setCompared(true);
        QTRY_VERIFY(compare()->isComplete() && plot()->lines().size() == 3);
        QCOMPARE(compare()->runs().front().info.name, std::string("gamma"));
        QCOMPARE(penOf("gamma").color(), Theme::instance().palette().text);
        QVERIFY(penOf("gamma").widthF() > penOf("alpha").widthF());
        QTRY_VERIFY(legend()->count() == 3 && legend()->item(0)->text().contains(QStringLiteral("baseline")));
        choose("baseline", dir("alpha")); // until another run is pinned
        QCOMPARE(compare()->runs().front().info.name, std::string("alpha"));
        annotationWriter()->setBaseline(model()->rows()[model()->rowOf(dir("beta"))],
                                        {model()->rows()[model()->rowOf(dir("gamma"))]});
        QTRY_COMPARE(compare()->runs().front().info.name, std::string("beta"));
        QTRY_COMPARE(compare()->runs().size(), 2); // gamma is not selected
    }

    void severalChartsAtOnce() {
        select({"alpha", "gamma"});
        page()->setCompared(true);
        QVERIFY(!child<QLabel>("loading")->isHidden()); // no empty axes are shown before there is data
        QVERIFY(!plot()->isVisible());
        QTRY_VERIFY(compare()->isComplete() && plot()->lines().size() == 2);
        QVERIFY(!child<QLabel>("loading")->isVisible() && plot()->isVisible());
        QTest::mouseClick(addButton(), Qt::LeftButton);
        QCOMPARE(charts().size(), 1);
        const CompareChart* chart = charts().front();
        QTRY_VERIFY(compare()->isComplete() && chart->plot()->lines().size() == 2);
        QVERIFY(chart->metric()->currentData() != child<QComboBox>("metric")->currentData());
        chart->metric()->setCurrentIndex(chart->metric()->findData(static_cast<int>(store::Metric::Loss)));
        QTRY_VERIFY(compare()->isComplete() && !chart->plot()->lines()[0].samples.empty() &&
                    chart->plot()->lines()[0].samples[39].mean == lossOf(compare()->runs()[0]));
        legend()->item(1)->setCheckState(Qt::Unchecked); // hidden in all charts
        QVERIFY(chart->plot()->lines()[1].hidden && plot()->lines()[1].hidden);
        if (const QString folder = qEnvironmentVariable("RANKSCOPE_PICTURES"); !folder.isEmpty())
            QVERIFY(m_window->grab().save(folder + QStringLiteral("/runs-charts.png")));
        while (addButton()->isEnabled() && charts().size() < 20)
            addButton()->click();
        QCOMPARE(static_cast<std::size_t>(charts().size()) + 1, CompareCurves::kMostCharts);
        QTRY_VERIFY(compare()->isComplete());
        m_window->resize(900, 600); // the charts scroll, and the window stays small
        QTRY_COMPARE(m_window->size(), QSize(900, 600));
        m_window->resize(1440, 900);
        QTest::mouseClick(charts().front()->findChild<QToolButton*>(), Qt::LeftButton);
        QTRY_COMPARE(static_cast<std::size_t>(charts().size()) + 2, CompareCurves::kMostCharts);
        QVERIFY(addButton()->isEnabled());
    }

    void colouredByASetting() {
        select({"alpha", "beta", "gamma"}); // alpha and beta have 17 layers, gamma 4
        page()->setCompared(true);
        QTRY_VERIFY(compare()->isComplete() && plot()->lines().size() == 3);
        QVERIFY(penOf("alpha") != penOf("beta"));
        choose("colourBy", QStringLiteral("model.encoder.n_layers"));
        QTRY_VERIFY(compare()->isComplete() && penOf("alpha") == penOf("beta"));
        QVERIFY(penOf("alpha") != penOf("gamma"));
        const QAbstractItemModel* figures = compared("figures");
        QSet<QRgb> heads;
        for (int run = 1; run <= 3; ++run)
            heads.insert(figures->headerData(run, Qt::Horizontal, CompareModel::ColourRole).value<QColor>().rgb());
        QCOMPARE(heads.size(), 2);
        compare()->showTab(ComparePane::Scatter);
        choose("scatterX", QStringLiteral("model.optim.lr"));
        QTRY_COMPARE(compare()->findChild<ScatterPlot*>()->graphCount(), 2); // one for each colour
    }

    /// Runs with the same value form one curve in all charts, and hiding applies to the whole group.
    void groupedByASetting() {
        select({"alpha", "beta", "gamma"}); // losses 3, 2 and 1
        page()->setCompared(true);
        QTRY_VERIFY(compare()->isComplete() && plot()->lines().size() == 3);
        QVERIFY(!child<QCheckBox>("group")->isEnabled()); // no setting to group by is chosen
        choose("colourBy", QStringLiteral("model.encoder.n_layers"));
        QVERIFY(child<QCheckBox>("group")->isEnabled());
        QTRY_VERIFY(compare()->isComplete() && penOf("alpha") == penOf("beta"));
        const QPen alpha = penOf("alpha");
        QTest::mouseClick(child<QCheckBox>("group"), Qt::LeftButton, {},
                          QPoint(8, child<QCheckBox>("group")->height() / 2));
        QVERIFY(child<QCheckBox>("group")->isChecked());
        QTRY_VERIFY(compare()->isComplete() && plot()->lines().size() == 2);
        const auto& lines = plot()->lines();
        QCOMPARE(lines[0].name.whole, QStringLiteral("n_layers 4 (1 run)")); // sorted by value
        QCOMPARE(lines[1].name.whole, QStringLiteral("n_layers 17 (2 runs)"));
        QCOMPARE(lines[1].samples.size(), std::size_t{40});
        QCOMPARE(lines[1].samples[39].mean, 2.5);
        QCOMPARE(lines[1].samples[39].min, 2.0);
        QCOMPARE(lines[1].samples[39].max, 3.0);
        QCOMPARE(lines[1].pen, alpha);
        QCOMPARE(legend()->count(), 2);
        QCOMPARE(legend()->item(0)->text(), lines[0].name.whole); // a group is never the baseline
        QVERIFY(legend()->item(1)->toolTip().contains(QStringLiteral("beta")));
        addButton()->click();
        const CompareChart* chart = charts().front();
        QTRY_VERIFY(compare()->isComplete() && chart->plot()->lines().size() == 2);
        legend()->item(1)->setCheckState(Qt::Unchecked);
        QVERIFY(chart->plot()->lines()[1].hidden && plot()->lines()[1].hidden);
        QVERIFY(plot()->csv().contains(QStringLiteral("n_layers 4")));
        child<QComboBox>("colourBy")->setCurrentIndex(0); // colours by run: no groups
        QVERIFY(!child<QCheckBox>("group")->isEnabled());
        QTRY_VERIFY(compare()->isComplete() && plot()->lines().size() == 3);
        QVERIFY(!plot()->lines()[1].hidden);
    }

    void otherSeedsAreSaid() {
        addSeeded("seeded1", "1", 5);
        addSeeded("seeded2", "2", 6);
        addSeeded("again", "1", 7);
        addSeeded("program", "3", 7, true); // it seeds itself, whatever the recipe has
        QTRY_COMPARE(names().size(), 7);
        select({"seeded1", "seeded2", "again", "program"});
        page()->setCompared(true);
        QTRY_VERIFY(compare()->isComplete() && plot()->lines().size() == 4);
        choose("baseline", dir("seeded1"));
        QTRY_VERIFY(compare()->isComplete() && plot()->lines().size() == 4);
        const QString said = child<QLabel>("missing")->text();
        QVERIFY2(said.contains(QStringLiteral("The seed differs from the baseline's in seeded2.")), qPrintable(said));
        select({"alpha", "beta"}); // the seeds of these runs are unknown
        QTRY_VERIFY(compare()->isComplete() && compare()->runs().front().info.name == "alpha");
        QVERIFY(!child<QLabel>("missing")->text().contains(QStringLiteral("seed")));
    }

    /// One curve hides the other.
    void sixRunsFitSideBySide() {
        for (const char* name : {"four", "five", "six"})
            addSeeded(name, "4", 5);
        QTRY_COMPARE(names().size(), 6);
        m_window->resize(1440, 900);
        QTRY_COMPARE(m_window->size(), QSize(1440, 900));
        select({"alpha", "beta", "gamma", "four", "five", "six"});
        page()->setCompared(true);
        QTRY_VERIFY(compare()->isComplete() && compare()->runs().size() == 6);
        for (const auto& [tab, name] :
             {std::pair(ComparePane::Figures, "figures"), {ComparePane::Settings, "settings"}}) {
            compare()->showTab(tab);
            const auto* view = child<QTableView>(name);
            QTRY_VERIFY2(view->horizontalHeader()->length() <= view->viewport()->width(), name);
        }
    }
    /// Tabs are filled when they are looked at.
    void eachTabHasTheRunsAndTheWidthOfNow() {
        m_window->resize(1440, 900);
        select({"alpha", "beta"});
        page()->setCompared(true);
        QTRY_VERIFY(compare()->isComplete() && compare()->runs().size() == 2);
        for (const char* name : {"figures", "settings"})
            QCOMPARE(compared(name)->columnCount(), 3);
        compare()->showTab(ComparePane::Curves);
        select({"alpha", "beta", "gamma"});
        QTRY_VERIFY(compare()->isComplete() && compare()->runs().size() == 3);
        m_window->resize(900, 600);
        QTRY_COMPARE(m_window->size(), QSize(900, 600));
        for (const char* name : {"figures", "settings"}) {
            QCOMPARE(compared(name)->columnCount(), 4);
            auto* header = child<QTableView>(name)->horizontalHeader();
            const int fitted = header->length();
            header->resizeSection(1, header->sectionSize(1) + 100);
            compare()->showTab(ComparePane::Curves);
            QCOMPARE(compared(name)->columnCount(), 4);
            QCOMPARE(header->length(), fitted + 100); // the user's width stays
            compare()->showTab(ComparePane::Curves);
            m_window->resize(m_window->width() + 100, 600);
            QCoreApplication::processEvents();
            QCOMPARE(compared(name)->columnCount(), 4);
            QCOMPARE(header->length(), fitted); // until the window has another one
        }
        const auto shown = [&](const char* run) {
            const QAbstractItemModel* figures = compared("figures");
            for (int i = 1; i < figures->columnCount(); ++i)
                if (figures->headerData(i, Qt::Horizontal, Qt::DisplayRole).toString().startsWith(QLatin1String(run)))
                    return figures->index(0, i).data(CompareModel::ValueRole).toString();
            return QString();
        };
        QVERIFY(!shown("gamma").isEmpty());
        compare()->showTab(ComparePane::Settings);
        select({"beta", "gamma"});
        QTRY_COMPARE(compare()->runs().size(), 2);
        QVERIFY(!shown("gamma").isEmpty() && shown("alpha").isEmpty());
        m_window->resize(1440, 900);
    }
    void anIdenticalCurveIsSaidToBeOne() {
        addSeeded("first", "1", 5);
        addSeeded("second", "1", 5);
        addSeeded("third", "1", 6);
        QTRY_COMPARE(names().size(), 6);
        select({"first", "second", "third"});
        page()->setCompared(true);
        QTRY_VERIFY(compare()->isComplete() && plot()->lines().size() == 3);
        choose("baseline", dir("first"));
        QTRY_VERIFY(compare()->isComplete() && legend()->count() == 3 &&
                    legend()->item(0)->text() == QStringLiteral("first (baseline)"));
        QStringList told;
        for (int i = 1; i < 3; ++i)
            told << legend()->item(i)->text();
        told.sort();
        QCOMPARE(told, (QStringList{"second (identical)", "third"}));
        QVERIFY(penOf("second").style() == Qt::DashLine && penOf("first").style() == Qt::SolidLine);
    }

    void commasInValuesAreCopied() {
        for (const char* beta : {"0.98", "0.99"}) {
            FolderSpec spec;
            spec.id = std::string("20260104-100000-betas-") + beta;
            spec.name = "betas";
            spec.yaml = std::string("name: betas\nmodel: {optim: {betas: [0.9, ") + beta + "]}}\n";
            test::makeFolder(root(), spec);
        }
        QTRY_COMPARE(names().size(), 5);
        table()->selectDirs({QString::fromStdString((root() / "20260104-100000-betas-0.98").string()),
                             QString::fromStdString((root() / "20260104-100000-betas-0.99").string())});
        page()->setCompared(true);
        QTRY_VERIFY(compare()->isComplete() && plot()->lines().size() == 2);
        const auto copied = [&] {
            for (QToolButton* button : compare()->findChildren<QToolButton*>())
                if (button->toolTip() == QStringLiteral("Copy the table, tab-separated"))
                    button->click();
            return QGuiApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        };
        const QStringList curves = copied();
        QVERIFY2(curves[1].startsWith(QStringLiteral("\"betas")) &&
                     curves.last().contains(QStringLiteral("[0.9, 0.99]")),
                 qPrintable(curves.last()));
        for (const QString& line : curves)
            QCOMPARE(line.count(QLatin1Char('\t')), curves.front().count(QLatin1Char('\t')));
        compare()->showTab(ComparePane::Scatter);
        choose("scatterX", QStringLiteral("model.optim.betas"));
        const QStringList points = copied();
        QCOMPARE(points.size(), 3);
        QCOMPARE(points[1].split(QLatin1Char('\t')).size(), 3);
        QVERIFY2(points[1].contains(QStringLiteral("[0.9, 0.98]")) || points[2].contains(QStringLiteral("[0.9, 0.98]")),
                 qPrintable(points[1]));
    }

    void categoriesAreReadable() {
        QList<RunRow> runs;
        const auto pool = std::make_shared<StringInterner>();
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

    /// Choosing a colour for a run does not walk over all of them, which took seconds.
    void categoriesAreShortenedToTheirRoom() {
        const QStringList names{QStringLiteral("xavier_uniform"), QStringLiteral("kaiming_normal")};
        ScatterPlot plot;
        plot.setData({{{0, 1, {}, {}, {}, {}, Qt::black}, {1, 2, {}, {}, {}, {}, Qt::black}}, names}, {}, {});
        plot.resize(200, 200);
        plot.show();
        const auto shown = [&plot] { return plot.xAxis->ticker().staticCast<QCPAxisTickerText>()->ticks().values(); };
        QVERIFY2(shown().front().endsWith(QChar(0x2026)), qPrintable(shown().front()));
        plot.resize(800, 200);
        QTRY_COMPARE(shown(), names);
    }
    void tenThousandRunsAreColouredAtOnce() {
        constexpr int kRuns = 10'000;
        const auto pool = std::make_shared<StringInterner>();
        const RunSettingsPtr low = settingsOf("lr: 0.001\n", "effective.yaml", pool).value(),
                             high = settingsOf("lr: 0.1\n", "effective.yaml", pool).value();
        QList<RunRow> runs(kRuns);
        for (int i = 0; i < kRuns; ++i) {
            runs[i].paths.dir = "/runs/20260101-100000-quickstart-" + std::to_string(i);
            runs[i].settings = i % 2 == 0 ? low : high;
        }
        CompareCurves curves;
        curves.retranslate();
        curves.setRuns(runs, QList<RunName>(kRuns));
        auto* by = curves.findChild<QComboBox*>(QStringLiteral("colourBy"));
        const int setting = by->findData(QStringLiteral("lr"));
        QVERIFY(setting > 0);
        QElapsedTimer clock;
        clock.start();
        by->setCurrentIndex(setting);
        const QList<QColor> colours = curves.colours();
        QVERIFY2(clock.elapsed() < 2'000, qPrintable(QString::number(clock.elapsed())));
        QCOMPARE(colours.size(), kRuns);
        QVERIFY(colours[0] == colours[2] && colours[1] == colours[3] && colours[0] != colours[1]);
    }

    void comparisonIsExported() {
        select({"alpha", "gamma"});
        page()->setCompared(true);
        QTRY_VERIFY(compare()->isComplete() && plot()->lines().size() == 2);
        for (const char* suffix : {"png", "pdf", "svg", "csv"}) {
            const QString file = m_dir->filePath(QStringLiteral("out.") + QLatin1String(suffix));
            QVERIFY(plot()->exportTo(file, QStringLiteral("Two runs")));
            QVERIFY2(QFileInfo(file).size() > 500, suffix);
        }
        QCOMPARE(plot()->csv().count(QLatin1Char('\n')), 1 + 2 * 40);
        const auto wrong = plot()->exportTo(m_dir->filePath(QStringLiteral("out.doc")), {});
        QVERIFY(!wrong && wrong.error().what.english().find(".doc") != std::string::npos);
    }

    void aPointOfTheScatterChoosesItsRun() {
        select({"alpha", "beta", "gamma"});
        page()->setCompared(true);
        compare()->showTab(ComparePane::Scatter);
        choose("scatterX", QStringLiteral("model.optim.lr"));
        choose("scatterY", QStringLiteral("loss"));
        auto* scatter = compare()->findChild<ScatterPlot*>();
        QTRY_COMPARE(scatter->data().points.size(), std::size_t{3});
        scatter->replot();
        int at = 0;
        for (int i = 0; i < 3; ++i)
            if (scatter->data().points[static_cast<std::size_t>(i)].name == QStringLiteral("beta"))
                at = i;
        QTest::mouseClick(scatter, Qt::LeftButton, {}, scatter->pixelOf(at).toPoint());
        QCOMPARE(table()->selectedDirs(), QStringList{dir("beta")});
        choose("scatterY", QStringLiteral("memory"));
        QTRY_COMPARE(itemOf<PlotFrameItem>(scatter)->unit, QStringLiteral("MB")); // the same unit as everywhere else
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
        QTRY_VERIFY(compare()->isComplete() && plot()->lines().size() == 2);
        QVERIFY(child<QLabel>("missing")->text().contains(QStringLiteral("bare: this run has no store")));
        QCOMPARE(compared("settings")->rowCount(), 0); // the run without settings does not count: nothing differs
    }

    /// A run without effective.yaml has settings, too; they are not known, which differs from not being set.
    void unknownSettingsAreNotSaidToDiffer() {
        FolderSpec bare;
        bare.id = "20260104-100000-bare-0004";
        bare.name = "bare";
        test::makeFolder(root(), bare);
        QTRY_COMPARE(names().size(), 4);
        select({"alpha", "beta", "bare"});
        page()->setCompared(true);
        QTRY_VERIFY(compare()->isComplete() && compare()->runs().size() == 3);
        const QAbstractItemModel* settings = compared("settings");
        const auto cell = [&](const char* name) { // of the first setting that differs
            for (qsizetype run = 0; run < compare()->runs().size(); ++run)
                if (compare()->runs()[run].info.name == name)
                    return settings->index(0, static_cast<int>(run) + 1);
            return QModelIndex();
        };
        const auto isBold = [](const QModelIndex& at) { return at.data(Qt::FontRole).value<QFont>().bold(); };
        choose("baseline", dir("alpha"));
        QCOMPARE(settings->index(0, 0).data().toString(), QStringLiteral("model.optim.lr"));
        QVERIFY(isBold(cell("beta")));
        QVERIFY(!isBold(cell("bare")));
        QCOMPARE(cell("bare").data(Qt::ToolTipRole).toString(), QStringLiteral("not known\nbaseline: 0.1"));
        choose("baseline", dir("bare"));
        QVERIFY(!isBold(cell("beta")));
        QCOMPARE(cell("beta").data(Qt::ToolTipRole).toString(), QStringLiteral("0.01\nbaseline: not known"));
    }

    void fitsSmallWindowsInBothLanguages() {
        const QString folder = qEnvironmentVariable("RANKSCOPE_PICTURES");
        annotationWriter()->setFavourite({model()->rows()[1]}, true);
        annotationWriter()->setTags(model()->rows()[2], {QStringLiteral("baseline"), QStringLiteral("long run")});
        annotationWriter()->setNote(model()->rows()[0], QStringLiteral("Peak too early"));
        QTRY_VERIFY(!annotationWriter()->isBusy());
        select({"alpha", "beta", "gamma"});
        for (const char* language : {"en", "zh"})
            for (const QSize size : {QSize(1440, 900), QSize(1024, 640)})
                for (const bool dark : {false, true}) {
                    setLanguage(QLatin1String(language));
                    Theme::instance().apply(dark ? Theme::Mode::Dark : Theme::Mode::Light);
                    m_window->resize(size);
                    for (int tab = -1; tab <= ComparePane::Scatter; ++tab) {
                        page()->setCompared(tab >= 0);
                        compare()->showTab(static_cast<ComparePane::CompareTab>(std::max(0, tab)));
                        filterEdit()->setText(tab == 0 ? QStringLiteral("loss<") : QString());
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
