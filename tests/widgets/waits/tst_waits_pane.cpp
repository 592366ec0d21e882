// SPDX-License-Identifier: GPL-3.0-or-later
// The pane of waits over a real store; its heat map with keys and mouse.
#include "tests/support/test_runner.h"
#include "tests/widgets/timeline_run.h"
#include "widgets/theme/theme.h"
#include "widgets/waits/wait_heat_map.h"
#include "widgets/waits/waits_pane.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using test::SyntheticRun;

class TestWaitsPane : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }
    void matrixOfARun();
    void figuresNameTheirRange();
    void eightRanksFit();
    void numbersWhileTheyFit();
    void heatOfManyRanks();
    void keysMoveTheCell();
    void nothingAsked();
};

void TestWaitsPane::matrixOfARun() {
    SyntheticRun run(3, RunState::Finished, 50);
    run.addSteps(50, test::timelineStep); // rank 1 holds the others up for 20 ms in 10 steps
    run.finishStore();
    WaitsPane pane;
    pane.resize(1000, 240);
    pane.setRequest({run.paths().store(), false, 0, 49});
    pane.show();
    auto* map = pane.findChild<WaitHeatMap*>();
    QTRY_COMPARE(map->grid().ranks, 3);
    QTRY_VERIFY(pane.isComplete());
    QCOMPARE(map->grid().at(0, 1), 10 * test::kLateNs);
    QCOMPARE(map->grid().at(2, 1), 10 * test::kLateNs);
    QCOMPARE(map->grid().total, 20 * test::kLateNs);
    const auto sentence = pane.findChild<QLabel*>(QStringLiteral("waitSentences"))->text();
    QVERIFY2(sentence.startsWith(QLatin1String("Rank 1 kept the others waiting for 400 ms")), qPrintable(sentence));
    QVERIFY2(sentence.contains(QLatin1String("Possible gain\nBalanced ranks would save ")), qPrintable(sentence));
    const auto boxes = pane.findChildren<QComboBox*>();
    auto* tags = boxes[1];
    QCOMPARE(tags->count(), 2);
    tags->setCurrentIndex(1);
    QCOMPARE(map->grid().total, 20 * test::kLateNs);
    auto* phases = boxes[0];
    QVERIFY(phases->count() > 1);
    std::int64_t byPhase = 0;
    for (int i = 1; i < phases->count(); ++i) {
        phases->setCurrentIndex(i);
        byPhase += map->grid().total;
    }
    QCOMPARE(byPhase, 20 * test::kLateNs); // the waits of all phases add up to the whole
    phases->setCurrentIndex(0);
    pane.setMatrixShown(true);
    pane.copy();
    QVERIFY(QApplication::clipboard()->text().contains(QLatin1String("rank 2\t0.000000\t0.200000\t0.000000")));
    pane.setMatrixShown(false);
    pane.copy();
    QVERIFY(QApplication::clipboard()->text().contains(QLatin1String("rank 2\trank 1\tgradient\t200 ms")));
    pane.clear();
    QCOMPARE(map->grid().ranks, 0);
}

/// A part of the run may have another blocking rank than the whole, so the pane always shows which steps count.
void TestWaitsPane::figuresNameTheirRange() {
    SyntheticRun run(3, RunState::Finished, 60);
    run.addSteps(60, test::timelineStep);
    run.finishStore();
    WaitsPane pane;
    pane.resize(1000, 200);
    pane.show();
    const auto* range = pane.findChild<QLabel*>(QStringLiteral("waitRange"));
    const auto asked = [&](const WaitsRequest& request, const char* told) {
        pane.setRequest(request);
        QTRY_COMPARE(range->text(), QLatin1String(told));
        QVERIFY(range->visibleRegion().contains(range->rect())); // not scrolled out of sight
        QVERIFY(pane.asText().startsWith(QLatin1String(told)));
    };
    const auto& store = run.paths().store();
    asked({store, false, 0, 59}, "Whole run: steps 0 to 59");
    asked({store, false, 34, 59}, "In view: steps 34 to 59 of 60");
    asked({store, false, 34, 59, true}, "Selected: steps 34 to 59 of 60");
    asked({store, false, 7, 7}, "In view: step 7 of 60");
    asked({store, true, 0, run.stepBegin(59) - run.info().startNs + SyntheticRun::kStepNs}, "Whole run: steps 0 to 59");
}

void TestWaitsPane::eightRanksFit() {
    SyntheticRun run(8, RunState::Finished, 10);
    run.addSteps(10, test::timelineStep);
    run.finishStore();
    WaitsPane pane;
    pane.resize(1000, 202); // its size below the Timeline
    pane.setRequest({run.paths().store(), false, 0, 9});
    pane.setMatrixShown(true);
    pane.show();
    auto* map = pane.findChild<WaitHeatMap*>();
    QTRY_COMPARE(map->grid().ranks, 8);
    QVERIFY2(map->viewport()->rect().contains(map->cellRect(7, 7)), qPrintable(QString::number(map->height())));
    QCOMPARE(map->verticalScrollBar()->maximum(), 0);
}

static WaitGrid gridWith(int ranks, int waiter, int holder, std::int64_t ns) {
    WaitGrid grid;
    grid.ranks = ranks;
    grid.ns.resize(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks));
    grid.ns[static_cast<std::size_t>(waiter * ranks + holder)] = grid.most = grid.total = ns;
    return grid;
}

void TestWaitsPane::numbersWhileTheyFit() {
    WaitHeatMap map;
    map.resize(700, 240);
    map.setGrid(gridWith(8, 3, 5, 2'000'000'000));
    map.show();
    QVERIFY(map.hasNumbers());
    const auto image = map.viewport()->grab().toImage();
    const QRect hot = map.cellRect(3, 5), cold = map.cellRect(5, 3);
    QVERIFY(image.pixelColor(hot.topLeft() + QPoint(3, 3)) != image.pixelColor(cold.topLeft() + QPoint(3, 3)));
    QSet<QRgb> inside;
    for (int x = hot.left() + 2; x < hot.right() - 2; ++x)
        inside.insert(image.pixel(x, hot.center().y()));
    QVERIFY(inside.size() > 2); // text is drawn in the cell
}

void TestWaitsPane::heatOfManyRanks() {
    WaitHeatMap map;
    map.resize(700, 400);
    map.setGrid(gridWith(1024, 1000, 17, 1));
    map.show();
    QVERIFY(!map.hasNumbers());
    QVERIFY(map.verticalScrollBar()->maximum() > 0 && map.horizontalScrollBar()->maximum() > 0);
    map.setCurrent(1000, 17);
    const QRect cell = map.cellRect(1000, 17);
    QVERIFY(map.viewport()->rect().contains(cell)); // scrolled there
    const auto image = map.viewport()->grab().toImage();
    QVERIFY(image.pixelColor(cell.center()) != Theme::instance().palette().panel);
}

void TestWaitsPane::keysMoveTheCell() {
    WaitHeatMap map;
    map.resize(700, 240);
    map.setGrid(gridWith(4, 3, 1, 5));
    map.show();
    QSignalSpy moved(&map, &WaitHeatMap::currentChanged);
    QTest::mouseClick(map.viewport(), Qt::LeftButton, {}, map.cellRect(2, 1).center());
    QCOMPARE(map.waiter(), 2);
    QCOMPARE(map.holder(), 1);
    QTest::keyClick(&map, Qt::Key_Down);
    QCOMPARE(map.waiter(), 3);
    QVERIFY2(map.accessibleDescription().startsWith(QLatin1String("Rank 3 waited 5 ns for rank 1")),
             qPrintable(map.accessibleDescription()));
    QTest::keyClick(&map, Qt::Key_Down); // the last one
    QCOMPARE(map.waiter(), 3);
    QTest::keyClick(&map, Qt::Key_Home);
    QCOMPARE(map.holder(), 0);
    QCOMPARE(moved.size(), 4);
    QTest::keyClick(&map, Qt::Key_C, Qt::ControlModifier);
    QVERIFY(QApplication::clipboard()->text().startsWith(QLatin1String("waiter")));
}

void TestWaitsPane::nothingAsked() {
    WaitsPane pane;
    pane.show();
    QVERIFY(pane.isComplete());
    pane.setRequest({"/nowhere/run.sqlite", false, 0, 10});
    QTRY_VERIFY(pane.findChild<QLabel*>(QStringLiteral("waitSentences"))
                    ->text()
                    .contains(QLatin1String("/nowhere/run.sqlite")));
}

RANKSCOPE_GUI_TEST(TestWaitsPane)
#include "tst_waits_pane.moc"
