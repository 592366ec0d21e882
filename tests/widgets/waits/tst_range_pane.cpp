// SPDX-License-Identifier: GPL-3.0-or-later
// The statistics of a range over a real store.
#include "tests/support/test_runner.h"
#include "tests/widgets/timeline_run.h"
#include "widgets/theme/theme.h"
#include "widgets/waits/range_pane.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using test::SyntheticRun;

class TestRangePane : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }
    void aRowForEachRank();
    void nothingToCount();
    void ranksWithoutAFigureAreSortedLast();
};

void TestRangePane::aRowForEachRank() {
    SyntheticRun run(3, RunState::Finished, 50);
    run.addSteps(50, test::timelineStep); // rank 1 holds the others up for 20 ms in every fifth step
    run.addIncident(1, diagnosis::Cause::DataLoading, 1, 10, 20'000'000);
    run.finishStore();
    RangePane pane;
    pane.resize(1200, 200);
    pane.setRequest({run.paths().store(), false, 10, 19, true});
    pane.show();
    const auto* rows = pane.findChild<QTableView*>(QStringLiteral("rangeTable"))->model();
    QTRY_COMPARE(rows->rowCount(), 3);
    const auto cell = [&](int rank, int column) { return rows->index(rank, column).data().toString(); };
    QCOMPARE(cell(1, RangeModel::RankColumn), QStringLiteral("rank 1"));
    QCOMPARE(cell(0, RangeModel::StepsColumn), QStringLiteral("10"));
    QCOMPARE(cell(0, RangeModel::MeanLossColumn), QStringLiteral("1"));
    QCOMPARE(cell(0, RangeModel::LongestColumn), QStringLiteral("400"));
    QCOMPARE(cell(0, RangeModel::IncidentsColumn), QStringLiteral("0"));
    QCOMPARE(cell(1, RangeModel::IncidentsColumn), QStringLiteral("1"));
    QCOMPARE(rows->index(1, RangeModel::WaitedColumn).data(RangeModel::SortRole).toDouble(), 0.0);
    const auto text = [&](const char* name) { return pane.findChild<QLabel*>(QLatin1String(name))->text(); };
    QCOMPARE(text("rangeSteps"), QStringLiteral("Selected: steps 10 to 19 of 50"));
    QVERIFY2(pane.asText().contains(QLatin1String("lost to waiting")) &&
                 pane.asText().contains(QLatin1String("1 incident")),
             qPrintable(pane.asText()));
    pane.copy();
    const QStringList lines = QApplication::clipboard()->text().split(u'\n');
    QVERIFY(lines[3].startsWith(QLatin1String("Rank\tSteps\tMean loss\t")));
    QVERIFY(lines[4].startsWith(QLatin1String("rank 0\t10\t1\t1\t1\t")));
    pane.setRequest({run.paths().store(), false, 0, 49}); // another range
    QTRY_COMPARE(text("rangeSteps"), QStringLiteral("Whole run: steps 0 to 49"));
    QCOMPARE(cell(0, RangeModel::StepsColumn), QStringLiteral("50"));
    pane.clear();
    QCOMPARE(rows->rowCount(), 0);
}

void TestRangePane::nothingToCount() {
    RangePane pane;
    pane.show();
    QVERIFY(pane.isComplete());
    QVERIFY(pane.asText().contains(QLatin1String("There are no steps yet.")));
    pane.setRequest({"/nowhere/run.sqlite", false, 0, 10});
    QTRY_VERIFY(pane.asText().contains(QLatin1String("/nowhere/run.sqlite")));
    SyntheticRun run(2, RunState::Finished, 5);
    run.addSteps(5, test::timelineStep);
    run.finishStore();
    pane.setRequest({run.paths().store(), false, 20, 30, true});
    QTRY_VERIFY(pane.asText().contains(QLatin1String("There are no steps in this range.")));
}

void TestRangePane::ranksWithoutAFigureAreSortedLast() {
    store::RangeFigures figures;
    for (const double loss : {3.0, store::RankFigures::kNone, 1.0, store::RankFigures::kNone, 2.0}) {
        auto& rank = figures.ranks.emplace_back();
        rank.rank = static_cast<int>(figures.ranks.size()) - 1;
        rank.meanLoss = loss;
    }
    RangeModel model;
    model.setFigures(figures);
    QSortFilterProxyModel sorted;
    sorted.setSourceModel(&model);
    sorted.setSortRole(RangeModel::SortRole);
    sorted.sort(RangeModel::MeanLossColumn);
    QStringList losses;
    for (int row = 0; row < sorted.rowCount(); ++row)
        losses << sorted.index(row, RangeModel::MeanLossColumn).data().toString();
    const QString none = QStringLiteral("–");
    QCOMPARE(losses, (QStringList{QStringLiteral("1"), QStringLiteral("2"), QStringLiteral("3"), none, none}));
}

RANKSCOPE_GUI_TEST(TestRangePane)
#include "tst_range_pane.moc"
