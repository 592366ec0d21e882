// SPDX-License-Identifier: GPL-3.0-or-later
// The tour of the recorded run that comes with the program, by keys only; and the welcome page that offers it.
#include "core/base/files/file.h"
#include "core/store/read/run_reader.h"
#include "tests/support/test_runner.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/controls/clamped_label.h"
#include "widgets/incidents/incident_banner.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/chrome/welcome_page.h"
#include "widgets/main_window/exchange/watch_panel.h"
#include "widgets/main_window/help/installed_files.h"
#include "widgets/main_window/help/tour_panel.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/settings/window_settings.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/models/run/run_session.h"
#include "widgets/plots/plot/rank_plot.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/page/timeline_legend.h"
#include "widgets/timeline/view/timeline_view.h"

#include <QAbstractButton>
#include <QApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QKeySequence>
#include <QLabel>
#include <QMenuBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <utility>

using namespace rankscope;
using namespace rankscope::ui;

/// Returns the tour's panel; null if no tour is in progress.
static TourPanel* tourPanel(const MainWindow& window) {
    const auto panels = window.findChildren<TourPanel*>();
    const auto shown =
        std::find_if(panels.begin(), panels.end(), [](const TourPanel* one) { return !one->isHidden(); });
    return shown == panels.end() ? nullptr : *shown;
}

/// Returns a widget's place in its window.
static QRect placeOf(const QWidget* widget) {
    return {widget->mapTo(widget->window(), QPoint()), widget->size()};
}

/// Returns whether the Timeline's long arrows are drawn and the tour's panel covers none of them.
static bool showsArrows(const MainWindow& window) {
    const auto* lanes = window.findChild<TimelineView*>();
    const TimelineScene& scene = lanes->scene();
    int seen = 0;
    for (const WaitArrow& arrow : scene.arrows()) {
        if (arrow.waitNs < 1'000'000'000)
            continue;
        const QRect place(scene.pointOf(arrow.waiter, static_cast<double>(arrow.fromNs), LanePart::Collectives),
                          scene.pointOf(arrow.holder, static_cast<double>(arrow.toNs), LanePart::Collectives));
        const QPoint origin = lanes->viewport()->mapTo(&window, QPoint());
        if (tourPanel(window)->geometry().intersects(place.normalized().translated(origin)))
            return false;
        ++seen;
    }
    return seen > 0;
}

static QString words(const TourPanel* panel, const char* label) {
    return panel->findChild<QLabel*>(QLatin1String(label))->text();
}

class TourTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        qputenv("XDG_CONFIG_HOME", m_home.path().toLocal8Bit());
        qputenv("XDG_STATE_HOME", m_home.path().toLocal8Bit());
        qputenv("XDG_CACHE_HOME", m_home.filePath(QStringLiteral("cache")).toLocal8Bit());
        QDir::setCurrent(m_home.path());
        Theme::instance().apply(Theme::Mode::Light);
        setLanguage(QStringLiteral("en"));
        m_pictures = qEnvironmentVariable("RANKSCOPE_TOUR_PICTURES"); // a folder: each step is saved as a picture
    }
    void cleanup() {
        Theme::instance().apply(Theme::Mode::Light);
        setLanguage(QStringLiteral("en"));
    }

    void theRecordingIsWholeSmallAndOfNobody() {
        const QString tour = findTour();
        QVERIFY2(!tour.isEmpty(), "resources/tour/run is not there");
        QVERIFY(QFile::exists(QFileInfo(tour).dir().filePath(QStringLiteral("LABEL.md"))));
        qint64 bytes = 0;
        QDirIterator it(tour, QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext()) {
            it.next();
            bytes += it.fileInfo().size();
        }
        QVERIFY2(bytes < 800'000, qPrintable(QString::number(bytes)));
        QTemporaryDir into;
        const auto run = copyTour(tour, into.path());
        QVERIFY2(run, run ? "" : run.error().message().c_str());
        QCOMPARE(QFile::permissions(*run + QStringLiteral("/run.sqlite")) & (QFile::ReadGroup | QFile::ReadOther),
                 QFile::Permissions());
        auto reader = store::RunReader::open((*run + QStringLiteral("/run.sqlite")).toStdString());
        QVERIFY(reader);
        const auto incidents = reader->incidents();
        QVERIFY(incidents && incidents->size() == 1);
        const auto& stall = incidents->front();
        QCOMPARE(stall.cause, diagnosis::Cause::DataLoading);
        QCOMPARE(stall.holders, std::vector<int>{1});
        QCOMPARE(stall.waiters, std::vector<int>{0});
        QVERIFY(stall.closedNs - stall.openedNs > 4'000'000'000);
        QVERIFY(!stall.remedy.key.empty());
        for (const char* file : {"run.json", "effective.yaml", "ranks/0/log.txt", "ranks/1/log.txt"}) {
            const auto text = readFile((*run + QLatin1Char('/') + QLatin1String(file)).toStdString());
            QVERIFY(text);
            for (const char* place : {"/home/", "/root/", "/work/", "/tmp/"})
                QVERIFY2(text->find(place) == std::string::npos, file);
        }
    }
    void aDamagedRecordingIsSaid() {
        QTemporaryDir broken, into;
        const QString from = broken.path();
        QVERIFY(QFile::copy(findTour() + QStringLiteral("/id"), from + QStringLiteral("/id")));
        QFile whole(findTour() + QStringLiteral("/run.sqlite.gz")), cut(from + QStringLiteral("/run.sqlite.gz"));
        QVERIFY(whole.open(QIODevice::ReadOnly) && cut.open(QIODevice::WriteOnly));
        cut.write(whole.read(whole.size() / 2));
        cut.close();
        const auto run = copyTour(from, into.path());
        QVERIFY(!run);
        QVERIFY2(run.error().message().find("run.sqlite.gz") != std::string::npos, run.error().message().c_str());
    }
    void theWelcomePageOffersSevenThings() {
        auto window = make(false);
        auto* welcome = window->findChild<WelcomePage*>();
        QVERIFY(welcome && welcome->isVisible());
        QStringList titles;
        for (auto* choice : welcome->findChildren<QAbstractButton*>()) {
            if (choice->isVisible())
                titles << choice->text();
            QVERIFY(!choice->accessibleDescription().isEmpty());
            QVERIFY(window->rect().contains(QRect(choice->mapTo(window.get(), QPoint()), choice->size())));
        }
        titles.sort();
        QCOMPARE(titles, QStringList({"Explain a log", "Import a run", "Open a NeMo recipe", "Open a run folder",
                                      "Quickstart", "Tour", "Watch a command"}));
    }
    /// Checks that one choice is the primary one: it is on top, alone is a card, and gets the focus.
    void oneChoiceStandsOut() {
        auto window = make(false);
        auto* welcome = window->findChild<WelcomePage*>();
        const auto standsOut = [&](const char* title) {
            const auto all = welcome->findChildren<QAbstractButton*>();
            const auto* card = *std::max_element(
                all.begin(), all.end(), [](const auto* a, const auto* b) { return a->height() < b->height(); });
            const bool alone = std::all_of(all.begin(), all.end(), [&](const QAbstractButton* choice) {
                return choice == card || choice->isHidden() ||
                       (choice->y() > card->y() && choice->height() < card->height());
            });
            welcome->takeFocus();
            return alone && card->hasFocus() && card->text() == QLatin1String(title);
        };
        QTRY_VERIFY(standsOut("Tour"));
        welcome->setTour(true, true); // it has been taken
        welcome->setQuickstart(QStringLiteral("/some/quickstart.yaml"), true);
        QTRY_VERIFY(standsOut("Quickstart"));
        welcome->setQuickstart(QStringLiteral("/some/quickstart.yaml"), false); // it cannot be launched yet
        QTRY_VERIFY(standsOut("Watch a command"));
    }
    void theWelcomePageIsWalkedByKeys() {
        for (const auto key : {Qt::Key_Return, Qt::Key_Enter, Qt::Key_Space}) {
            auto window = make(false);
            const auto focused = [&] {
                const auto* choice = qobject_cast<QAbstractButton*>(window->focusWidget());
                return choice ? choice->text() : QString();
            };
            QTRY_COMPARE(focused(), QStringLiteral("Tour"));
            QWidget* tour = window->focusWidget();
            const QImage ringed = tour->grab().toImage();
            for (const char* next : {"Quickstart", "Watch a command", "Open a NeMo recipe", "Open a run folder",
                                     "Import a run", "Explain a log"}) {
                QTest::keyClick(window->focusWidget(), Qt::Key_Tab);
                QCOMPARE(focused(), QLatin1String(next));
            }
            QVERIFY(tour->grab().toImage() != ringed);
            for (int i = 0; i < 5; ++i)
                QTest::keyClick(window->focusWidget(), Qt::Key_Backtab, Qt::ShiftModifier);
            QCOMPARE(focused(), QStringLiteral("Quickstart"));
            QTest::keyClick(window->focusWidget(), key);
            QCOMPARE(window->findChild<ConfigPage*>()->file()->path(), findQuickstart());
            (*window->actions())[ActionId::Welcome]->trigger();
            QCOMPARE(focused(), QStringLiteral("Tour"));
        }
    }
    void theWelcomePageWatchesACommand() {
        auto window = make(false);
        for (auto* choice : window->findChild<WelcomePage*>()->findChildren<QAbstractButton*>())
            if (choice->text() == QLatin1String("Watch a command"))
                QTest::mouseClick(choice, Qt::LeftButton);
        const auto* panel = window->findChild<WatchPanel*>();
        QVERIFY(panel && panel->isVisible());
    }
    void noChoiceIsCut() {
        for (const char* language : {"en", "zh"}) {
            setLanguage(QLatin1String(language));
            auto window = make(false);
            for (const auto* choice : window->findChild<WelcomePage*>()->findChildren<QAbstractButton*>()) {
                const int room = choice->width() - 56 - 12; // right of the icon
                const QString line = choice->accessibleDescription();
                QCOMPARE(QFontMetrics(secondaryFont()).elidedText(line, Qt::ElideRight, room), line);
            }
        }
    }
    void theQuickstartWithItsSpeechIsPreferred() {
        QTemporaryDir here, data;
        const QByteArray dataHome = qgetenv("XDG_DATA_HOME");
        qputenv("XDG_DATA_HOME", data.path().toLocal8Bit());
        const auto write = [](const QString& path) {
            QVERIFY(QDir().mkpath(QFileInfo(path).path()));
            QVERIFY(QFile::copy(QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml"), path));
        };
        const QString bare = here.filePath(QStringLiteral("configs/quickstart.yaml"));
        const QString set = data.filePath(QStringLiteral("rankscope/quickstart/"));
        write(bare);
        QDir::setCurrent(here.path());
        write(set + QStringLiteral("configs/quickstart.yaml"));
        write(set + QStringLiteral("resources/sample/data/train.json"));
        QVERIFY(findQuickstart() != bare && hasSampleSpeech(findQuickstart()));
        QCOMPARE(withSampleSpeech(bare), findQuickstart());
        QCOMPARE(withSampleSpeech(QStringLiteral("/some/recipe.yaml")), QStringLiteral("/some/recipe.yaml"));
        WindowSettings settings = WindowSettings::load();
        const QString before = std::exchange(settings.lastConfig, bare);
        settings.store();
        const QString opened = make(true)->findChild<ConfigPage*>()->file()->path();
        settings.lastConfig = before;
        settings.store();
        QCOMPARE(opened, findQuickstart());
        write(here.filePath(QStringLiteral("resources/sample/data/train.json")));
        QCOMPARE(findQuickstart(), bare);
        QCOMPARE(withSampleSpeech(bare), bare);
        QDir::setCurrent(m_home.path());
        dataHome.isNull() ? qunsetenv("XDG_DATA_HOME") : qputenv("XDG_DATA_HOME", dataHome);
    }
    void theQuickstartSaysWhatIsMissing() {
        WelcomePage page;
        const auto says = [&page](const char* words) {
            for (auto* choice : page.findChildren<QAbstractButton*>())
                if (choice->text() == QLatin1String("Quickstart"))
                    return choice->accessibleDescription().contains(QLatin1String(words));
            return false;
        };
        page.setQuickstart(QStringLiteral("/x/configs/quickstart.yaml"), true);
        QVERIFY(says("ready to launch") && !says("rankscope-setup"));
        page.setQuickstart(QStringLiteral("/x/configs/quickstart.yaml"), false);
        QVERIFY(says("run rankscope-setup") && !says("ready to launch"));
    }
    void thePanelHidesLeastOfWhatComesFirst() {
        QWidget window;
        window.resize(1000, 700);
        TourPanel panel(&window);
        panel.setStep(0, 2, QStringLiteral("title"), QStringLiteral("text"));
        const QRect area = window.rect(), foot(0, 400, 1000, 300), head(0, 0, 1000, 390), right(500, 0, 500, 700);
        panel.place(area, {foot});
        QVERIFY(!panel.geometry().intersects(foot));
        panel.place(area, {head, right});
        QVERIFY(!panel.geometry().intersects(head) && !panel.geometry().intersects(right));
        panel.place(area, {foot, head}); // one of them must be hidden
        QVERIFY(!panel.geometry().intersects(foot) && panel.geometry().intersects(head));
        panel.place(area, {head, foot});
        QVERIFY(!panel.geometry().intersects(head) && panel.geometry().intersects(foot));
    }
    void walkedByKeys() {
        auto window = make(false);
        const QByteArray before = hashOf(findTour());
        press(Qt::Key_F1, Qt::ShiftModifier);
        TourPanel* panel = tourPanel(*window);
        QVERIFY(panel);
        const auto atStep = [&](int n) { return words(panel, "tourProgress") == QStringLiteral("%1 of 7").arg(n); };
        QTRY_COMPARE_WITH_TIMEOUT(words(panel, "tourTitle"), QStringLiteral("Who is holding up whom, and why"), 20'000);
        QVERIFY(atStep(1));
        QVERIFY(window->page() == Page::Review);
        auto* banner = window->findChild<IncidentBanner*>();
        QVERIFY(banner->isVisible());
        QVERIFY2(banner->findChild<ClampedLabel*>()->text().startsWith(
                     QStringLiteral("Rank 1 has been holding up rank 0 for 5")),
                 qPrintable(banner->findChild<ClampedLabel*>()->text()));
        QVERIFY(panel->isAncestorOf(QApplication::focusWidget()));
        // the list next to an open run
        for (const auto* label : window->findChild<RunsPanel*>()->findChildren<QLabel*>())
            QVERIFY2(!label->text().contains(QStringLiteral("No runs yet")), qPrintable(label->text()));
        picture(window.get(), 1);
        press(Qt::Key_Left); // there is no earlier step
        QVERIFY(atStep(1));

        press(Qt::Key_Return);
        QVERIFY(atStep(2));
        QVERIFY(!banner->isVisible());
        picture(window.get(), 2);
        press(Qt::Key_Right);
        QVERIFY(atStep(3));
        QVERIFY(window->page() == Page::Review);
        QVERIFY2(words(panel, "tourText").contains(QStringLiteral("rank 0 waited 5")),
                 qPrintable(words(panel, "tourText")));
        picture(window.get(), 3);
        const QSize former = window->size();
        window->resize(900, 600);
        press(Qt::Key_Left);
        press(Qt::Key_Right);
        RankPlot* waits = nullptr;
        for (RankPlot* plot : window->findChildren<RankPlot*>())
            if (plot->spec().duration && plot->isVisible())
                waits = plot;
        QVERIFY(waits);
        QTRY_COMPARE(waits->visibleRegion().boundingRect(), waits->rect()); // what the step describes is in view
        window->resize(former);
        press(Qt::Key_Right);
        QVERIFY(atStep(4));
        QVERIFY(window->page() == Page::Timeline);
        picture(window.get(), 4);
        window->resize(900, 600); // also where the lanes fill the page, the arrow that the step explains is in view
        QTest::qWait(50);
        QTRY_VERIFY(showsArrows(*window));
        window->resize(former);
        press(Qt::Key_Left);
        QVERIFY(atStep(3));
        QVERIFY(window->page() == Page::Review);
        press(Qt::Key_Right);
        press(Qt::Key_Space);
        QVERIFY(atStep(5));
        QVERIFY(window->page() == Page::Incidents);
        auto* remedy = window->findChild<QPushButton*>(QStringLiteral("incidentRemedy"));
        QTRY_VERIFY(remedy->isVisible());
        QVERIFY2(remedy->text().startsWith(QStringLiteral("Remove the injected fault")), qPrintable(remedy->text()));
        QVERIFY(words(panel, "tourText").contains(QStringLiteral("this button opens the recipe without the fault")));
        auto* outline = window->findChild<TourOutline*>();
        QTRY_VERIFY(outline->geometry().contains(QRect(remedy->mapTo(window.get(), QPoint()), remedy->size())));
        QVERIFY(!panel->geometry().intersects(outline->geometry()));
        picture(window.get(), 5);
        press(Qt::Key_Right);
        QVERIFY(atStep(6));
        QVERIFY(words(panel, "tourText").contains(QStringLiteral("rankscopectl run --")));
        QVERIFY(words(panel, "tourText")
                    .contains((*window->actions())[ActionId::Watch]->shortcut().toString(QKeySequence::NativeText)));
        QTRY_VERIFY(outline->geometry().contains(window->menuBar()->geometry() & window->rect()));
        picture(window.get(), 6);
        press(Qt::Key_Right);
        QVERIFY(atStep(7));
        QVERIFY(window->page() == Page::Configure);
        QTRY_VERIFY_WITH_TIMEOUT(window->findChild<ConfigPage*>()->isComplete(), 20'000);
        QVERIFY(!window->findChild<ConfigPage*>()->file()->hasEdits());
        QTRY_VERIFY(!panel->geometry().intersects(placeOf(window->findChild<ConfigPage*>()->recipe())));
        QVERIFY(!panel->geometry().intersects(placeOf(window->findChild<ConfigPage*>()->launchPanel())));
        picture(window.get(), 7);
        press(Qt::Key_Right); // a key that is held down does not end the tour
        QVERIFY(tourPanel(*window) && atStep(7));
        // not the recording's own recipe, whose folder is removed with the window
        QCOMPARE(window->findChild<ConfigPage*>()->file()->path(), findQuickstart());
        auto* tries = tourPanel(*window)->findChild<QPushButton*>(QStringLiteral("tourNext"));
        QCOMPARE(tries->text(), QStringLiteral("Try the quickstart"));
        press(Qt::Key_Return);
        QVERIFY(!tourPanel(*window));
        QVERIFY(!banner->isVisible());
        QVERIFY(!window->session()); // the recording is closed: the next launch is the user's own run
        QCOMPARE(window->findChild<ConfigPage*>()->file()->path(), findQuickstart());
        QVERIFY((*window->actions())[ActionId::Launch]->isEnabled());
        QCOMPARE(hashOf(findTour()), before);
    }
    void escapeEndsItAndItsCopyGoesWithTheWindow() {
        QString copy;
        {
            auto window = make(false);
            (*window->actions())[ActionId::Tour]->trigger();
            QTRY_VERIFY(window->session() && !window->session()->view().incidents.empty());
            copy = QString::fromStdString(window->session()->run().dir.string());
            QVERIFY(QFile::exists(copy) && !copy.startsWith(findTour()));
            press(Qt::Key_Escape);
            QVERIFY(!tourPanel(*window));
            QVERIFY(window->session()); // the recording stays open
        }
        QVERIFY(!QFile::exists(copy));
    }
    void thePageStaysUsableAndTheFocusComesBack() {
        auto window = make(false);
        (*window->actions())[ActionId::Tour]->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(words(tourPanel(*window), "tourTitle"),
                                  QStringLiteral("Who is holding up whom, and why"), 20'000);
        press(Qt::Key_5, Qt::ControlModifier);
        QVERIFY(window->page() == Page::Logs);
        QVERIFY(tourPanel(*window)->isVisible());
        window->findChild<QStackedWidget*>()->setFocus();
        press(Qt::Key_F1, Qt::ShiftModifier);
        QVERIFY(tourPanel(*window)->isAncestorOf(QApplication::focusWidget()));
    }
    void doneIsRememberedTheCopyIsNot() {
        {
            auto window = make(true);
            (*window->actions())[ActionId::Tour]->trigger();
            QTRY_COMPARE_WITH_TIMEOUT(words(tourPanel(*window), "tourTitle"),
                                      QStringLiteral("Who is holding up whom, and why"), 20'000);
            for (int i = 0; i < 6; ++i)
                press(Qt::Key_Right);
            QTRY_VERIFY_WITH_TIMEOUT(window->findChild<ConfigPage*>()->isComplete(), 20'000);
            window->close();
        }
        const WindowSettings kept = WindowSettings::load();
        QVERIFY(kept.tourDone);
        QCOMPARE(kept.lastRun, QString());
        QCOMPARE(kept.lastConfig, QString());
        auto window = make(true);
        bool again = false;
        for (auto* choice : window->findChild<WelcomePage*>()->findChildren<QAbstractButton*>())
            again |= choice->accessibleDescription().startsWith(QStringLiteral("Take the tour again"));
        QVERIFY(again);
    }
    void inChineseDarkAndSmall() {
        auto window = make(false);
        window->resize(1024, 640);
        (*window->actions())[ActionId::Tour]->trigger();
        setLanguage(QStringLiteral("zh"));
        Theme::instance().apply(Theme::Mode::Dark);
        QTRY_COMPARE_WITH_TIMEOUT(words(tourPanel(*window), "tourTitle"), QStringLiteral("谁拖住了谁，为什么"), 20'000);
        for (int step = 1; step <= 7; ++step) {
            QCOMPARE(words(tourPanel(*window), "tourProgress"), QStringLiteral("第 %1 页，共 7 页").arg(step));
            QTRY_VERIFY(window->rect().contains(tourPanel(*window)->geometry()));
            auto* outline = window->findChild<TourOutline*>();
            if (step == 4) { // the lanes fill the page, but the legend is not covered
                const auto* legend = window->findChild<TimelineLegend*>();
                const QRect place(legend->mapTo(window.get(), QPoint()), legend->size());
                QTRY_VERIFY(!tourPanel(*window)->geometry().intersects(place));
            }
            if (step != 4)
                QTRY_VERIFY2(!tourPanel(*window)->geometry().intersects(outline->geometry()),
                             qPrintable(QString::number(step)));
            picture(window.get(), 10 + step);
            if (step < 7)
                press(Qt::Key_Right);
        }
    }

private:
    std::unique_ptr<MainWindow> make(bool remember) {
        WindowOptions options;
        options.runsDir = m_home.filePath(QStringLiteral("runs"));
        options.remember = remember;
        auto window = std::make_unique<MainWindow>(options);
        window->resize(1280, 800);
        window->show();
        window->start();
        if (!QTest::qWaitForWindowActive(window.get()))
            qWarning("the window is not active");
        return window;
    }
    /// Sends a key to the widget with the focus, as a keyboard does.
    static void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QWidget* focus = QApplication::focusWidget() ? QApplication::focusWidget() : QApplication::activeWindow();
        QVERIFY(focus);
        QTest::keyClick(focus, key, modifiers);
        QCoreApplication::processEvents();
    }
    void picture(MainWindow* window, int step) const {
        if (m_pictures.isEmpty())
            return;
        QTRY_VERIFY_WITH_TIMEOUT(window->isComplete(), 20'000);
        QTest::qWait(300);
        QVERIFY(window->grab().save(QDir(m_pictures).filePath(QStringLiteral("tour-%1.png").arg(step))));
    }
    static QByteArray hashOf(const QString& folder) {
        QCryptographicHash hash(QCryptographicHash::Sha256);
        QStringList files;
        QDirIterator it(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (it.hasNext())
            files << it.next();
        files.sort();
        for (const QString& name : files) {
            QFile file(name);
            hash.addData(name.toUtf8());
            if (file.open(QIODevice::ReadOnly))
                hash.addData(file.readAll());
        }
        return hash.result();
    }

    QTemporaryDir m_home;
    QString m_pictures;
};

RANKSCOPE_GUI_TEST(TourTest)
#include "tst_tour.moc"
