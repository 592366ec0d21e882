// SPDX-License-Identifier: GPL-3.0-or-later
// The real page over a real store: it must draw what was written.
#include "tests/support/test_runner.h"
#include "tests/widgets/review/review_shown.h"
#include "widgets/models/run/run_session.h"
#include "widgets/review/board/rank_board.h"

#include <QLabel>
#include <QSignalSpy>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::test;

class TestReviewPage : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void emptyState();
    void curvesAreTheStoresData();
    void curvesAreOnTheCanvas();
    void atMostSixTicksAndUnits();
    void zoomIsLinkedAndBounded();
    void soloAndMute();
    void timeAxis();
    void validationsAreACurve();
    void logScaleDrawsZeroWaits();
    void smoothingKeepsTheRawLine();
    void spikeOfALongRunIsDrawn();
    void notFiniteIsMarked();
    void manyRanksGetABand();
    void incidentsAreShadedAndStepped();
    void aResumedRunBeginsWhereItDoes();
    void followOfALiveRun();
    void theStripReachesTheNewestSteps();
    void stoppedBeforeTheFirstStep();
    void damagedRunSaysSo();
    void changeOfSession();
};

void TestReviewPage::initTestCase() {
    Theme::instance().apply(Theme::Mode::Light);
}

void TestReviewPage::emptyState() {
    ReviewPage page;
    page.resize(800, 500);
    page.show();
    QVERIFY(page.isComplete());
    page.zoomIn();
    page.nextIncident();
    page.soloRank(3);
    QSignalSpy messages(&page, &ReviewPage::message);
    page.exportPlots();
    QCOMPARE(messages.size(), 1);
}

void TestReviewPage::curvesAreTheStoresData() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    const auto plots = shown.plots();
    QCOMPARE(plots.size(), 3);
    for (int rank = 0; rank < 2; ++rank) {
        const auto* loss = plots[0]->line(rank);
        const auto* wait = plots[2]->line(rank);
        QVERIFY(loss && wait);
        QCOMPARE(loss->dataCount(), 120);
        QCOMPARE(wait->dataCount(), 120);
        for (int i = 0; i < 120; ++i) {
            const RankStep s = describe(rank, i);
            QCOMPARE(loss->dataMainKey(i), static_cast<double>(i));
            QCOMPARE(loss->dataMainValue(i), s.loss);
            QCOMPARE(plots[1]->line(rank)->dataMainValue(i), static_cast<double>(s.frames));
            const double late = static_cast<double>(describe(1, i).lateNs) * 1e-9;
            QVERIFY(std::abs(wait->dataMainValue(i) - (rank == 0 ? late : 0)) < 1e-9);
        }
    }
}

void TestReviewPage::curvesAreOnTheCanvas() {
    for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
        Theme::instance().apply(mode);
        const auto run = ended();
        Shown shown(*run);
        QVERIFY(shown.complete());
        const QImage image = shown.page.grab().toImage();
        for (auto* plot : shown.plots()) {
            const QRect area = plot->axisRect()->rect().translated(plot->mapTo(&shown.page, QPoint()));
            for (int rank = 0; rank < 2; ++rank)
                QVERIFY2(pixelsLike(image, plot->lineColour(rank), area) > 100,
                         qPrintable(QStringLiteral("rank %1 in %2").arg(rank).arg(plot->spec().title)));
        }
        const auto* board = shown.page.findChild<RankBoard*>();
        for (int rank = 0; rank < 2; ++rank) { // the board is the legend and uses the same pen
            const QRect tile = board->tileRect(rank).translated(board->viewport()->mapTo(&shown.page, QPoint()));
            QVERIFY(pixelsLike(image, shown.plots()[0]->lineColour(rank), tile) > 50);
        }
    }
    Theme::instance().apply(Theme::Mode::Light);
}

void TestReviewPage::atMostSixTicksAndUnits() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    for (auto* plot : shown.plots()) {
        QVERIFY(plot->yAxis->ticks() && plot->yAxis->tickVector().size() <= 6);
        QVERIFY(plot->yAxis->tickVector().size() >= 2);
        QVERIFY(plot->xAxis->tickVector().size() <= 6);
        QVERIFY(!plot->unitText().isEmpty());
    }
    QCOMPARE(shown.plots()[2]->unitText(), QStringLiteral("s"));
    shown.page.showStep(20); // away from the long wait, so the unit is milliseconds
    QVERIFY(shown.complete());
    QCOMPARE(shown.plots()[2]->unitText(), QStringLiteral("ms"));
    QCOMPARE(shown.plots().last()->xAxis->label(), QStringLiteral("step"));
    QVERIFY(shown.plots().first()->xAxis->label().isEmpty());
}

void TestReviewPage::zoomIsLinkedAndBounded() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    const auto plots = shown.plots();
    const QCPRange all = plots[0]->xAxis->range();
    QCOMPARE(all, QCPRange(-0.5, 119.5));
    shown.page.zoomIn();
    QVERIFY(shown.complete());
    for (auto* plot : plots)
        QCOMPARE(plot->xAxis->range().size(), 60.0);
    for (int i = 0; i < 20; ++i)
        shown.page.zoomOut();
    QVERIFY(shown.complete());
    for (auto* plot : plots)
        QCOMPARE(plot->xAxis->range(), all);
}

void TestReviewPage::soloAndMute() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    auto* board = shown.page.findChild<RankBoard*>();
    QTest::mouseClick(board->viewport(), Qt::LeftButton, {}, board->tileRect(1).center());
    QVERIFY(shown.complete());
    QVERIFY(!shown.plots()[0]->line(0));
    QCOMPARE(shown.plots()[0]->line(1)->dataCount(), 120);
    QTest::mouseClick(board->viewport(), Qt::LeftButton, {}, board->tileRect(1).center());
    QTest::mouseClick(board->viewport(), Qt::LeftButton, Qt::ControlModifier, board->tileRect(0).center());
    QVERIFY(shown.complete());
    QVERIFY(!shown.plots()[0]->line(0) && shown.plots()[0]->line(1));
    shown.page.soloRank(-1);
    QVERIFY(shown.complete());
    QVERIFY(shown.plots()[0]->line(0) && shown.plots()[0]->line(1));
}

void TestReviewPage::timeAxis() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    shown.page.setAxis(CurveAxis::Time);
    QVERIFY(shown.complete());
    const auto* plot = shown.plots().last();
    QVERIFY(shown.page.axis() == CurveAxis::Time);
    QVERIFY2(std::abs(plot->xAxis->range().upper - 17.38) < 0.1,
             qPrintable(QString::number(plot->xAxis->range().upper)));
    QCOMPARE(plot->line(0)->dataCount(), 120);
    QVERIFY(std::abs(plot->line(0)->dataMainKey(10) - 1.26) < 0.01);
    QVERIFY(plot->xAxis->label().contains(QStringLiteral("(s)")));
    shown.page.setAxis(CurveAxis::Step);
    QVERIFY(shown.complete());
    QCOMPARE(plot->xAxis->range(), QCPRange(-0.5, 119.5));
}

void TestReviewPage::validationsAreACurve() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(10, describe);
    Shown shown(run);
    QVERIFY(shown.complete());
    const auto* plot = shown.plots()[0];
    QVERIFY(!plot->reference()->visible());
    run.addValidation(9.5); // above every training loss
    run.addSteps(10, describe);
    run.addValidation(std::nan(""));
    run.addSteps(10, describe);
    run.addValidation(8.25);
    run.finishStore();
    run.setState(RunState::Finished);
    QVERIFY(QTest::qWaitFor([&] { return plot->reference()->dataCount() == 3 && shown.page.isComplete(); }, 10'000));
    QVERIFY(plot->reference()->visible());
    QCOMPARE(plot->reference()->dataMainKey(0), 9.0); // the step that it followed
    QCOMPARE(plot->reference()->dataMainValue(0), 9.5);
    QVERIFY(std::isnan(plot->reference()->dataMainValue(1)));
    QCOMPARE(plot->reference()->dataMainKey(2), 29.0);
    QVERIFY(plot->yAxis->range().upper > 9.5);
    QVERIFY(!shown.plots()[1]->reference()->visible());
    shown.page.setAxis(CurveAxis::Time);
    QVERIFY(shown.complete());
    QVERIFY2(std::abs(plot->reference()->dataMainKey(0) - 1.3) < 0.02,
             qPrintable(QString::number(plot->reference()->dataMainKey(0))));
}

void TestReviewPage::logScaleDrawsZeroWaits() {
    const auto run = ended();
    Shown shown(*run);
    shown.page.setLogScale(true);
    QVERIFY(shown.complete());
    const auto* wait = shown.plots()[2];
    QCOMPARE(wait->yAxis->scaleType(), QCPAxis::stLogarithmic);
    QVERIFY(wait->yAxis->range().lower > 0);
    for (int i = 0; i < 120; ++i) // the holder's zeros are drawn at the bottom instead of disappearing
        QVERIFY(wait->line(1)->dataMainValue(i) >= wait->yAxis->range().lower);
    QCOMPARE(shown.plots()[1]->yAxis->scaleType(), QCPAxis::stLinear);
    QVERIFY(wait->yAxis->tickVector().size() <= 6);
}

void TestReviewPage::smoothingKeepsTheRawLine() {
    const auto run = ended();
    Shown shown(*run);
    shown.page.setSmoothing(true);
    QVERIFY(shown.complete());
    const auto* plot = shown.plots()[2];
    QVERIFY(plot->line(0)->dataMainValue(60) < 1); // 3 s, but smoothed
    bool raw = false;
    for (int g = 0; g < plot->graphCount(); ++g)
        raw = raw || (plot->graph(g)->dataCount() == 120 && plot->graph(g)->dataMainValue(60) > 2.9);
    QVERIFY(raw);
    QVERIFY(plot->yAxis->range().upper > 3);
}

void TestReviewPage::spikeOfALongRunIsDrawn() {
    SyntheticRun run(1, RunState::Running);
    run.addSteps(20'000, [](int, std::int64_t step) { return RankStep{step == 7777 ? 50.0 : 5.0}; });
    run.finishStore();
    run.setState(RunState::Finished);
    Shown shown(run);
    QVERIFY(shown.complete());
    auto* plot = shown.plots()[0];
    QVERIFY(plot->line(0)->dataCount() < 3000);
    QVERIFY(plot->yAxis->range().upper > 50);
    const QImage image = shown.page.grab().toImage();
    const QPoint at = plot->mapTo(&shown.page, QPoint());
    const int x = static_cast<int>(plot->xAxis->coordToPixel(7777)) + at.x();
    const int y = static_cast<int>(plot->yAxis->coordToPixel(30)) + at.y();
    int marked = 0; // above the other values there is only the spike
    for (int dx = -12; dx <= 12; ++dx) {
        const QColor c = image.pixelColor(x + dx, y);
        marked += std::abs(c.red() - c.blue()) + std::abs(c.green() - c.blue()) > 40;
    }
    QVERIFY2(marked >= 1 && marked <= 12, qPrintable(QString::number(marked)));
    shown.page.showStep(7777);
    QVERIFY(shown.complete());
    double highest = 0;
    for (int i = 0; i < plot->line(0)->dataCount(); ++i)
        highest = std::max(highest, plot->line(0)->dataMainValue(i));
    QCOMPARE(highest, 50.0);
}

void TestReviewPage::notFiniteIsMarked() {
    SyntheticRun run(1, RunState::Running);
    run.addSteps(50, [](int, std::int64_t step) { return RankStep{step >= 25 && step < 28 ? NAN : 5.0}; });
    run.finishStore();
    run.setState(RunState::Finished);
    Shown shown(run);
    QVERIFY(shown.complete());
    auto* plot = shown.plots()[0];
    QVERIFY(std::isnan(plot->line(0)->dataMainValue(26)));
    QVERIFY(std::isfinite(plot->yAxis->range().upper));
    const QImage image = shown.page.grab().toImage();
    const QPoint at = plot->mapTo(&shown.page, QPoint());
    const int x = static_cast<int>(plot->xAxis->coordToPixel(26)) + at.x();
    QVERIFY(pixelsLike(image, Theme::instance().palette().dead, {x - 6, plot->axisRect()->top() + at.y(), 12, 12}) > 0);
}

void TestReviewPage::manyRanksGetABand() {
    const auto run = ended(12, 80);
    Shown shown(*run);
    QVERIFY(shown.complete());
    const auto* plot = shown.plots()[0];
    QCOMPARE(plot->band().upper()->dataCount(), 80);
    QVERIFY(std::abs(plot->band().upper()->dataMainValue(10) - describe(11, 10).loss) < 1e-9);
    QVERIFY(std::abs(plot->band().lower()->dataMainValue(10) - describe(0, 10).loss) < 1e-9);
    QVERIFY(plot->line(1)); // the rank that held the others
    QVERIFY(!plot->line(5));
}

void TestReviewPage::incidentsAreShadedAndStepped() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    auto* plot = shown.plots().last();
    QSignalSpy clicked(&shown.page, &ReviewPage::incidentSelected);
    QSignalSpy messages(&shown.page, &ReviewPage::message);
    const QPoint mark(static_cast<int>(plot->xAxis->coordToPixel(60)), plot->axisRect()->bottom() + 5);
    QTest::mouseClick(plot, Qt::LeftButton, {}, mark);
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked[0][0].toLongLong(), 1);
    QVERIFY(messages.last()[0].toString().contains(QStringLiteral("Rank 1")));
    shown.page.nextIncident();
    QVERIFY(shown.complete());
    QVERIFY(plot->xAxis->range().size() < 60);
    QVERIFY(plot->xAxis->range().contains(60));
    // shaded behind the curves: at the bottom of the loss plot there is only the tint
    auto* loss = shown.plots().first();
    const QImage image = shown.page.grab().toImage();
    const QPoint at = loss->mapTo(&shown.page, QPoint());
    const auto colourAt = [&](double x) {
        return image.pixelColor(static_cast<int>(loss->xAxis->coordToPixel(x)) + at.x(),
                                loss->axisRect()->bottom() - 2 + at.y());
    };
    QVERIFY(colourAt(60.2) != colourAt(50.2));
    QCOMPARE(colourAt(50.2), Theme::instance().palette().panel);
}

void TestReviewPage::aResumedRunBeginsWhereItDoes() {
    SyntheticRun run(2, RunState::Failed);
    run.beginAt(1000);
    run.addSteps(50, describe);
    run.addIncident(1, diagnosis::Cause::Dead, 1, 1050, 0); // in a step that was never recorded
    run.finishStore();
    Shown shown(run);
    QVERIFY(shown.complete());
    QCOMPARE(shown.plots()[0]->xAxis->range(), QCPRange(999.5, 1050.5));
    QCOMPARE(shown.plots()[0]->line(0)->dataCount(), 50);
    shown.page.zoomAll();
    QCOMPARE(shown.plots()[0]->xAxis->range(), QCPRange(999.5, 1050.5));
}

void TestReviewPage::followOfALiveRun() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(50, describe);
    Shown shown(run);
    QVERIFY(shown.complete());
    const auto* plot = shown.plots()[0];
    QVERIFY(shown.page.follow());
    QCOMPARE(plot->xAxis->range().upper, 49.5);
    run.addSteps(50, describe);
    QVERIFY(QTest::qWaitFor([&] { return plot->xAxis->range().upper == 99.5 && plot->line(0)->dataCount() == 100; },
                            10'000));
    shown.page.showStep(20); // going back stops following
    QVERIFY(!shown.page.follow());
    const QCPRange looking(0, 40);
    QVERIFY(QTest::qWaitFor([&] { return plot->xAxis->range() == looking; }, 5'000));
    run.addSteps(50, describe);
    QTest::qWait(500);
    QCOMPARE(plot->xAxis->range(), looking);
    shown.page.setFollow(true);
    QVERIFY(QTest::qWaitFor([&] { return plot->xAxis->range() == QCPRange(109.5, 149.5); }, 10'000));
    run.addSteps(10, describe);
    QVERIFY(QTest::qWaitFor([&] { return plot->xAxis->range() == QCPRange(119.5, 159.5); }, 10'000));
}

/// Adds steps faster than the whole run is read again, which is at most once a second.
void TestReviewPage::theStripReachesTheNewestSteps() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(20, describe);
    Shown shown(run);
    QVERIFY(shown.complete());
    const auto& curve = shown.plots()[0]->series();
    const auto* strip = shown.page.findChild<OverviewStrip*>();
    const auto reaches = [](const Samples& samples, std::int64_t step) {
        return !samples.empty() && samples.back().lastStep == step;
    };
    for (std::int64_t newest = 22; newest <= 31; newest += 3) {
        run.addSteps(3, describe);
        QVERIFY(QTest::qWaitFor([&] { return reaches(curve.at(0), newest); }, 10'000));
        QVERIFY2(reaches(strip->band(), newest), qPrintable(QString::number(newest)));
    }
    QVERIFY(strip->band().front().firstStep == 0);
}

void TestReviewPage::stoppedBeforeTheFirstStep() {
    SyntheticRun run(2, RunState::Running);
    run.finishStore();
    run.setState(RunState::Failed, "no such file");
    Shown shown(run);
    QVERIFY(shown.complete());
    bool told = false;
    for (const auto* label : shown.page.findChildren<QLabel*>())
        told = told || (label->isVisible() && label->text().contains(QStringLiteral("before its first step")));
    QVERIFY(told);
}

void TestReviewPage::damagedRunSaysSo() {
    SyntheticRun run(2, RunState::Finished);
    std::filesystem::remove(run.paths().runJson());
    Shown shown(run);
    bool told = false;
    QVERIFY(QTest::qWaitFor(
        [&] {
            for (const auto* label : shown.page.findChildren<QLabel*>())
                told = told || (label->isVisible() && label->text().contains(QStringLiteral("run.json")));
            return told;
        },
        10'000));
    QVERIFY(shown.complete());
}

void TestReviewPage::changeOfSession() {
    const auto first = ended(2, 120);
    const auto second = ended(3, 40);
    Shown shown(*first);
    QVERIFY(shown.complete());
    shown.page.zoomIn();
    RunSession other(second->paths());
    shown.page.setSession(&other);
    QVERIFY(shown.complete());
    const auto* plot = shown.plots()[0];
    QCOMPARE(plot->xAxis->range(), QCPRange(-0.5, 39.5));
    QCOMPARE(plot->line(2)->dataCount(), 40);
    shown.page.setSession(nullptr);
    QVERIFY(shown.page.isComplete());
}

RANKSCOPE_GUI_TEST(TestReviewPage)
#include "tst_review_page.moc"
