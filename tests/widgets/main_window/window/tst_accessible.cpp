// SPDX-License-Identifier: GPL-3.0-or-later
// What a screen reader and the keyboard find in the real window, page by page: everything that takes the focus has a
// name and a role, and Tab reaches it.
#include "tests/support/test_runner.h"
#include "tests/widgets/synthetic_run.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/plots/plot/rank_plot.h"
#include "widgets/review/board/rank_board.h"
#include "widgets/theme/theme.h"

#include <QAccessible>
#include <QApplication>
#include <QSet>
#include <QTabBar>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using test::RankStep;
using test::SyntheticRun;

class Accessible : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanupTestCase() { m_window.reset(); }

    void everyWidgetHasANameAndARole_data() { pages(); }
    void everyWidgetHasANameAndARole();
    void tabReachesEveryWidget_data() { pages(); }
    void tabReachesEveryWidget();
    void tilesAreItemsOfAList();
    void figuresUnderTheCrosshairAreTold();

private:
    void pages();
    void show(Page page);
    QList<QWidget*> focusable() const;
    static QString described(const QWidget* widget);

    std::unique_ptr<SyntheticRun> m_run;
    std::unique_ptr<MainWindow> m_window;
};

void Accessible::initTestCase() {
    Theme::instance().apply(Theme::Mode::Light);
    setLanguage(QStringLiteral("en"));
    m_run = std::make_unique<SyntheticRun>(3, RunState::Finished, 50);
    m_run->addSteps(50, [](int rank, std::int64_t step) {
        return RankStep{10.0 - rank, 300 + step, rank * 1'000'000};
    });
    m_run->addIncident(1, diagnosis::Cause::DataLoading, 1, 20, 3'000'000'000);
    m_run->addStack(1, 1, "main", "read");
    m_run->addCheck(0, "config", telemetry::CheckStatus::Failed, "hashes differ");
    m_run->writeLog(0, "a line\n");
    m_run->addEnds(telemetry::EndCause::Finished);
    m_run->finishStore();
    WindowOptions options;
    options.runsDir = QString::fromStdString(m_run->paths().dir.parent_path().string());
    options.run = QString::fromStdString(m_run->paths().dir.string());
    options.config = QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml");
    options.explain = {
        QStringLiteral(RANKSCOPE_SOURCE_DIR "/tests/data/explain/hangs/2.11.0/extra_collective/dumps/end")};
    options.remember = false;
    m_window = std::make_unique<MainWindow>(options);
    m_window->resize(1440, 900);
    m_window->show();
    m_window->start();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

void Accessible::pages() {
    QTest::addColumn<Page>("page");
    QTest::newRow("configure") << Page::Configure;
    QTest::newRow("review") << Page::Review;
    QTest::newRow("timeline") << Page::Timeline;
    QTest::newRow("incidents") << Page::Incidents;
    QTest::newRow("logs") << Page::Logs;
    QTest::newRow("runs") << Page::Runs;
    QTest::newRow("explain") << Page::Explain;
}

void Accessible::show(Page page) {
    m_window->showPage(page);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->isComplete(), 60'000);
}

/// Returns the widgets that Tab should reach: not the buttons of tool bars, which have menus and keys, nor inner parts
/// of views.
QList<QWidget*> Accessible::focusable() const {
    QList<QWidget*> found;
    for (auto* widget : m_window->findChildren<QWidget*>())
        if (widget->isVisible() && widget->isEnabled() && (widget->focusPolicy() & Qt::TabFocus) &&
            !widget->focusProxy())
            found << widget;
    return found;
}

QString Accessible::described(const QWidget* widget) {
    QString path;
    for (const QWidget* w = widget; w; w = w->parentWidget())
        path += QStringLiteral(" < %1#%2").arg(QString::fromLatin1(w->metaObject()->className()), w->objectName());
    return path.mid(3, 240);
}

void Accessible::everyWidgetHasANameAndARole() {
    QFETCH(Page, page);
    show(page);
    QStringList wrong;
    for (QWidget* widget : focusable()) {
        QAccessibleInterface* access = QAccessible::queryAccessibleInterface(widget);
        if (!access)
            wrong << QStringLiteral("no interface: ") + described(widget);
        // a tab bar has names for its tabs
        else if (access->text(QAccessible::Name).isEmpty() && !qobject_cast<QTabBar*>(widget))
            wrong << QStringLiteral("no name: ") + described(widget);
        else if (access->role() == QAccessible::NoRole || access->role() == QAccessible::Client)
            wrong << QStringLiteral("no role: ") + described(widget);
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("\n") + wrong.join(u'\n')));
}

void Accessible::tabReachesEveryWidget() {
    QFETCH(Page, page);
    show(page);
    const QList<QWidget*> wanted = focusable();
    QVERIFY(!wanted.isEmpty());
    QSet<QWidget*> seen;
    wanted.front()->setFocus(Qt::TabFocusReason);
    for (qsizetype i = 0; i < 3 * wanted.size(); ++i) {
        QWidget* at = QApplication::focusWidget();
        QVERIFY(at);
        seen << at;
        QTest::keyClick(at, Qt::Key_Tab);
        QVERIFY2(QApplication::focusWidget() != at, qPrintable(QStringLiteral("a trap: ") + described(at)));
    }
    QStringList missed;
    for (QWidget* widget : wanted)
        if (!seen.contains(widget))
            missed << described(widget);
    QVERIFY2(missed.isEmpty(), qPrintable(QStringLiteral("\n") + missed.join(u'\n')));
}

void Accessible::tilesAreItemsOfAList() {
    show(Page::Review);
    auto* board = m_window->findChild<RankBoard*>();
    QAccessibleInterface* list = QAccessible::queryAccessibleInterface(board);
    QVERIFY(list);
    QCOMPARE(list->role(), QAccessible::List);
    QCOMPARE(list->childCount(), 3);
    for (int rank = 0; rank < 3; ++rank) {
        QAccessibleInterface* tile = list->child(rank);
        QVERIFY(tile && tile->isValid());
        QCOMPARE(tile->role(), QAccessible::ListItem);
        QVERIFY2(tile->text(QAccessible::Name).startsWith(QStringLiteral("rank %1: finished").arg(rank)),
                 qPrintable(tile->text(QAccessible::Name)));
        QCOMPARE(list->indexOfChild(tile), rank);
        QCOMPARE(list->childAt(tile->rect().center().x(), tile->rect().center().y()), tile);
    }
    QCOMPARE(list->child(3), nullptr);
    board->setFocus(Qt::TabFocusReason);
    QTest::keyClick(board, Qt::Key_Right);
    QCOMPARE(list->focusChild(), list->child(1));
    QVERIFY(list->child(1)->state().focused && !list->child(0)->state().focused);
}

void Accessible::figuresUnderTheCrosshairAreTold() {
    show(Page::Review);
    RankPlot* plot = nullptr;
    for (auto* one : m_window->findChildren<RankPlot*>())
        if (one->accessibleName() == QStringLiteral("Loss"))
            plot = one;
    QVERIFY(plot);
    plot->setCrosshair(10, true);
    const QString told = QAccessible::queryAccessibleInterface(plot)->text(QAccessible::Description);
    QVERIFY2(told.startsWith(QStringLiteral("step 10")) && told.contains(QStringLiteral("rank 2 8")), qPrintable(told));
}

RANKSCOPE_GUI_TEST(Accessible)
#include "tst_accessible.moc"
