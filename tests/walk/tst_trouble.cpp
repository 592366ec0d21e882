// SPDX-License-Identifier: GPL-3.0-or-later
// A bad day in the real window on an X display, by mouse and keyboard, with the real trainer: another runs folder, two
// recipes, a stop that is refused, a resumed run that is repeated, a rank with two incidents, a loss that is NaN, and a
// disk that is full. After each of them, all parts of the window agree with `rankscopectl show --json`.
// With RANKSCOPE_SHOTS=DIR, a picture of each step is kept.
#include "core/launch/run/run_folder.h"
#include "tests/support/test_runner.h"
#include "walk_stage.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/page/config_page.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/chrome/header_bar.h"
#include "widgets/models/run/run_session.h"
#include "widgets/review/page/review_page.h"
#include "widgets/run_end/failure_panel.h"
#include "widgets/runs/panel/run_list_model.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/timeline/page/timeline_page.h"
#include "widgets/timeline/view/timeline_view.h"
#include "widgets/waits/waits_pane.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>
#include <QTest>
#include <QThread>

#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

using namespace rankscope;
using namespace rankscope::ui;
using test::inWindow;
using test::Reported;
using test::Shown;
using test::Walker;

class Trouble : public QObject, test::WalkStage {
    Q_OBJECT

public:
    static void initMain() { QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs); }

private slots:
    void initTestCase();
    void init();
    void cleanup() { afterStep(); }
    void cleanupTestCase();

    void fieldsGoWithTheirRecipe();
    void launchElsewhere();
    void lookAtTheTimelineAndBack();
    void showAllOfIt();
    void stopIsRefusedAndAskedAgain();
    void theEndedRunIsWhole();
    void resumeAndRepeatIt();
    void twoIncidentsOfOneRank();
    void theLossIsNan();
    void theDiskIsFull();

private:
    QLineEdit* field(const char* name) const {
        return config()->launchPanel()->findChild<QLineEdit*>(QLatin1String(name));
    }
    LaunchFields fields() const {
        return inWindow([this] { return config()->launchPanel()->fields(); });
    }
    /// Replaces the text of a field.
    QString fill(const char* name, const QString& text) {
        for (const QString& missed :
             {m_walker->click([this, name]() -> QWidget* { return field(name); }), m_walker->press("ctrl+a"),
              text.isEmpty() ? m_walker->press("BackSpace") : m_walker->type(text), m_walker->press("Tab")})
            if (!missed.isEmpty())
                return missed;
        return {};
    }
    QString launchRecipe(const QString& file, const QString& overrides, int steps) {
        const QString before = session();
        for (const QString& missed : {openRecipe(file), fill("overrides", overrides)})
            if (!missed.isEmpty())
                return missed;
        if (!Walker::until([this] { return config()->isComplete(); }, 60'000))
            return QStringLiteral("the plan is not made");
        if (const QString missed = m_walker->press("ctrl+Return"); !missed.isEmpty())
            return missed;
        return goesOn(before, steps) ? QString() : inWindow([this] { return config()->launchPanel()->problem(); });
    }
    QString toPage(const char* keys) {
        if (const QString missed = m_walker->press(keys); !missed.isEmpty())
            return missed;
        const Page wanted = static_cast<Page>(keys[5] - '1');
        return Walker::until([&] { return m_window->page() == wanted; }, 10'000) ? QString() : QLatin1String(keys);
    }
    TimelineView* timeline() const { return m_window->findChild<TimelinePage*>()->view(); }
    ReviewPage* review() const { return m_window->findChild<ReviewPage*>(); }
    /// Returns the object that `show --json` prints for the run.
    QJsonObject shownByProgram() const {
        QProcess show;
        show.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), {"show", "--json", m_run});
        show.waitForFinished(30'000);
        return QJsonDocument::fromJson(show.readAllStandardOutput()).object();
    }
    /// Returns the newest time that the lanes show, in seconds since the run's start.
    double newestInLanes() const;
    pid_t supervisor() const {
        const auto info = launch::readRunInfo(launch::RunPaths{m_run.toStdString()});
        return info ? static_cast<pid_t>(info->supervisorPid) : 0;
    }

    QString m_day, m_other, m_disk;
    bool m_mounted = false;
};

void Trouble::initTestCase() {
    m_day = writeRecipe(QStringLiteral("day.yaml"), 40, 3);
    m_other = writeRecipe(QStringLiteral("other.yaml"), 50, 3);
    QVERIFY(!m_day.isEmpty() && !m_other.isEmpty());
    DO(open());
}

void Trouble::init() {
    if (m_failed)
        QFAIL("what comes before it failed");
}

void Trouble::cleanupTestCase() {
    close();
    if (m_mounted)
        QCOMPARE(::umount2(m_disk.toLocal8Bit().constData(), MNT_DETACH), 0);
}

double Trouble::newestInLanes() const {
    std::int64_t newest = 0;
    if (const TimelineReply* reply = timeline()->scene().best())
        for (const auto& lane : reply->lanes) {
            for (const auto& phase : lane.phases)
                newest = std::max(newest, phase.endNs);
            for (const auto& column : lane.phaseColumns)
                newest = std::max(newest, column.endNs);
        }
    return static_cast<double>(newest) * 1e-9;
}

void Trouble::fieldsGoWithTheirRecipe() {
    walk([this] {
        DO(openRecipe(m_day));
        DO(fill("overrides", QStringLiteral("trainer.max_steps=3000")));
        DO(fill("runsFolder", m_home.filePath(QStringLiteral("elsewhere"))));
        QCOMPARE(fields().overrides, QStringList{QStringLiteral("trainer.max_steps=3000")});
        DO(openRecipe(m_other));
        QCOMPARE(fields().overrides, QStringList());
        QCOMPARE(fields().runsDir, QString());
        DO(openRecipe(m_day));
        QCOMPARE(fields().overrides, QStringList{QStringLiteral("trainer.max_steps=3000")});
        QCOMPARE(fields().runsDir, m_home.filePath(QStringLiteral("elsewhere")));
    });
}

void Trouble::launchElsewhere() {
    walk([this] {
        QVERIFY(Walker::until([this] { return config()->isComplete(); }, 60'000));
        DO(m_walker->press("ctrl+Return"));
        QVERIFY2(goesOn({}, 5), qPrintable(inWindow([this] { return config()->launchPanel()->problem(); })));
        QVERIFY2(m_run.startsWith(m_home.filePath(QStringLiteral("elsewhere"))), qPrintable(m_run));
        DO(agree()); // also reads the run's row in the list
    });
}

void Trouble::lookAtTheTimelineAndBack() {
    walk([this] {
        QVERIFY(inWindow([this] { return review()->showsAll(); }));
        for (int look = 0; look < 3; ++look) {
            DO(toPage("ctrl+3"));
            QThread::sleep(2);
            DO(toPage("ctrl+2"));
            QThread::sleep(3);
            QVERIFY2(inWindow([this] { return review()->showsAll(); }), "a look at the Timeline changed Live's view");
        }
        DO(toPage("ctrl+3"));
        QVERIFY(Walker::until([this] { return timeline()->scene().best() && m_window->isComplete(); }, 30'000));
        QVERIFY2(Walker::until([this] { return newestInLanes() > timeline()->limits().hi * 1e-9 - 6; }, 15'000),
                 "the lanes end before the run's newest part");
    });
}

void Trouble::showAllOfIt() {
    walk([this] {
        DO(m_walker->press("plus"));
        DO(m_walker->press("plus"));
        QVERIFY(Walker::until([this] { return !timeline()->showsAll(); }, 10'000));
        DO(m_walker->press("0"));
        QVERIFY2(Walker::until([this] { return timeline()->showsAll(); }, 5'000), "one press of 0 does not show all");
        DO(toPage("ctrl+2"));
        DO(agree());
    });
}

void Trouble::stopIsRefusedAndAskedAgain() {
    walk([this] {
        const pid_t pid = supervisor();
        QVERIFY(pid > 0);
        QCOMPARE(::kill(pid, SIGSTOP), 0);
        DO(m_walker->choose((*m_window->actions())[ActionId::Stop]));
        const auto notice = [this] {
            const auto* text = m_window->findChild<QLabel*>(QStringLiteral("noticeText"));
            return text && text->isVisible() && text->text().contains(QStringLiteral("CONT"));
        };
        const bool refused = Walker::until(notice, 30'000);
        const QString said = inWindow([this] {
            const auto* text = m_window->findChild<QLabel*>(QStringLiteral("noticeText"));
            return text ? text->text() : QString();
        });
        QCOMPARE(::kill(pid, SIGCONT), 0);
        QVERIFY2(refused, qPrintable(said));
        QVERIFY(Walker::until([this] { return (*m_window->actions())[ActionId::Stop]->isEnabled(); }, 20'000));
        DO(m_walker->press("ctrl+period"));
        QVERIFY(becomes(QStringLiteral("stopped")));
        DO(agree());
        // the notice of the refusal disappears when the run is over
        QVERIFY(Walker::until([&] { return !notice(); }, 10'000));
        QVERIFY(!shownByProgram()[QLatin1String("cause")].toString().contains(QStringLiteral("killed")));
    });
}

void Trouble::theEndedRunIsWhole() {
    walk([this] {
        QVERIFY(Walker::until([this] { return review()->showsAll() && m_window->isComplete(); }, 20'000));
        DO(toPage("ctrl+3"));
        QVERIFY(Walker::until([this] { return timeline()->showsAll() && m_window->isComplete(); }, 20'000));
        QVERIFY(inWindow([this] { return newestInLanes() > timeline()->limits().hi * 1e-9 - 6; }));
        const auto tabs = [this] { return m_window->findChild<TimelinePage*>()->findChild<QTabWidget*>(); };
        DO(m_walker->clickButton(QStringLiteral("Details, statistics and who waits for whom (Enter)")));
        DO(m_walker->click([&]() -> QWidget* { return tabs()->tabBar(); }, inWindow([&] {
                               const int tab = tabs()->indexOf(tabs()->findChild<WaitsPane*>());
                               return tabs()->tabBar()->tabRect(tab).center();
                           })));
        const auto range = [this] {
            const auto* label = m_window->findChild<TimelinePage*>()->findChild<QLabel*>(QStringLiteral("waitRange"));
            return label ? label->text() : QString();
        };
        QVERIFY2(Walker::until([&] { return range().contains(QStringLiteral("Whole run")); }, 10'000),
                 qPrintable(inWindow(range)));
        DO(m_walker->press("plus"));
        DO(m_walker->press("plus"));
        QVERIFY2(
            Walker::until([&] { return !range().isEmpty() && !range().contains(QStringLiteral("Whole run")); }, 10'000),
            qPrintable(inWindow(range)));
        DO(m_walker->press("0"));
        DO(toPage("ctrl+2"));
    });
}

void Trouble::resumeAndRepeatIt() {
    walk([this] {
        const QString first = m_run;
        const qint64 steps = Reported::of(first).steps;
        DO(m_walker->clickButton(QStringLiteral("Resume")));
        QVERIFY(goesOn(first, static_cast<int>(steps) + 5));
        DO(m_walker->press("ctrl+period"));
        QVERIFY(becomes(QStringLiteral("stopped")));
        const auto ranks = shownByProgram()[QLatin1String("world_size")].toInt();
        QCOMPARE(ranks, 2);
        DO(m_walker->press("ctrl+r"));
        QVERIFY(Walker::until(
            [this] {
                return m_window->page() == Page::Configure && config()->launchPanel()->fields().repeats == m_run &&
                       config()->isComplete();
            },
            60'000));
        // as many ranks as the run had, whether the field or the recipe gives their number
        DO(m_walker->press("ctrl+Return"));
        QVERIFY2(goesOn(m_run, 5), qPrintable(inWindow([this] { return config()->launchPanel()->problem(); })));
        QCOMPARE(shownByProgram()[QLatin1String("world_size")].toInt(), 2);
        DO(agree());
        DO(m_walker->press("ctrl+period"));
        QVERIFY(becomes(QStringLiteral("stopped")));
        DO(agree());
    });
}

void Trouble::twoIncidentsOfOneRank() {
    // slow in forward for many steps, which opens a separate incident, and then a file that takes long to read
    QFile recipe(m_other);
    QVERIFY(recipe.open(QIODevice::ReadOnly));
    QByteArray text = recipe.readAll();
    recipe.close();
    const auto at = text.indexOf("  faults:\n");
    QVERIFY(at > 0);
    QByteArray slow;
    for (int step = 15; step < 50; ++step)
        slow +=
            "    - { kind: slow_compute, rank: 1, step: " + QByteArray::number(step) + ", seconds: 0.3, layer: 1 }\n";
    text.insert(at + 10, slow).replace("seconds: 3\n", "seconds: 15\n");
    const QString file = m_home.filePath(QStringLiteral("two.yaml"));
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly) && out.write(text) == text.size());
    out.close();
    walk([this, file] {
        DO(launchRecipe(file, QStringLiteral("trainer.max_steps=3000"), 5));
        std::optional<test::OpenStall> stall;
        QElapsedTimer timer;
        for (timer.start(); !stall && timer.elapsed() < 180'000; QThread::msleep(50)) {
            stall = Reported::of(m_run).stall;
            if (stall && stall->step < 50)
                stall.reset(); // it belongs to the earlier slow steps
        }
        QVERIFY(stall);
        QThread::sleep(3);
        DO(agree());
        const Shown shown = inWindow([this] { return Shown::of(*m_window, m_run); });
        QVERIFY(shown.tiles.size() == 2);
        QVERIFY2(shown.tiles[1].contains(QStringLiteral("data_wait")), qPrintable(shown.tiles[1]));
        DO(toPage("ctrl+3"));
        const std::string lane = inWindow([this] { return timeline()->scene().ranks[1].status.words.english(); });
        QVERIFY2(lane.find("data_wait") != std::string::npos, lane.c_str());
        DO(m_walker->press("ctrl+period"));
        QVERIFY(becomes(QStringLiteral("stopped")));
        DO(agree());
    });
}

void Trouble::theLossIsNan() {
    walk([this] {
        const auto overrides = QStringLiteral("trainer.max_steps=60 "
                                              "rankscope.faults=[{kind:nan_input,rank:1,step:30,steps:1}]");
        DO(launchRecipe(m_day, overrides, 5));
        QVERIFY(becomes(QStringLiteral("failed")));
        DO(agree());
        QVERIFY(Walker::until([this] { return m_window->findChild<FailurePanel*>()->isVisible(); }, 20'000));
        const QString text = inWindow([this] { return m_window->findChild<FailurePanel*>()->asText(); });
        QVERIFY2(text.contains(QStringLiteral("NaN")) && text.contains(QStringLiteral("30")), qPrintable(text));
        QVERIFY(!inWindow([this] {
            const auto* offer = m_window->findChild<QPushButton*>(QStringLiteral("endExport"));
            return offer && offer->isVisible();
        }));
        QVERIFY(shownByProgram()[QLatin1String("exit_code")].toInt() != 0);
    });
}

void Trouble::theDiskIsFull() {
    m_disk = m_home.filePath(QStringLiteral("small"));
    QVERIFY(QDir().mkpath(m_disk));
    if (::geteuid() != 0)
        QSKIP("needs root, to mount a small file system");
    if (::mount("none", m_disk.toLocal8Bit().constData(), "tmpfs", 0, "size=24m,mode=0700") != 0)
        QSKIP(qPrintable(QStringLiteral("no file system can be mounted here: ") + std::strerror(errno)));
    m_mounted = true;
    walk([this] {
        DO(openRecipe(m_other));
        DO(fill("runsFolder", m_disk));
        DO(launchRecipe(m_other,
                        QStringLiteral("trainer.max_steps=300 rankscope.faults=[] "
                                       "++exp_manager.create_checkpoint_callback=false"),
                        5));
        QVERIFY2(m_run.startsWith(m_disk), qPrintable(m_run));
        QFile fill(m_disk + QStringLiteral("/fill"));
        QVERIFY(fill.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
        const pid_t pid = supervisor();
        QVERIFY(pid > 0);
        // fill the disk to the last page, and again whenever other programs free some space
        QElapsedTimer timer;
        for (timer.start(); ::kill(pid, 0) == 0 && timer.elapsed() < 180'000; QThread::msleep(2))
            for (const int size : {1 << 16, 1 << 12}) {
                const QByteArray block(size, '\0');
                while (fill.write(block) == block.size())
                    ;
            }
        fill.close();
        QVERIFY(::kill(pid, 0) != 0);
        QThread::sleep(3);
        const auto steps = [this] {
            return m_window->findChild<HeaderBar*>()->findChild<QLabel*>(QStringLiteral("headerStep"))->text();
        };
        QVERIFY2(inWindow(steps) != QStringLiteral("300 of 300"), "the store had room for all");
        QVERIFY(QFile::remove(fill.fileName()));
        QVERIFY2(Walker::until([&] { return steps() == QStringLiteral("300 of 300"); }, 60'000),
                 qPrintable(inWindow(steps)));
        DO(agree());
    });
}

RANKSCOPE_GUI_TEST(Trouble)
#include "tst_trouble.moc"
