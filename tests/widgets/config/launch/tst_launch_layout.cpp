// SPDX-License-Identifier: GPL-3.0-or-later
// What the Configure page shows at which size: nothing of use is cut off or out of sight.
#include "tests/support/test_runner.h"
#include "tests/widgets/config/launch/scripted_launch.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/problems/problem_list.h"
#include "widgets/config/sync/sync_card.h"
#include "widgets/config/sync/sync_card_row.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/controls/clamped_label.h"
#include "widgets/theme/theme.h"

#include <QComboBox>
#include <QTest>
#include <QTreeView>

using namespace rankscope::ui;

class LaunchLayout : public ScriptedLaunch {
    Q_OBJECT

private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }
    void init() { open(); }
    void cleanup() { close(); }

    /// Facts that do not fit are left out entirely; the most important one comes first.
    void theTimeOfAnEpochIsNotCut() {
        planned(", \"speed\": {\"step_s\": 0.5, \"epoch_s\": 60, \"measured_steps\": 20}, \"train\": "
                "{\"batches_per_rank\": 2500, \"padding_share\": 0.21}, \"model\": {\"trainable\": 114000000}");
        planAgain();
        for (const int width : {1400, 850}) {
            m_page->resize(width, 700);
            QCoreApplication::processEvents();
            QVERIFY2(line()->text().contains(QStringLiteral("epoch ≈ 60.0 s")), qPrintable(line()->text()));
            QVERIFY2(!line()->text().contains(QStringLiteral("…")), qPrintable(line()->text()));
            QCOMPARE(line()->text().contains(QStringLiteral("parameters")), width == 1400);
            QVERIFY(line()->toolTip().contains(QStringLiteral("parameters")));
        }
    }

    /// With little height the page folds what it can, and unfolds it when there is room again.
    void aSmallPageHasRoomForTreeAndText() {
        write(path("plan.json"),
              "{\"ranks\": 2, \"collectives\": [{\"tag\": \"gradient\", \"calls\": 4, \"bytes\": 1440000, "
              "\"certain\": false}]}");
        planAgain();
        const RecipeTextPane* pane = m_page->textPane();
        QVERIFY(!m_page->cards()->isFolded() && !pane->info()->showsText());
        m_page->resize(850, 488);
        QCoreApplication::processEvents();
        QTreeView* tree = m_page->recipe()->tree();
        const int row = tree->visualRect(tree->model()->index(0, 0)).height();
        QVERIFY2(tree->viewport()->height() >= 7 * row, qPrintable(QString::number(tree->viewport()->height())));
        pane->info()->setCurrentIndex(0);
        QVERIFY(pane->info()->showsText());
        const YamlEditor* editor = pane->editor();
        QVERIFY2(editor->viewport()->height() >= 10 * editor->fontMetrics().lineSpacing(),
                 qPrintable(QString::number(editor->viewport()->height())));
        for (int i = 0; i < 3; ++i)
            for (const QString& shown :
                 m_page->cards()->card(i)->findChild<ClampedLabel*>(QStringLiteral("cost"))->lines())
                QVERIFY2(!shown.contains(QStringLiteral("…")), qPrintable(shown));
        m_page->textPane()->showTab(InfoPane::Problems); // the tabs keep their names
        QCOMPARE(pane->info()->currentWidget(), pane->info()->problemList());
        emit m_page->recipe()->textRequested(20);
        QVERIFY(pane->info()->showsText() && editor->isVisible());
        QVERIFY(!m_page->cards()->isFolded()); // only the user folds the cards
        m_page->resize(1280, 800);
        QCoreApplication::processEvents();
        QVERIFY(!pane->info()->showsText() && editor->isVisible() && pane->info()->isVisible());
        QVERIFY(editor->height() > 120 && pane->info()->height() > 84);
        QVERIFY(m_page->cards()->card(0)->findChild<ClampedLabel*>(QStringLiteral("effect"))->isVisible());
        m_page->resize(1178, 836); // the page of a window of 1440 x 900, with the list of runs
        QCoreApplication::processEvents();
        QVERIFY2(tree->viewport()->height() >= 15 * row, qPrintable(QString::number(tree->viewport()->height())));
        QVERIFY(!pane->info()->showsText());
        QVERIFY2(editor->viewport()->height() >= 14 * editor->fontMetrics().lineSpacing(),
                 qPrintable(QString::number(editor->viewport()->height())));
    }

    void theButtonIsAtTheBottomRight() {
        for (const QSize size : {QSize(1280, 800), QSize(850, 488)}) {
            m_page->resize(size);
            QCoreApplication::processEvents();
            const QRect place(button()->mapTo(m_page.get(), QPoint()), button()->size());
            QVERIFY2(m_page->width() - place.right() <= 20 && m_page->height() - place.bottom() <= 20,
                     qPrintable(QStringLiteral("%1, %2").arg(place.right()).arg(place.bottom())));
            auto* machines = panel()->findChild<QComboBox*>(QStringLiteral("machine"));
            QVERIFY(machines->mapTo(m_page.get(), QPoint()).y() + machines->height() <= place.top());
        }
    }
};

RANKSCOPE_GUI_TEST(LaunchLayout)
#include "tst_launch_layout.moc"
