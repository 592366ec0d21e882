// SPDX-License-Identifier: GPL-3.0-or-later
// Every text in the real window can be read, on every page and panel, light and dark: its contrast with what is really
// below it is at least 4.5 to 1, that of large and of disabled text 3 to 1.
#include "tests/support/test_runner.h"
#include "tests/widgets/theme/contrast_reader.h"
#include "tests/widgets/timeline_run.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/text/find_bar.h"
#include "widgets/controls/overlay_panel.h"
#include "widgets/explain/explain_page.h"
#include "widgets/logs/log_filter_bar.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/actions/command_palette.h"
#include "widgets/main_window/actions/shortcuts_panel.h"
#include "widgets/main_window/chrome/notice_strip.h"
#include "widgets/main_window/control/page_tabs.h"
#include "widgets/main_window/exchange/export_panel.h"
#include "widgets/main_window/exchange/import_panel.h"
#include "widgets/main_window/exchange/watch_panel.h"
#include "widgets/main_window/help/guide_window.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/models/run/run_session.h"
#include "widgets/plots/plot/rank_plot.h"
#include "widgets/review/bars/review_toolbar.h"
#include "widgets/review/board/rank_board.h"
#include "widgets/review/page/review_page.h"
#include "widgets/runs_page/compare/compare_pane.h"
#include "widgets/runs_page/page/runs_page.h"
#include "widgets/runs_page/table/run_table_view.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/page/timeline_page.h"

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMouseEvent>
#include <QPushButton>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <fstream>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using test::ContrastReader;
using test::SyntheticRun;

static constexpr int kPatienceMs = 60'000;

class Contrast : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanupTestCase() { m_window.reset(); }

    void paleTextsAreFound_data();
    void paleTextsAreFound();
    void everyTextCanBeRead_data();
    void everyTextCanBeRead();
    void everyMenuCanBeRead_data();
    void everyMenuCanBeRead();

private:
    struct Scene {
        const char* name;
        QWidget* (Contrast::*show)();
    };
    static const std::array<Scene, 20> kScenes;

    // Each shows a part of the window with content, and returns it; null: it did not appear.
    QWidget* welcome();
    QWidget* configure();
    QWidget* settings();
    QWidget* review();
    QWidget* oneRank();
    QWidget* failure();
    QWidget* stall();
    QWidget* timeline();
    QWidget* incidents();
    QWidget* logs();
    QWidget* runs();
    QWidget* compared();
    QWidget* explain();
    QWidget* notices();
    QWidget* commands();
    QWidget* shortcuts();
    QWidget* watching();
    QWidget* importing();
    QWidget* exporting();
    QWidget* guide();

    QWidget* show(Page page);
    bool open(const SyntheticRun& run, Page page);
    template <class Panel> QWidget* panel(ActionId act);
    bool settle();
    void trigger(ActionId act) const { (*m_window->actions())[act]->trigger(); }
    static void verifyReadable(const ContrastReader& reader);
    void makeRuns();

    QTemporaryDir m_home;
    std::unique_ptr<SyntheticRun> m_finished, m_failed, m_live;
    std::unique_ptr<MainWindow> m_window;
};

void Contrast::makeRuns() {
    const auto write = [](const SyntheticRun& run, const char* layers) {
        std::ofstream(run.paths().effective()) << "name: synthetic\nmodel: {encoder: {n_layers: " << layers << "}}\n";
    };
    const auto described = [](int rank, std::int64_t step) {
        auto one = test::timelineStep(rank, step);
        one.loss = 8.0 - 0.01 * static_cast<double>(step) + 0.1 * rank;
        return one;
    };
    m_finished = std::make_unique<SyntheticRun>(3, RunState::Running, 120);
    m_finished->addSteps(120, described);
    m_finished->addValidation(4.5);
    m_finished->addCheckpoint(100);
    m_finished->addIncident(1, diagnosis::Cause::DataLoading, 1, 60, 2'900'000'000);
    m_finished->addStack(1, 1, "main", "read");
    m_finished->addCheck(0, "config", telemetry::CheckStatus::Failed, "hashes differ");
    m_finished->addCheck(1, "config", telemetry::CheckStatus::Passed, "hashes agree");
    m_finished->addResources(0, 10, 1 << 28, 1'000'000'000);
    m_finished->addNote(telemetry::NoteSeverity::Warning, "the store was behind for 3 s");
    m_finished->addNote(telemetry::NoteSeverity::Error, "no checkpoint after 100 steps");
    m_finished->addEnds(telemetry::EndCause::Finished);
    m_finished->finishStore();
    m_finished->writeLog(0, "2026-01-01 10:00:00.000 info rank 0: step 100\n"
                            "2026-01-01 10:00:01.000 debug rank 0: step 101\n"
                            "2026-01-01 10:00:02.000 warning rank 0: step 102 was slow\n"
                            "2026-01-01 10:00:03.000 error rank 0: step 103 was not saved\n");
    m_finished->setState(RunState::Finished, "finished");
    write(*m_finished, "2");

    m_failed = std::make_unique<SyntheticRun>(3, RunState::Running, 400);
    m_failed->addSteps(120, described);
    m_failed->addIncident(1, diagnosis::Cause::DataLoading, 1, 60, 2'900'000'000);
    m_failed->addIncident(2, diagnosis::Cause::Dead, 1, 120, 0);
    m_failed->finishStore();
    m_failed->writeLog(1, "2026-01-01 10:00:00.000 info rank 1: step 100\nout of luck\n");
    m_failed->setState(RunState::Failed, "rank 1 ended with SIGKILL at step 120 while in backward");
    write(*m_failed, "4");
    m_failed->moveBeside(*m_finished, "20250131-130000-failed-2b3c");

    m_live = std::make_unique<SyntheticRun>(3, RunState::Running, 400);
    m_live->addSteps(60, described);
    m_live->addIncident(1, diagnosis::Cause::DataLoading, 1, 60, 0);
}

void Contrast::initTestCase() {
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"})
        qputenv(name, m_home.path().toLocal8Bit());
    QApplication::setEffectEnabled(Qt::UI_FadeTooltip, false);
    Theme::instance().apply(Theme::Mode::Light);
    setLanguage(QStringLiteral("en"));
    makeRuns();
    WindowOptions options;
    options.runsDir = QString::fromStdString(m_finished->paths().dir.parent_path().string());
    options.remember = false;
    m_window = std::make_unique<MainWindow>(options);
    m_window->resize(1600, 1200); // most of each page is in view
    m_window->show();
    m_window->start();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    QCOMPARE(m_window->devicePixelRatio(), 1.0); // boxes are compared with pixels
}

bool Contrast::settle() {
    const bool complete = QTest::qWaitFor([this] { return m_window->isComplete(); }, kPatienceMs);
    QTest::qWait(100); // until all is laid out
    return complete;
}

QWidget* Contrast::show(Page page) {
    trigger(static_cast<ActionId>(static_cast<int>(ActionId::PageConfigure) + static_cast<int>(page)));
    return settle() ? m_window.get() : nullptr;
}

bool Contrast::open(const SyntheticRun& run, Page page) {
    return m_window->openRun(QString::fromStdString(run.paths().dir.string())) && show(page) &&
           QTest::qWaitFor([this] { return m_window->session() && m_window->session()->view().storeVersion > 0; },
                           kPatienceMs);
}

/// Returns the window's panel of this class, opened by an action.
template <class Panel> QWidget* Contrast::panel(ActionId act) {
    trigger(act);
    auto* found = m_window->findChild<Panel*>();
    return found && QTest::qWaitFor([found] { return found->isVisible(); }, 5'000) ? found : nullptr;
}

QWidget* Contrast::welcome() {
    trigger(ActionId::Welcome);
    return m_window.get();
}

/// A recipe with a problem, words that are searched for, and edits.
QWidget* Contrast::configure() {
    auto* page = m_window->findChild<ConfigPage*>();
    if (!page->file()->isOpen()) {
        const QString recipe = m_home.filePath(QStringLiteral("recipe.yaml"));
        std::ofstream(recipe.toStdString())
            << "name: test # of the batch\ntrainer:\n  devices: 2\n  max_steps: 10\n"
               "model:\n  train_ds:\n    batch_size: 4\n    manifest_filepath: /no/such/file\n";
        m_window->openConfig(recipe);
    }
    if (!show(Page::Configure) || !QTest::qWaitFor([page] { return page->file()->isOpen(); }, kPatienceMs))
        return nullptr;
    page->showRecipe();
    (void)page->file()->setValue(QStringLiteral("trainer.max_steps"), QStringLiteral("20"));
    auto* find = m_window->findChild<FindBar*>();
    find->ask();
    find->findChild<QLineEdit*>()->setText(QStringLiteral("batch"));
    return settle() ? m_window.get() : nullptr;
}

/// The settings of a run in place of the recipe.
QWidget* Contrast::settings() {
    if (!open(*m_finished, Page::Configure))
        return nullptr;
    for (auto* button : m_window->findChild<ConfigPage*>()->findChildren<QPushButton*>())
        if (button->text() == QLatin1String("Settings of the run"))
            button->click();
    return settle() ? m_window.get() : nullptr;
}

/// All panes, and the figures at the crosshair.
QWidget* Contrast::review() {
    if (!open(*m_finished, Page::Review))
        return nullptr;
    for (QAction* pane : m_window->findChild<ReviewToolbar*>()->panes()->actions())
        if (pane->isCheckable() && pane->isEnabled())
            pane->setChecked(true);
    if (!settle())
        return nullptr;
    for (auto* plot : m_window->findChildren<RankPlot*>())
        if (plot->isVisible()) {
            plot->setCrosshair(30, true);
            plot->replot();
        }
    return m_window.get();
}

QWidget* Contrast::oneRank() {
    if (!open(*m_finished, Page::Review))
        return nullptr;
    trigger(ActionId::Solo1);
    return settle() ? m_window.get() : nullptr;
}

QWidget* Contrast::failure() {
    return open(*m_failed, Page::Review) ? m_window.get() : nullptr;
}

/// The banner, and the pointer over the tile of the rank that holds the others.
QWidget* Contrast::stall() {
    if (!open(*m_live, Page::Review))
        return nullptr;
    auto* board = m_window->findChild<RankBoard*>();
    const QPointF at = board->tileRect(1).center();
    QMouseEvent move(QEvent::MouseMove, at, board->viewport()->mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
    QApplication::sendEvent(board->viewport(), &move);
    return m_window.get();
}

QWidget* Contrast::timeline() {
    if (!open(*m_finished, Page::Timeline))
        return nullptr;
    auto* page = m_window->findChild<TimelinePage*>();
    page->showIncident(1);
    page->findChild<QTabWidget*>()->show();
    return settle() ? m_window.get() : nullptr;
}

QWidget* Contrast::incidents() {
    return open(*m_failed, Page::Incidents) ? m_window.get() : nullptr;
}

/// With a filter, whose matches are marked.
QWidget* Contrast::logs() {
    if (!open(*m_finished, Page::Logs))
        return nullptr;
    auto* filter = m_window->findChild<LogFilterBar*>()->findChild<QLineEdit*>();
    if (!filter)
        return nullptr;
    filter->setText(QStringLiteral("step"));
    QTest::qWait(500); // until it is applied to the lines that were read
    return m_window.get();
}

QWidget* Contrast::runs() {
    return open(*m_finished, Page::Runs) ? m_window.get() : nullptr;
}

QWidget* Contrast::compared() {
    auto* page = m_window->findChild<RunsPage*>();
    if (!show(Page::Runs))
        return nullptr;
    page->findChild<RunTableView*>()->selectAll();
    page->setCompared(true);
    auto* pane = page->findChild<ComparePane*>();
    return QTest::qWaitFor([pane] { return pane->runs().size() >= 2; }, kPatienceMs) && settle() ? m_window.get()
                                                                                                 : nullptr;
}

QWidget* Contrast::explain() {
    m_window->findChild<RunsPage*>()->setCompared(false);
    m_window->findChild<ExplainPage*>()->open(
        {QStringLiteral(RANKSCOPE_SOURCE_DIR "/tests/data/explain/hangs/2.11.0/extra_collective/dumps/end")});
    return show(Page::Explain);
}

QWidget* Contrast::notices() {
    m_window->findChild<NoticeStrip*>()->showError(
        QStringLiteral("The disk is full.\nrun.sqlite: No space left on device"), QStringLiteral("contrast"));
    return show(Page::Incidents);
}

QWidget* Contrast::commands() {
    return panel<CommandPalette>(ActionId::Commands);
}

QWidget* Contrast::shortcuts() {
    return panel<ShortcutsPanel>(ActionId::Shortcuts);
}

QWidget* Contrast::watching() {
    return panel<WatchPanel>(ActionId::Watch);
}

QWidget* Contrast::importing() {
    return panel<ImportPanel>(ActionId::ImportRun);
}

QWidget* Contrast::exporting() {
    return open(*m_finished, Page::Review) ? panel<ExportPanel>(ActionId::ExportRun) : nullptr;
}

QWidget* Contrast::guide() {
    return panel<GuideWindow>(ActionId::Guide);
}

void Contrast::paleTextsAreFound_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QColor>("colour");
    QTest::addColumn<QColor>("ground");
    QTest::addColumn<int>("faults");
    const QColor white(Qt::white), grey(0x77, 0x77, 0x77); // 4.48 to 1
    QTest::newRow("readable") << QStringLiteral("a text") << QColor(Qt::black) << white << 0;
    QTest::newRow("pale") << QStringLiteral("a text") << grey << white << 1;
    QTest::newRow("like its ground") << QStringLiteral("a text") << white << white << 1;
    QTest::newRow("a part is pale") << QStringLiteral("a <span style='color:#777777'>text</span>") << QColor(Qt::black)
                                    << white << 1;
    QTest::newRow("large") << QStringLiteral("<span style='font-size:24px'>text</span>") << grey << white << 0;
    QTest::newRow("translucent") << QStringLiteral("a text") << QColor(0, 0, 0, 100) << white << 1;
}

void Contrast::paleTextsAreFound() {
    QFETCH(QString, text);
    QFETCH(QColor, colour);
    QFETCH(QColor, ground);
    QFETCH(int, faults);
    QLabel label(text);
    QPalette palette = label.palette();
    palette.setColor(QPalette::WindowText, colour);
    palette.setColor(QPalette::Window, ground);
    label.setPalette(palette);
    label.setAutoFillBackground(true);
    label.show();
    QVERIFY(QTest::qWaitForWindowExposed(&label));
    ContrastReader reader;
    reader.read(&label);
    QVERIFY(reader.textCount() > 0);
    QVERIFY2(reader.faults().size() == faults, qPrintable(reader.faults().join(u'\n')));
}

const std::array<Contrast::Scene, 20> Contrast::kScenes{
    {{"welcome", &Contrast::welcome},     {"settings", &Contrast::settings}, {"configure", &Contrast::configure},
     {"review", &Contrast::review},       {"one rank", &Contrast::oneRank},  {"failure", &Contrast::failure},
     {"stall", &Contrast::stall},         {"timeline", &Contrast::timeline}, {"incidents", &Contrast::incidents},
     {"logs", &Contrast::logs},           {"runs", &Contrast::runs},         {"compared", &Contrast::compared},
     {"explain", &Contrast::explain},     {"notices", &Contrast::notices},   {"commands", &Contrast::commands},
     {"shortcuts", &Contrast::shortcuts}, {"watching", &Contrast::watching}, {"importing", &Contrast::importing},
     {"exporting", &Contrast::exporting}, {"guide", &Contrast::guide}}};

void Contrast::everyTextCanBeRead_data() {
    QTest::addColumn<bool>("dark");
    QTest::addColumn<int>("scene");
    for (const bool dark : {false, true})
        for (std::size_t scene = 0; scene < kScenes.size(); ++scene)
            QTest::addRow("%s, %s", kScenes[scene].name, dark ? "dark" : "light") << dark << static_cast<int>(scene);
}

void Contrast::everyTextCanBeRead() {
    QFETCH(bool, dark);
    QFETCH(int, scene);
    Theme::instance().apply(dark ? Theme::Mode::Dark : Theme::Mode::Light);
    QVERIFY(settle());
    QWidget* root = (this->*kScenes.at(static_cast<std::size_t>(scene)).show)();
    QVERIFY(root);
    ContrastReader reader;
    reader.read(root);
    if (root == m_window.get()) {
        reader.readToolTips(root);
        for (auto* tabs : root->findChildren<QTabWidget*>()) {
            for (int tab = 1; tabs->isVisible() && !qobject_cast<PageTabs*>(tabs) && tab < tabs->count(); ++tab) {
                tabs->setCurrentIndex(tab);
                QVERIFY(settle());
                reader.read(tabs);
            }
            if (!qobject_cast<PageTabs*>(tabs))
                tabs->setCurrentIndex(0);
        }
    } else if (auto* panel = qobject_cast<OverlayPanel*>(root)) {
        panel->leave();
    } else {
        root->close();
    }
    QVERIFY(reader.textCount() > 5);
    verifyReadable(reader);
}

void Contrast::everyMenuCanBeRead_data() {
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void Contrast::everyMenuCanBeRead() {
    QFETCH(bool, dark);
    Theme::instance().apply(dark ? Theme::Mode::Dark : Theme::Mode::Light);
    ContrastReader reader;
    for (const QAction* action : m_window->menuBar()->actions()) {
        QMenu* menu = action->menu();
        menu->popup(m_window->mapToGlobal(QPoint(100, 100)));
        QTRY_VERIFY(menu->isVisible());
        reader.read(menu);
        menu->setActiveAction(menu->actions().back());
        reader.read(menu);
        menu->hide();
    }
    QVERIFY(reader.textCount() > 50);
    verifyReadable(reader);
}

void Contrast::verifyReadable(const ContrastReader& reader) {
    QVERIFY2(reader.faults().isEmpty(), qPrintable(QStringLiteral("\n") + reader.faults().join(u'\n')));
}

RANKSCOPE_GUI_TEST(Contrast)
#include "tst_contrast.moc"
