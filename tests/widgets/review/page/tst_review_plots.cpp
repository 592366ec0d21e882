// SPDX-License-Identifier: GPL-3.0-or-later
// The page's plots, the menu of each, and what is drawn in addition to the curves.
#include "core/launch/run/run_annotations.h"
#include "core/store/report/scalar_reader.h"
#include "tests/support/test_runner.h"
#include "tests/widgets/review/review_shown.h"
#include "widgets/review/annotations/annotation_bar.h"
#include "widgets/review/page/plot_legend.h"
#include "widgets/review/page/plot_stack.h"
#include "widgets/review/series/plot_series.h"
#include "widgets/theme/theme.h"

#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QSplitter>
#include <QTemporaryDir>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::test;

class TestReviewPlots : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }
    void exports();
    void theLegendNamesTheSignsInSight();
    void timeWithoutASupervisorIsABand();
    void layoutIsRestored();
    void everyMetricCanBePlotted();
    void lossHasAUnitIfItIsKnown_data();
    void lossHasAUnitIfItIsKnown();
    void whatWasNotRecordedTakesNoRoom();
    void plotsComeGoAndMove();
    void menuOfAPlot();
    void seriesOfAnImport();
    void tagsAreBoundedAndKeepExtremes();
    void checkpointsAreMarked();
    void annotationsAreStored();
    void aRefusedAnnotationKeepsItsText();
};

void TestReviewPlots::exports() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    QTRY_VERIFY(!shown.page.findChild<PlotLegend*>()->names().isEmpty()); // the incident was read
    QTemporaryDir dir;
    const auto file = [&](const char* name) { return dir.filePath(QLatin1String(name)); };
    QCOMPARE(shown.page.exportTo(file("a.png")), QString());
    const QImage png(file("a.png"));
    QVERIFY(png.width() >= 1200);
    QVERIFY(pixelsLike(png, shown.plots()[0]->lineColour(1), png.rect()) > 500);
    // below the ranks, the picture says what the incident's mark means
    QVERIFY(pixelsLike(png, Theme::instance().palette().incident, QRect(0, 96, 400, 40)) > 40);
    for (const char* name : {"a.svg", "a.pdf", "a.csv"}) {
        QCOMPARE(shown.page.exportTo(file(name)), QString());
        QVERIFY(QFile(file(name)).size() > 2000);
    }
    QFile csv(file("a.csv"));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    const auto lines = QString::fromUtf8(csv.readAll()).split(u'\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 1 + 3 * 2 * 120);
    const auto row = lines[1 + 5].split(u',');
    QCOMPARE(row[3], QStringLiteral("5"));
    QVERIFY(std::abs(row[7].toDouble() - describe(0, 5).loss) < 1e-6);
    QFile svg(file("a.svg"));
    QVERIFY(svg.open(QIODevice::ReadOnly));
    QVERIFY(svg.readAll().contains("<path") || svg.size() > 10'000);
    QVERIFY(shown.page.exportTo(file("a.bmp")).contains(QStringLiteral(".png")));
    QVERIFY(!shown.page.exportTo(QStringLiteral("/nowhere/a.png")).isEmpty());
}

void TestReviewPlots::theLegendNamesTheSignsInSight() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(400, describe);
    run.addCheckpoint(200);
    run.addIncident(1, diagnosis::Cause::DataLoading, 1, 60, 3'000'000'000);
    run.finishStore();
    run.setState(RunState::Finished);
    Shown shown(run);
    QVERIFY(shown.complete());
    const auto* legend = shown.page.findChild<PlotLegend*>();
    QVERIFY(legend && legend->isVisible());
    const QStringList both{QStringLiteral("incident (bar: its duration)"), QStringLiteral("checkpoint")};
    QTRY_COMPARE(legend->names(), both);
    QList<IncidentSpan> paused = shown.plots()[0]->spans();
    QCOMPARE(paused.size(), 1);
    paused[0].pause = true;
    for (RankPlot* plot : shown.plots())
        plot->setSpans(paused, 0);
    QTRY_COMPARE(legend->names().front(), QStringLiteral("pause of the whole run"));
    const int height = legend->height();
    for (RankPlot* plot : shown.plots()) {
        plot->setSpans({}, 0);
        plot->setMarks({});
    }
    QTRY_COMPARE(legend->names(), QStringList());
    QCOMPARE(legend->height(), height); // nothing moves
}

/// While nobody watched the ranks, no incident could be found; the plots of waits say so.
void TestReviewPlots::timeWithoutASupervisorIsABand() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(120, describe);
    const std::int64_t begin = run.stepBegin(30) - run.info().startNs, end = run.stepBegin(40) - run.info().startNs;
    run.addUnwatched(begin, end);
    run.finishStore();
    run.setState(RunState::Finished);
    Shown shown(run);
    QVERIFY(shown.complete());
    RankPlot* waits = shown.plots()[2];
    QTRY_COMPARE(waits->unwatched().size(), std::size_t{1});
    QTRY_VERIFY(std::abs(waits->unwatched()[0].lo - 29.5) < 0.6 && std::abs(waits->unwatched()[0].hi - 39.5) < 0.6);
    QVERIFY(shown.plots()[0]->unwatched().empty());
    QTRY_VERIFY(shown.page.findChild<PlotLegend*>()->names().contains(QStringLiteral("not watched")));
    QVERIFY(!shown.plots()[0]->signs()[static_cast<std::size_t>(PlotSign::Unwatched)]);
    shown.page.setAxis(CurveAxis::Time);
    QTRY_COMPARE(waits->unwatched()[0],
                 (PlotRange{static_cast<double>(begin) * 1e-9, static_cast<double>(end) * 1e-9}));
    shown.page.showSteps(80, 100);
    QTRY_VERIFY(!shown.page.findChild<PlotLegend*>()->names().contains(QStringLiteral("not watched")));
}

void TestReviewPlots::layoutIsRestored() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    const QByteArray whole = shown.page.saveLayout();
    shown.page.restoreLayout("{\"hidden\":[\"wait\",\"overview\"],\"log\":true}");
    QVERIFY(shown.complete());
    QVERIFY(!shown.plots()[2]); // hidden by the older layout
    QVERIFY(shown.page.findChild<OverviewStrip*>()->isHidden());
    QVERIFY(shown.page.logScale());
    QCOMPARE(shown.plots()[1]->xAxis->label(), QStringLiteral("step")); // the lowest visible plot
    shown.page.restoreLayout(whole);
    QVERIFY(shown.plots()[2] && shown.plots()[2]->isVisible());
    QVERIFY(!shown.page.logScale());
}

namespace {

QAction* actionOf(const QMenu* menu, const QString& text) {
    for (auto* action : menu->actions()) {
        if (action->text().section(u'\t', 0, 0) == text)
            return action;
        if (action->menu())
            if (auto* found = actionOf(action->menu(), text))
                return found;
    }
    return nullptr;
}

/// Opens a plot's menu with the menu key.
QMenu* menuOf(const Shown& shown, RankPlot* plot) {
    QContextMenuEvent event(QContextMenuEvent::Keyboard, plot->rect().center(), plot->mapToGlobal(QPoint(5, 5)));
    QCoreApplication::sendEvent(plot, &event);
    for (auto* menu : shown.page.findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly))
        if (menu->isVisible())
            return menu;
    return nullptr;
}

/// A run whose store contains imported series.
struct Imported {
    Imported() : run(2, RunState::Running) {
        run.addSteps(64, describe);
        run.finishStore();
        run.setState(RunState::Finished);
        auto store = store::RunWriter::reopen(run.paths().store());
        std::vector<store::ImportedValue> values;
        for (int rank = 0; rank < 2; ++rank)
            for (std::int64_t step = 0; step < 5000; ++step) {
                store::ImportedValue v;
                v.rank = rank;
                v.step = step;
                v.timeNs = step * 1'000'000;
                v.value = step == 4321 ? 99.0 : step == 77 ? NAN : rank + 0.001 * static_cast<double>(step % 10);
                v.tag = "train/acc, top1";
                values.push_back(v);
            }
        written = store && store->import(values) && store->finishImport();
    }
    SyntheticRun run;
    bool written = false;
};

} // namespace

void TestReviewPlots::everyMetricCanBePlotted() {
    for (const auto& info : store::metrics()) {
        const auto series = PlotSeries::fromKey(QLatin1String(info.column));
        QVERIFY2(series && series->metric == info.metric && !series->title().isEmpty(), info.column);
        QCOMPARE(series->key(), QLatin1String(info.column));
    }
    QVERIFY(!PlotSeries::fromKey(QStringLiteral("no such column")));
    QVERIFY(!PlotSeries::fromKey(QStringLiteral("tag:")));
    QVERIFY(!PlotSeries::fromKey(QStringLiteral("tag:") + QString(1000, u'x')));
    QCOMPARE(PlotSeries::fromKey(QStringLiteral("tag:a:b"))->title(), QStringLiteral("a:b"));
}

void TestReviewPlots::lossHasAUnitIfItIsKnown_data() {
    QTest::addColumn<bool>("watched");
    QTest::addColumn<QString>("recipeFrom");
    QTest::addColumn<QString>("importedFrom");
    QTest::addColumn<QString>("unit");
    QTest::newRow("our trainer") << false << QString() << QString() << QStringLiteral("nats");
    QTest::newRow("NeMo") << true << QStringLiteral("NeMo 2.7.3") << QString() << QStringLiteral("nats");
    QTest::newRow("another program") << true << QString() << QString() << QString();
    QTest::newRow("an import") << false << QString() << QStringLiteral("/events") << QString();
}

void TestReviewPlots::lossHasAUnitIfItIsKnown() {
    QFETCH(bool, watched);
    QFETCH(QString, recipeFrom);
    QFETCH(QString, importedFrom);
    const auto run = ended();
    launch::RunInfo info = run->info();
    if (watched)
        info.command = {"python", "train.py"};
    info.recipeFrom = recipeFrom.toStdString();
    info.importedFrom = importedFrom.toStdString();
    QVERIFY(launch::writeRunInfo(run->paths(), info));
    Shown shown(*run);
    QVERIFY(shown.complete());
    QTEST(shown.plots()[0]->spec().unit, "unit");
    QCOMPARE(shown.plots()[1]->spec().unit, QStringLiteral("frames"));
}

/// A plot that will never have a curve leaves its room to the others, and gets it back for a run that has one.
void TestReviewPlots::whatWasNotRecordedTakesNoRoom() {
    SyntheticRun withoutBatches(2, RunState::Running, 50);
    withoutBatches.addSteps(50, [](int, std::int64_t step) {
        RankStep one;
        one.loss = 5 - 0.05 * static_cast<double>(step);
        one.batch = 0;
        return one;
    });
    withoutBatches.addEnds(telemetry::EndCause::Finished);
    withoutBatches.finishStore();
    withoutBatches.setState(RunState::Finished);
    const auto recorded = ended();
    Shown shown(*recorded);
    QVERIFY(shown.complete());
    const int usual = shown.plots()[1]->height();
    QVERIFY(usual > 100);
    RunSession other(withoutBatches.paths());
    shown.page.setSession(&other);
    QVERIFY(shown.complete());
    QTRY_VERIFY2(shown.plots()[1]->height() < 60, qPrintable(QString::number(shown.plots()[1]->height())));
    QVERIFY(shown.plots()[0]->height() > usual);
    const QByteArray kept = shown.page.saveLayout(); // has the height that the plot gets back
    QVERIFY2(ReviewLayout::fromBytes(kept).plotHeights.at(1) >= 100, kept.constData());
    shown.page.setSession(shown.session.get());
    QVERIFY(shown.complete());
    QTRY_VERIFY(std::abs(shown.plots()[1]->height() - usual) < 10);
}

void TestReviewPlots::plotsComeGoAndMove() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    QVERIFY(shown.page.addPlot(QStringLiteral("step_ns")));
    QVERIFY(!shown.page.addPlot(QStringLiteral("step_ns"))); // it is already on the page
    QVERIFY(!shown.page.addPlot(QStringLiteral("nonsense")));
    QVERIFY(shown.complete());
    auto* added = shown.page.findChild<RankPlot*>(QStringLiteral("step_nsPlot"));
    QVERIFY(added && added->line(0));
    QCOMPARE(added->line(0)->dataCount(), 120);
    QVERIFY(std::abs(added->line(0)->dataMainValue(5) - 0.12) < 1e-6); // seconds
    QCOMPARE(added->xAxis->label(), QStringLiteral("step"));           // the lowest plot
    QVERIFY(shown.plots()[2]->xAxis->label().isEmpty());
    added->setFocus();
    QTest::keyClick(added, Qt::Key_Up, Qt::AltModifier);
    QTest::keyClick(added, Qt::Key_Up, Qt::AltModifier);
    QTest::keyClick(added, Qt::Key_Up, Qt::AltModifier);
    QTest::keyClick(added, Qt::Key_Up, Qt::AltModifier); // already at the top
    QVERIFY(shown.complete());
    const auto* splitter = shown.page.findChild<QSplitter*>();
    QCOMPARE(splitter->indexOf(added), 0);
    QCOMPARE(shown.plots()[2]->xAxis->label(), QStringLiteral("step"));
    const QByteArray layout = shown.page.saveLayout();
    QTest::keyClick(added, Qt::Key_Delete);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QVERIFY(!shown.page.findChild<RankPlot*>(QStringLiteral("step_nsPlot")));
    QCOMPARE(splitter->count(), 3);
    shown.page.restoreLayout(layout);
    QVERIFY(shown.complete());
    QCOMPARE(splitter->count(), 4);
    QCOMPARE(static_cast<RankPlot*>(splitter->widget(0))->objectName(), QStringLiteral("step_nsPlot"));
    QCOMPARE(static_cast<RankPlot*>(splitter->widget(0))->line(0)->dataCount(), 120);
    // a layout with only unknown series, and one with too many plots
    shown.page.restoreLayout("{\"version\":2,\"plots\":[{\"series\":\"future\"}]}");
    QVERIFY(shown.complete());
    QCOMPARE(splitter->count(), 1);
    QSignalSpy messages(&shown.page, &ReviewPage::message);
    QTest::keyClick(splitter->widget(0), Qt::Key_Delete);
    QCOMPARE(splitter->count(), 1);
    QVERIFY(messages.last()[0].toString().contains(QStringLiteral("last plot")));
}

void TestReviewPlots::menuOfAPlot() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    auto* wait = shown.plots()[2];
    QMenu* menu = menuOf(shown, wait);
    QVERIFY(menu);
    actionOf(menu, QStringLiteral("Logarithmic"))->trigger();
    QVERIFY(shown.complete());
    QCOMPARE(wait->yAxis->scaleType(), QCPAxis::stLogarithmic);
    QCOMPARE(shown.plots()[0]->yAxis->scaleType(), QCPAxis::stLinear); // only this plot changed
    actionOf(menu, QStringLiteral("Copy as table"))->trigger();
    const auto lines = QGuiApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 1 + 2 * 120);
    const auto cells = lines[1 + 120 + 7].split(u'\t');
    QCOMPARE(cells[0], QStringLiteral("Collective wait"));
    QCOMPARE(cells[2], QStringLiteral("1"));
    QCOMPARE(cells[3], QStringLiteral("7"));
    actionOf(menu, QStringLiteral("Throughput"))->trigger();
    QVERIFY(shown.page.findChild<RankPlot*>(QStringLiteral("samples_per_secondPlot")));
    menu->close();
    QMenu* first = menuOf(shown, shown.plots()[0]);
    QVERIFY(first && !actionOf(first, QStringLiteral("Move up"))->isEnabled());
    actionOf(first, QStringLiteral("Remove this plot"))->trigger();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QVERIFY(!shown.plots()[0]);
}

void TestReviewPlots::seriesOfAnImport() {
    const Imported imported;
    QVERIFY(imported.written);
    Shown shown(imported.run);
    QVERIFY(shown.complete());
    QMenu* menu = menuOf(shown, shown.plots()[0]);
    QVERIFY(menu && actionOf(menu, QStringLiteral("train/acc, top1")));
    actionOf(menu, QStringLiteral("train/acc, top1"))->trigger();
    QVERIFY(shown.complete());
    auto* plot = shown.page.findChild<RankPlot*>(QStringLiteral("tagPlot"));
    QVERIFY(plot && plot->line(1));
    QVERIFY(std::abs(plot->line(1)->dataMainValue(9) - 1.009) < 1e-9);
    QVERIFY(shown.page.saveLayout().contains("tag:train/acc, top1"));
    shown.page.setAxis(CurveAxis::Time);
    QVERIFY(shown.complete());
    QVERIFY(plot->line(0)->dataCount() > 0);
}

void TestReviewPlots::tagsAreBoundedAndKeepExtremes() {
    const Imported imported;
    QVERIFY(imported.written);
    auto reader = store::ScalarReader::open(imported.run.paths().store());
    QVERIFY(reader.has_value());
    const std::string tag = "train/acc, top1";
    QCOMPARE(reader->tags()->size(), std::size_t{1});
    for (const bool byTime : {false, true})
        for (const int most : {1, 7, 100, 4999, 5000, 100'000}) {
            const auto points =
                byTime ? reader->seriesByTime(tag, 1, 0, INT64_MAX, most) : reader->series(tag, 1, 0, INT64_MAX, most);
            QVERIFY(points && points->size() <= static_cast<std::size_t>(most) + 1);
            double top = 0;
            std::int64_t count = 0, bad = 0, next = 0;
            for (const auto& p : *points) {
                QCOMPARE(p.firstStep, next);
                next = p.lastStep + 1;
                top = p.count ? std::max(top, p.max) : top;
                count += p.count;
                bad += p.notFinite;
            }
            QCOMPARE(top, 99.0);
            QCOMPARE(count, 4999);
            QCOMPARE(bad, 1);
        }
    QCOMPARE(reader->series(tag, 1, 4000, 4010, 100)->size(), std::size_t{11});
    QVERIFY(reader->series(tag, 7, 0, 10, 100)->empty());
    QVERIFY(reader->series("none", 0, 0, 10, 100)->empty());
    QVERIFY(!store::ScalarReader::open("/nowhere/run.sqlite"));
}

void TestReviewPlots::checkpointsAreMarked() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(40, describe);
    run.addCheckpoint(9);
    run.addCheckpoint(38); // newer than the newest point of the pyramid
    run.finishStore();
    run.setState(RunState::Finished);
    Shown shown(run);
    QVERIFY(shown.complete());
    std::vector<double> at;
    for (const auto& mark : shown.plots()[0]->marks())
        if (mark.kind == PlotMark::PlotMarkKind::Checkpoint)
            at.push_back(mark.lo);
    QCOMPARE(at, (std::vector<double>{9, 38}));
    auto* plot = shown.plots()[2];
    const QPoint sign(static_cast<int>(plot->xAxis->coordToPixel(9)), plot->axisRect()->bottom() - 4);
    QTest::mouseMove(plot, sign + QPoint(1, 0));
    QTest::mouseMove(plot, sign);
    QCOMPARE(plot->toolTip(), QStringLiteral("Checkpoint after step 9"));
    shown.page.setAxis(CurveAxis::Time);
    QVERIFY(shown.complete());
    for (const auto& mark : plot->marks())
        // places are in seconds now
        QVERIFY(mark.kind != PlotMark::PlotMarkKind::Checkpoint || std::abs(mark.lo - 9) > 1);
}

void TestReviewPlots::annotationsAreStored() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    auto* bar = shown.page.findChild<AnnotationBar*>();
    const auto stored = [&] { return launch::readMarks(run->paths())->annotations; };
    const auto settled = [&](std::size_t n) {
        return QTest::qWaitFor(
            [&] {
                std::size_t shownOnes = 0;
                for (const auto& mark : shown.plots()[0]->marks())
                    shownOnes += mark.kind == PlotMark::PlotMarkKind::Annotation;
                return shown.page.isComplete() && stored().size() == n && shownOnes == n;
            },
            10'000);
    };
    shown.page.showSteps(20, 40);
    QVERIFY(shown.complete());
    shown.page.annotate(); // in the middle of the view
    QVERIFY(bar->isVisible());
    QTest::keyClicks(bar->line(), QStringLiteral("learning rate halved"));
    QTest::keyClick(bar->line(), Qt::Key_Return);
    QTRY_VERIFY(bar->isHidden());
    QVERIFY(settled(1));
    QCOMPARE(stored()[0].firstStep, 30);
    QCOMPARE(stored()[0].text, std::string("learning rate halved"));
    QVERIFY(std::abs(static_cast<double>(stored()[0].timeNs) - 30.5 * 0.12e9) < 0.1e9);
    shown.page.annotate();
    QTest::keyClick(bar->line(), Qt::Key_Return); // nothing was typed
    QTest::keyClick(bar->line(), Qt::Key_Escape);
    QVERIFY(settled(1));
    // its flag opens it
    auto* plot = shown.plots()[0];
    const QPoint flag(static_cast<int>(plot->xAxis->coordToPixel(30)) + 3, plot->axisRect()->top() + 12);
    QTest::mouseClick(plot, Qt::LeftButton, {}, flag);
    QVERIFY(bar->isVisible());
    QCOMPARE(bar->line()->text(), QStringLiteral("learning rate halved"));
    QTest::keyClicks(bar->line(), QStringLiteral("again"));
    QTest::keyClick(bar->line(), Qt::Key_Return);
    QVERIFY(QTest::qWaitFor([&] { return stored().size() == 1 && stored()[0].text == "again"; }, 5'000));
    QVERIFY(settled(1));
    shown.page.setFilter(5, 8); // annotates an interval
    shown.page.annotate();
    QTest::keyClicks(bar->line(), QStringLiteral("warm-up"));
    QTest::keyClick(bar->line(), Qt::Key_Return);
    QVERIFY(settled(2));
    QCOMPARE(stored()[0].lastStep, 8);
    QMenu* menu = menuOf(shown, plot);
    QVERIFY(menu);
    actionOf(menu, QStringLiteral("Undo annotation"))->trigger();
    QVERIFY(settled(1));
    menu->close();
    menu = menuOf(shown, plot);
    actionOf(menu, QStringLiteral("Undo annotation"))->trigger();
    QVERIFY(QTest::qWaitFor([&] { return stored().size() == 1 && stored()[0].text == "learning rate halved"; }, 5'000));
}

void TestReviewPlots::aRefusedAnnotationKeepsItsText() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    auto* bar = shown.page.findChild<AnnotationBar*>();
    const auto lock = run->paths().dir / ".marks.lock";
    QVERIFY(std::filesystem::create_directory(lock)); // the marks cannot be locked, so they cannot be written
    QSignalSpy failed(&shown.page, &ReviewPage::failed);
    shown.page.annotate();
    QTest::keyClicks(bar->line(), QStringLiteral("learning rate halved"));
    QTest::keyClick(bar->line(), Qt::Key_Return);
    QTRY_VERIFY(bar->problem().contains(QStringLiteral(".marks.lock")));
    QCOMPARE(failed.count(), 0); // it is said once
    QVERIFY(bar->isVisible());
    QCOMPARE(bar->line()->text(), QStringLiteral("learning rate halved"));
    QVERIFY(launch::readMarks(run->paths())->annotations.empty());
    std::filesystem::remove(lock);
    QTest::keyClick(bar->line(), Qt::Key_Return); // tries again
    QTRY_VERIFY(bar->isHidden());
    QCOMPARE(launch::readMarks(run->paths())->annotations.size(), std::size_t(1));
}

RANKSCOPE_GUI_TEST(TestReviewPlots)
#include "tst_review_plots.moc"
