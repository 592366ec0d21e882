// SPDX-License-Identifier: GPL-3.0-or-later
// The main path in the real window on an X display, by mouse and keyboard, with the real trainer: tour, recipe, edit,
// launch, a stall that begins, lasts and ends, remedy, stop, resume, kill of a rank, compare, export. At each step,
// header, list, tiles, banner, plots and Timeline must agree with `rankscopectl show --json`.
// With RANKSCOPE_SHOTS=DIR, a picture of each step is kept.
#include "core/launch/run/run_folder.h"
#include "tests/support/test_runner.h"
#include "walk_stage.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/incidents/incident_detail.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/help/tour_panel.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/tables/incident_model.h"
#include "widgets/runs_page/compare/compare_model.h"
#include "widgets/runs_page/compare/compare_pane.h"
#include "widgets/runs_page/page/runs_page.h"
#include "widgets/runs_page/table/run_table_view.h"
#include "widgets/theme/theme.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <csignal>

using namespace rankscope;
using namespace rankscope::ui;
using test::inWindow;
using test::Reported;
using test::Shown;

class Walk : public QObject, test::WalkStage {
    Q_OBJECT

public:
    static void initMain() { QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs); }

private slots:
    void initTestCase();
    void init();
    void cleanup();
    void cleanupTestCase();

    void takeTheTour();
    void openARecipe();
    void editIt();
    void launchIt();
    void seeTheStall();
    void seeItEnd();
    void takeTheRemedy();
    void stopIt();
    void resumeIt();
    void loseARank();
    void launchTheRemedy();
    void compareThem();
    void exportOne();
    void quit();

private:
    /// Returns the tour's panel; null: no tour is in progress.
    TourPanel* tourPanel() const {
        for (auto* panel : m_window->findChildren<TourPanel*>())
            if (!panel->isHidden())
                return panel;
        return nullptr;
    }
    QString m_recipe, m_first;
};

void Walk::initTestCase() {
    m_recipe = writeRecipe(QStringLiteral("day.yaml"), 40, 20);
    QVERIFY(!m_recipe.isEmpty());
    DO(open());
}

void Walk::init() {
    if (m_failed)
        QFAIL("what comes before it failed");
}

void Walk::cleanup() {
    afterStep();
}

void Walk::cleanupTestCase() {
    close();
}

void Walk::takeTheTour() {
    walk([this] {
        DO(m_walker->clickButton(QStringLiteral("Tour")));
        const auto at = [this](int step) {
            return m_walker->until(
                [&] {
                    return tourPanel() && tourPanel()->isVisible() &&
                           tourPanel()->findChild<QLabel*>(QStringLiteral("tourProgress"))->text() ==
                               QStringLiteral("%1 of 7").arg(step);
                },
                30'000);
        };
        for (int step = 1; step <= 7; ++step) {
            QVERIFY2(at(step), qPrintable(QStringLiteral("step %1").arg(step)));
            QVERIFY(!inWindow([this] {
                         return tourPanel()->findChild<QLabel*>(QStringLiteral("tourText"))->text();
                     }).isEmpty());
            DO(m_walker->clickButton(step < 7 ? QStringLiteral("Next") : QStringLiteral("Try the quickstart")));
        }
        QVERIFY(m_walker->until(
            [this] {
                return !tourPanel() && m_window->page() == Page::Configure &&
                       config()->file()->path().endsWith("quickstart.yaml");
            },
            30'000));
    });
}

void Walk::openARecipe() {
    walk([this] { DO(openRecipe(m_recipe)); });
}

void Walk::editIt() {
    walk([this] {
        const auto holds = [this](const char* line) {
            return m_walker->until([&] { return config()->file()->bytes().find(line) != std::string::npos; }, 10'000);
        };
        DO(m_walker->press("slash"));
        DO(m_walker->type(QStringLiteral("max_steps")));
        DO(m_walker->press("Return"));
        QVERIFY(m_walker->until([this] { return config()->recipe()->currentKey() == "trainer.max_steps"; }, 10'000));
        DO(m_walker->press("Return"));
        DO(m_walker->type(QStringLiteral("6000")));
        DO(m_walker->press("Return"));
        QVERIFY(holds("max_steps: 6000"));
        DO(m_walker->press("ctrl+z"));
        QVERIFY(holds("max_steps: 400\n"));
        DO(m_walker->press("ctrl+y"));
        QVERIFY(holds("max_steps: 6000"));
        QVERIFY(m_walker->until([this] { return config()->isComplete(); }, 60'000));
    });
}

void Walk::launchIt() {
    walk([this] {
        DO(m_walker->clickButton(QStringLiteral("Launch (unsaved changes)")));
        QVERIFY2(goesOn({}, 5), qPrintable(inWindow([this] { return config()->launchPanel()->problem(); })));
        m_first = m_run;
        QCOMPARE(Reported::of(m_run).total, 6000);
        DO(agree());
    });
}

void Walk::seeTheStall() {
    walk([this] {
        std::optional<test::OpenStall> stall;
        QElapsedTimer timer;
        for (timer.start(); !stall && timer.elapsed() < 120'000; QThread::msleep(50))
            stall = Reported::of(m_run).stall;
        QVERIFY(stall);
        QCOMPARE(stall->step, 40);
        QCOMPARE(stall->holders, std::set<int>{1});
        QCOMPARE(stall->waiters, std::set<int>{0});
        DO(agree());
        inWindow([this] { shot(); });
        QVERIFY(inWindow([this] { return Shown::of(*m_window, m_run).follows; }));
        for (const char* page : {"ctrl+3", "ctrl+6", "ctrl+4", "ctrl+5", "ctrl+1", "ctrl+2"}) {
            DO(m_walker->press(page));
            const Page wanted = static_cast<Page>(page[5] - '1');
            QVERIFY2(m_walker->until([&] { return m_window->page() == wanted; }, 10'000), page);
            DO(agree());
            QVERIFY2(Reported::of(m_run).stall, "the stall was over before all pages were seen");
        }
        // visiting the pages has not stopped any of them from following the run
        const Shown now = inWindow([this] { return Shown::of(*m_window, m_run); });
        QVERIFY(now.follows);
        QCOMPARE(now.growing, std::set<int>{0});
    });
}

void Walk::seeItEnd() {
    walk([this] {
        QElapsedTimer timer;
        for (timer.start(); Reported::of(m_run).stall && timer.elapsed() < 60'000; QThread::msleep(200))
            ;
        QVERIFY(!Reported::of(m_run).stall);
        QVERIFY(m_walker->until([this] { return m_window->session()->view().step > 50; }, 60'000));
        DO(agree());
        DO(m_walker->press("ctrl+3"));
        QVERIFY(
            m_walker->until([this] { return m_window->page() == Page::Timeline && m_window->isComplete(); }, 30'000));
        DO(agree());
        DO(m_walker->press("ctrl+2"));
        QVERIFY(m_walker->until([this] { return m_window->page() == Page::Review; }, 10'000));
        QVERIFY(inWindow([this] { return Shown::of(*m_window, m_run).follows; }));
    });
}

void Walk::takeTheRemedy() {
    walk([this] {
        DO(m_walker->press("ctrl+4"));
        // on a busy machine, ranks may also be slow by chance: the stall is selected by its cause
        DO(m_walker->clickRow([this] { return m_window->findChild<QTableView*>(QStringLiteral("incidentTable")); },
                              QStringLiteral("Data loading"), IncidentModel::CauseColumn));
        const std::string before = inWindow([this] { return config()->file()->bytes(); });
        DO(m_walker->click([this]() -> QWidget* {
            return m_window->findChild<IncidentDetail*>()->findChild<QPushButton*>("incidentRemedy");
        }));
        QVERIFY(m_walker->until(
            [this] {
                return m_window->page() == Page::Configure && config()->isComplete() &&
                       config()->launchPanel()->fields().repeats == m_first;
            },
            30'000));
        QVERIFY(inWindow([this] { return config()->file()->bytes(); }) != before);
        DO(agree());
    });
}

void Walk::stopIt() {
    walk([this] {
        DO(m_walker->press("ctrl+2"));
        DO(m_walker->choose((*m_window->actions())[ActionId::Stop]));
        QVERIFY(becomes(QStringLiteral("stopped")));
        DO(agree());
        DO(m_walker->press("ctrl+3"));
        QVERIFY(
            m_walker->until([this] { return m_window->page() == Page::Timeline && m_window->isComplete(); }, 30'000));
        DO(agree());
        DO(m_walker->press("ctrl+2"));
    });
}

void Walk::resumeIt() {
    walk([this] {
        const qint64 steps = Reported::of(m_first).steps;
        DO(m_walker->clickButton(QStringLiteral("Resume")));
        QVERIFY(goesOn(m_first, static_cast<int>(steps) + 5));
        QVERIFY(Reported::of(m_run).steps >= steps);
        DO(agree());
    });
}

void Walk::loseARank() {
    walk([this] {
        const auto info = launch::readRunInfo(launch::RunPaths{m_run.toStdString()});
        QVERIFY(info && info->rankPids.size() == 2);
        QCOMPARE(::kill(static_cast<pid_t>(info->rankPids[1]), SIGKILL), 0);
        QVERIFY(becomes(QStringLiteral("failed")));
        DO(agree());
        DO(m_walker->click([this]() -> QWidget* { return m_window->findChild<QPushButton*>("failureDetails"); }));
        QVERIFY(m_walker->until(
            [this] {
                return m_window->page() == Page::Incidents &&
                       m_window->findChild<QLabel*>(QStringLiteral("incidentSentence"))
                           ->text()
                           .contains(QStringLiteral("ank 1"));
            },
            10'000));
        DO(agree());
    });
}

void Walk::launchTheRemedy() {
    walk([this] {
        DO(m_walker->press("ctrl+1"));
        QVERIFY(
            m_walker->until([this] { return m_window->page() == Page::Configure && config()->isComplete(); }, 30'000));
        QCOMPARE(inWindow([this] { return config()->launchPanel()->fields().repeats; }), m_first);
        DO(m_walker->press("ctrl+Return"));
        QVERIFY2(goesOn(m_run, 60), qPrintable(inWindow([this] { return config()->launchPanel()->problem(); })));
        DO(agree());
        DO(m_walker->press("ctrl+period"));
        QVERIFY(becomes(QStringLiteral("stopped")));
        DO(agree());
    });
}

void Walk::compareThem() {
    walk([this] {
        DO(m_walker->press("ctrl+6"));
        RunsPage* page = m_window->findChild<RunsPage*>();
        QVERIFY(m_walker->until(
            [&] {
                return m_window->page() == Page::Runs && page->isComplete() &&
                       page->findChild<RunTableProxy*>()->rowCount() >= 2;
            },
            60'000));
        const auto place = [&](int row) {
            return inWindow([&] {
                return page->findChild<RunTableView*>()
                    ->visualRect(page->findChild<RunTableProxy*>()->index(row, 1))
                    .center();
            });
        };
        const auto viewport = [&]() -> QWidget* { return page->findChild<RunTableView*>()->viewport(); };
        DO(m_walker->click(viewport, place(0)));
        m_walker->hand().hold("ctrl", true);
        const QString missed = m_walker->click(viewport, place(1));
        m_walker->hand().hold("ctrl", false);
        DO(missed);
        DO(m_walker->clickButton(QStringLiteral("Compare")));
        QVERIFY(m_walker->until(
            [&] {
                return page->isCompared() && page->findChild<ComparePane*>()->runs().size() == 2 &&
                       m_window->isComplete();
            },
            60'000));
        DO(agree());
        const auto tabs = [&]() -> QTabBar* {
            return page->findChild<ComparePane*>()->findChild<QTabWidget*>()->tabBar();
        };
        DO(m_walker->click([&]() -> QWidget* { return tabs(); },
                           inWindow([&] { return tabs()->tabRect(ComparePane::Figures).center(); })));
        QVERIFY(m_walker->until([&] { return tabs()->currentIndex() == ComparePane::Figures; }, 5'000));
        QVERIFY(inWindow([&] { return page->findChild<QTableView*>(QStringLiteral("figures"))->model()->rowCount(); }) >
                3);
    });
}

void Walk::exportOne() {
    walk([this] {
        DO(m_walker->press("ctrl+shift+e"));
        const QString report = m_home.filePath(QStringLiteral("report.html"));
        const auto target = []() -> QWidget* {
            QWidget* window = QApplication::activeWindow();
            return window && qobject_cast<QDialog*>(window) ? window->findChild<QLineEdit*>() : nullptr;
        };
        DO(m_walker->click(target));
        DO(m_walker->press("ctrl+a"));
        DO(m_walker->type(report));
        DO(m_walker->press("Return"));
        QVERIFY(m_walker->until([&] { return QFileInfo(report).size() > 1000; }, 60'000));
        DO(agree());
        DO(m_walker->clickButton(QStringLiteral("Close")));
        QFile file(report);
        QVERIFY(file.open(QIODevice::ReadOnly) && file.readAll().contains("</html>"));
    });
}

void Walk::quit() {
    walk([this] {
        DO(m_walker->press("ctrl+q"));
        const auto asked = [] { return qobject_cast<QMessageBox*>(QApplication::activeWindow()) != nullptr; };
        QVERIFY(m_walker->until([&] { return asked() || !m_window->isVisible(); }, 15'000));
        if (inWindow(asked))
            DO(m_walker->clickButton(QStringLiteral("Discard")));
        QVERIFY(m_walker->until([this] { return !m_window->isVisible(); }, 15'000));
    });
}

RANKSCOPE_GUI_TEST(Walk)
#include "tst_walk.moc"
