// SPDX-License-Identifier: GPL-3.0-or-later
// Plots dragged by their titles.
#include "tests/support/test_runner.h"
#include "tests/widgets/review/review_shown.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QSplitter>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::test;

namespace {

QStringList order(const ReviewPage& page) {
    const auto* splitter = page.findChild<QSplitter*>();
    QStringList names;
    for (int i = 0; i < splitter->count(); ++i)
        names << splitter->widget(i)->objectName();
    return names;
}

QAction* entryOf(const ReviewPage& page, RankPlot* plot, const QString& text) {
    QContextMenuEvent event(QContextMenuEvent::Keyboard, plot->rect().center(), plot->mapToGlobal(QPoint(5, 5)));
    QCoreApplication::sendEvent(plot, &event);
    for (auto* menu : page.findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly))
        if (menu->isVisible())
            for (auto* action : menu->actions())
                if (action->text().section(u'\t', 0, 0) == text)
                    return action;
    return nullptr;
}

bool enabled(const ReviewPage& page, RankPlot* plot, const QString& text) {
    QAction* action = entryOf(page, plot, text);
    const bool is = action && action->isEnabled();
    if (action)
        qobject_cast<QMenu*>(action->parent())->close();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    return is;
}

bool choose(const ReviewPage& page, RankPlot* plot, const QString& text) {
    QAction* action = entryOf(page, plot, text);
    if (!action)
        return false;
    action->trigger();
    qobject_cast<QMenu*>(action->parent())->close();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    return true;
}

struct TitleDrag {
    explicit TitleDrag(RankPlot* dragged) : plot(dragged) {
        QTest::mouseMove(plot, from + QPoint(9, 2)); // a pointer that does not move sends no event
        QTest::mouseMove(plot, from);
        QTest::mousePress(plot, Qt::LeftButton, {}, from);
    }
    QPoint over(const RankPlot* other, int y) const { return plot->mapFromGlobal(other->mapToGlobal(QPoint(200, y))); }
    void move(QPoint to) const { QTest::mouseMove(plot, to); }
    void drop(QPoint to) const { QTest::mouseRelease(plot, Qt::LeftButton, {}, to); }

    RankPlot* plot;
    QPoint from{120, 10};
};

const QStringList kBefore{QStringLiteral("lossPlot"), QStringLiteral("lengthPlot"), QStringLiteral("waitPlot")};

} // namespace

class TestReviewArrange : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }

    void aTitleIsDraggedDown() {
        const auto run = ended();
        Shown shown(*run);
        QVERIFY(shown.complete());
        const auto plots = shown.plots();
        QCOMPARE(order(shown.page), kBefore);
        shown.page.findChild<QSplitter*>()->setSizes({100, 200, 300});
        QCoreApplication::processEvents();
        const QList<int> heights = shown.page.findChild<QSplitter*>()->sizes();
        const TitleDrag drag(plots[0]);
        drag.move(drag.over(plots[1], 20));
        auto* mark = shown.page.findChild<QWidget*>(QStringLiteral("insertionMark"));
        QVERIFY(!mark || !mark->isVisible()); // hidden, because the plot would not move
        drag.move(drag.over(plots[1], plots[1]->height() - 10));
        mark = shown.page.findChild<QWidget*>(QStringLiteral("insertionMark"));
        QVERIFY(mark && mark->isVisible());
        const int middle = mark->mapTo(&shown.page, mark->rect().center()).y();
        QVERIFY(std::abs(middle - plots[2]->mapTo(&shown.page, QPoint(0, 0)).y()) < 10);
        QCOMPARE(order(shown.page), kBefore); // nothing moves before the drop
        if (const QString folder = qEnvironmentVariable("RANKSCOPE_PICTURES"); !folder.isEmpty())
            QVERIFY(shown.page.grab().save(folder + QStringLiteral("/review-drag.png")));
        drag.drop(drag.over(plots[1], plots[1]->height() - 10));
        QVERIFY(!mark->isVisible());
        QCOMPARE(order(shown.page), (QStringList{kBefore[1], kBefore[0], kBefore[2]}));
        QVERIFY(shown.complete());
        QCOMPARE(shown.page.findChild<QSplitter*>()->sizes(), (QList<int>{heights[1], heights[0], heights[2]}));
        const QByteArray layout = shown.page.saveLayout();
        shown.page.restoreLayout("{\"version\":2,\"plots\":[{\"series\":\"loss\"}]}");
        shown.page.restoreLayout(layout);
        QCOMPARE(order(shown.page), (QStringList{kBefore[1], kBefore[0], kBefore[2]}));
    }

    void toTheEndsAndAway() {
        const auto run = ended();
        Shown shown(*run);
        QVERIFY(shown.complete());
        const auto plots = shown.plots();
        const TitleDrag down(plots[0]);
        down.move(down.over(plots[2], plots[2]->height() - 5));
        down.drop(down.over(plots[2], plots[2]->height() - 5));
        QCOMPARE(order(shown.page), (QStringList{kBefore[1], kBefore[2], kBefore[0]}));
        QVERIFY(shown.complete());
        QVERIFY(plots[2]->xAxis->label().isEmpty());
        QCOMPARE(plots[0]->xAxis->label(), QStringLiteral("step")); // the lowest plot shows the labels
        const TitleDrag up(plots[0]);
        up.move(up.over(plots[1], 5));
        up.drop(up.over(plots[1], 5));
        QCOMPARE(order(shown.page), kBefore);
        // dropped far away from the plots, or cancelled with Escape: nothing changes
        const TitleDrag away(plots[0]);
        away.move(away.over(plots[2], plots[2]->height() - 5));
        away.drop(QPoint(120, 5000));
        QCOMPARE(order(shown.page), kBefore);
        const TitleDrag given(plots[0]);
        given.move(given.over(plots[2], plots[2]->height() - 5));
        auto* mark = shown.page.findChild<QWidget*>(QStringLiteral("insertionMark"));
        QVERIFY(mark->isVisible());
        QTest::keyClick(plots[0], Qt::Key_Escape);
        QVERIFY(!mark->isVisible());
        given.drop(given.over(plots[2], plots[2]->height() - 5));
        QCOMPARE(order(shown.page), kBefore);
    }

    void aClickOnATitleMovesNothing() {
        const auto run = ended();
        Shown shown(*run);
        QVERIFY(shown.complete());
        auto* plot = shown.plots()[0];
        const QCPRange range = plot->xAxis->range();
        const TitleDrag drag(plot);
        QCOMPARE(plot->cursor().shape(), Qt::OpenHandCursor);
        QVERIFY(plot->toolTip().contains(QStringLiteral("Alt")));
        drag.drop(drag.from + QPoint(0, 2));
        QCOMPARE(order(shown.page), kBefore);
        QCOMPARE(plot->xAxis->range(), range);
    }

    void pinnedPlotsStayOnTop() {
        const auto run = ended();
        Shown shown(*run);
        QVERIFY(shown.complete());
        const auto plots = shown.plots();
        QVERIFY(choose(shown.page, plots[2], QStringLiteral("Pin to top")));
        QCOMPARE(order(shown.page), (QStringList{kBefore[2], kBefore[0], kBefore[1]}));
        // neither keys nor mouse move another plot above it, or it below the others
        QTest::keyClick(plots[0], Qt::Key_Up, Qt::AltModifier);
        QTest::keyClick(plots[2], Qt::Key_Down, Qt::AltModifier);
        const TitleDrag up(plots[1]);
        up.move(up.over(plots[2], 5));
        up.drop(up.over(plots[2], 5));
        QCOMPARE(order(shown.page), (QStringList{kBefore[2], kBefore[1], kBefore[0]})); // as far as allowed
        QVERIFY(!enabled(shown.page, plots[2], QStringLiteral("Move down")));
        QVERIFY(!enabled(shown.page, plots[1], QStringLiteral("Move up")));
        QVERIFY(enabled(shown.page, plots[1], QStringLiteral("Move down")));
        // a second pinned plot, and the order of the two
        QVERIFY(choose(shown.page, plots[0], QStringLiteral("Pin to top")));
        QCOMPARE(order(shown.page), (QStringList{kBefore[0], kBefore[2], kBefore[1]}));
        QTest::keyClick(plots[0], Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(order(shown.page), (QStringList{kBefore[2], kBefore[0], kBefore[1]}));
        const QByteArray layout = shown.page.saveLayout();
        shown.page.restoreLayout("{\"version\":2,\"plots\":[{\"series\":\"loss\"}]}");
        shown.page.restoreLayout(layout);
        QCOMPARE(order(shown.page), (QStringList{kBefore[2], kBefore[0], kBefore[1]}));
        // an unpinned plot becomes the first of the others
        QVERIFY(choose(shown.page, shown.plots()[2], QStringLiteral("Pin to top")));
        QCOMPARE(order(shown.page), (QStringList{kBefore[0], kBefore[2], kBefore[1]}));
        QTest::keyClick(shown.plots()[2], Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(order(shown.page), (QStringList{kBefore[0], kBefore[1], kBefore[2]}));
        QVERIFY(shown.complete());
    }

    void aLayoutWithPinnedPlotsBelowOthers() {
        const auto run = ended();
        Shown shown(*run);
        shown.page.restoreLayout("{\"version\":2,\"plots\":[{\"series\":\"loss\"},{\"series\":\"frames_max\"},"
                                 "{\"series\":\"wait_ns\",\"pinned\":true}]}");
        QVERIFY(shown.complete());
        QCOMPARE(order(shown.page), (QStringList{kBefore[2], kBefore[0], kBefore[1]}));
    }
};

RANKSCOPE_GUI_TEST(TestReviewArrange)
#include "tst_review_arrange.moc"
