// SPDX-License-Identifier: GPL-3.0-or-later
// The rank board for many ranks: cells that all fit, their colours and shapes, keys and clicks.
#include "tests/support/test_runner.h"
#include "widgets/controls/rank_state_mark.h"
#include "widgets/review/board/rank_board.h"
#include "widgets/review/board/rank_board_layout.h"
#include "widgets/theme/theme.h"

#include <QSignalSpy>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;
using diagnosis::RankState;

namespace {

RunView viewOf(int ranks) {
    RunView view;
    for (int r = 0; r < ranks; ++r) {
        RankTile tile;
        tile.rank = r;
        tile.status.state = r % 100 == 7 ? RankState::Dead : r % 50 == 3 ? RankState::Waiting : RankState::Computing;
        tile.status.words = "forward, layer 7";
        view.ranks.push_back(tile);
    }
    return view;
}

} // namespace

class TestRankBoard : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }
    void cellsFit();
    void geometryGoesBothWays();
    void tilesThenCells();
    void statesAreSeen();
    void waitingIsAHatchWithoutHue();
    void keysReachEveryRank();
    void pinsAndChoice();
    void endedRanksTellTheirWaits();
};

void TestRankBoard::cellsFit() {
    for (const int width : {560, 764, 1180, 1900})
        for (const int ranks : {19, 64, 100, 512, 1024, 4096}) {
            const auto layout = HeatLayout::of(ranks, width);
            const QRect last = layout.at(ranks - 1);
            QVERIFY(layout.cell >= HeatLayout::kMinCell && last.right() < width);
            QVERIFY(layout.visibleHeight() <= HeatLayout::kMaxHeight);
            if (ranks <= 1024 && width >= 1180)
                QVERIFY2(layout.contentHeight() <= HeatLayout::kMaxHeight, qPrintable(QString::number(ranks)));
        }
    QVERIFY(HeatLayout::of(64, 1180).cell > HeatLayout::of(1024, 1180).cell);
}

void TestRankBoard::geometryGoesBothWays() {
    const auto layout = HeatLayout::of(1000, 900);
    for (int i = 0; i < 1000; ++i)
        QCOMPARE(layout.indexAt(layout.at(i).center()), i);
    QCOMPARE(layout.indexAt({0, 0}), -1);
    QCOMPARE(layout.indexAt(layout.at(999).center() + QPoint(layout.cell, 0)), -1);
    QCOMPARE(layout.indexAt({layout.at(layout.columns - 1).right() + layout.cell, HeatLayout::kHeader + 2}), -1);
}

void TestRankBoard::tilesThenCells() {
    RankBoard board;
    board.resize(1180, 100);
    board.show();
    board.setView(viewOf(16));
    QCOMPARE(board.tileRect(0).height(), BoardLayout::kHeight);
    board.setView(viewOf(1024));
    QVERIFY(board.tileRect(0).height() <= HeatLayout::kMaxCell);
    QVERIFY(board.height() <= HeatLayout::kMaxHeight);
    board.setView(viewOf(4));
    QCOMPARE(board.tileRect(0).height(), BoardLayout::kHeight);
}

void TestRankBoard::statesAreSeen() {
    RankBoard board;
    board.resize(1180, 100);
    board.show();
    auto view = viewOf(256);
    board.setView(view);
    const auto picture = [&](int rank) { return board.viewport()->grab(board.tileRect(rank)).toImage(); };
    QVERIFY(picture(7) != picture(8)); // dead, computing
    QVERIFY(picture(3) != picture(7)); // waiting, dead
    QCOMPARE(picture(8), picture(9));
    view.ranks[8].status.state = RankState::Dead;
    board.setView(view);
    QCOMPARE(picture(8), picture(7));
    RankChoice choice;
    choice.muted = {7};
    board.setChoice(choice);
    QVERIFY(picture(8) != picture(7)); // muted ones are pale
}

void TestRankBoard::waitingIsAHatchWithoutHue() {
    RankBoard board;
    board.resize(1180, 100);
    board.show();
    auto view = viewOf(4);
    const auto linesIn = [&](RankState state) {
        view.ranks[0].status.state = state;
        board.setView(view);
        const QRect tile = board.tileRect(0);
        // below the words and above the rank's line
        const QImage image = board.viewport()->grab(QRect(tile.left() + 12, tile.bottom() - 12, 60, 5)).toImage();
        int lines = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                lines += image.pixelColor(x, y).rgb() == Theme::instance().palette().tileHatch().rgb();
        return lines;
    };
    QVERIFY(linesIn(RankState::Waiting) > 30);
    QCOMPARE(linesIn(RankState::Computing), 0);
    const QColor waiting = stateColor(RankState::Waiting);
    QCOMPARE(waiting, Theme::instance().palette().secondary);
}

void TestRankBoard::keysReachEveryRank() {
    RankBoard board;
    board.resize(1180, 100);
    board.show();
    board.setView(viewOf(1024));
    QSignalSpy solo(&board, &RankBoard::soloClicked);
    const auto enter = [&] {
        QTest::keyClick(&board, Qt::Key_Return);
        return solo.last()[0].toInt();
    };
    QTest::keyClick(&board, Qt::Key_End);
    QCOMPARE(enter(), 1023);
    QTest::keyClick(&board, Qt::Key_Home);
    QCOMPARE(enter(), 0);
    QTest::keyClick(&board, Qt::Key_Down);
    QTest::keyClick(&board, Qt::Key_Right);
    QCOMPARE(enter(), HeatLayout::of(1024, 1180).columns + 1);
    QTest::mouseClick(board.viewport(), Qt::LeftButton, {}, board.tileRect(777).center());
    QCOMPARE(solo.last()[0].toInt(), 777);
    QSignalSpy mute(&board, &RankBoard::muteClicked);
    QTest::mouseClick(board.viewport(), Qt::LeftButton, Qt::ControlModifier, board.tileRect(5).center());
    QCOMPARE(mute.last()[0].toInt(), 5);
    QSignalSpy pin(&board, &RankBoard::pinClicked);
    QTest::keyClick(&board, Qt::Key_P);
    QCOMPARE(pin.last()[0].toInt(), 5);
}

void TestRankBoard::pinsAndChoice() {
    RankChoice choice;
    choice.togglePin(900);
    choice.togglePin(2000); // from a run with more ranks
    const auto lines = chooseLines(choice, viewOf(1024), 8);
    QVERIFY(lines.band);
    QCOMPARE(lines.ranks, (std::vector<int>{900}));
    choice.toggleMute(900);
    QVERIFY(chooseLines(choice, viewOf(1024), 8).ranks.empty());
    choice.togglePin(900);
    QVERIFY(!choice.pinned.contains(900));
}

/// An ended run's tiles show how long each rank waited and held others; a cause of death takes precedence.
void TestRankBoard::endedRanksTellTheirWaits() {
    for (const int width : {1180, 260}) { // long and short texts
        RankBoard board;
        board.resize(width, 100);
        board.show();
        RunView view = viewOf(2);
        view.info.worldSize = 2;
        view.info.state = launch::RunState::Running;
        for (auto& tile : view.ranks) {
            tile.status = {RankState::Finished, "400 steps"};
            store::RankSummary summary;
            summary.rank = tile.rank;
            summary.waitedNs = tile.rank == 0 ? 18'600'000'000 : 700'000'000;
            summary.heldNs = tile.rank == 0 ? 700'000'000 : 18'600'000'000;
            view.summaries.push_back(summary);
        }
        board.setView(view);
        const auto picture = [&](int tile) { return board.viewport()->grab(board.tileRect(tile)).toImage(); };
        const QImage live = picture(0);
        QVERIFY(!board.spoken(0).contains(QStringLiteral("waited")));
        view.info.state = launch::RunState::Finished;
        board.setView(view);
        QVERIFY(picture(0) != live);
        QVERIFY2(board.spoken(0).contains(QStringLiteral("waited 18.6 s, held others 700 ms")),
                 qPrintable(board.spoken(0)));
        QVERIFY(board.spoken(1).contains(QStringLiteral("waited 700 ms, held others 18.6 s")));
        const QImage before = picture(0);
        view.summaries[0].waitedNs += 5'000'000'000; // the last records arrived after the run's end
        board.setView(view);
        QVERIFY(picture(0) != before);
        view.ranks[0].status = {RankState::Dead, "exit 139 (SIGSEGV) at step 412, while in backward"};
        board.setView(view);
        const QImage dead = picture(0);
        view.summaries[0].waitedNs += 5'000'000'000;
        board.setView(view);
        QCOMPARE(picture(0), dead);
        view.ranks[0].step = 411; // its words say in which step it died
        board.setView(view);
        const QImage early = picture(0);
        view.ranks[0].step = 388;
        board.setView(view);
        QCOMPARE(picture(0), early);
    }
}

RANKSCOPE_GUI_TEST(TestRankBoard)
#include "tst_rank_board.moc"
