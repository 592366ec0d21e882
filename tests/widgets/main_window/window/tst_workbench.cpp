// SPDX-License-Identifier: GPL-3.0-or-later
// A day's work in the real window, offscreen: launch, watch an injected stall, stop, review, relaunch with the remedy,
// compare the two runs, export. The launch uses the real rankscopectl and the trainer that RANKSCOPE_TRAINER names;
// without one it uses target_rank, which stalls for the same time. With RANKSCOPE_SHOTS=DIR every page is saved as a
// picture.
#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"
#include "tests/support/test_runner.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/page/config_page.h"
#include "widgets/controls/clamped_label.h"
#include "widgets/incidents/incident_banner.h"
#include "widgets/incidents/incident_detail.h"
#include "widgets/incidents/incident_page.h"
#include "widgets/logs/log_page.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/chrome/header_bar.h"
#include "widgets/main_window/chrome/lineage_chips.h"
#include "widgets/main_window/chrome/status_line.h"
#include "widgets/main_window/exchange/export_panel.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/models/logs/log_model.h"
#include "widgets/models/run/run_session.h"
#include "widgets/plots/plot/rank_plot.h"
#include "widgets/review/page/review_page.h"
#include "widgets/runs_page/compare/compare_model.h"
#include "widgets/runs_page/compare/compare_pane.h"
#include "widgets/runs_page/page/runs_page.h"
#include "widgets/runs_page/table/run_table_view.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/page/timeline_page.h"

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

using namespace rankscope::ui;
using rankscope::launch::RunState;

class Workbench : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        qputenv("XDG_CONFIG_HOME", m_home.path().toLocal8Bit());
        qputenv("XDG_STATE_HOME", m_home.path().toLocal8Bit());
        qputenv("RANKSCOPECTL", RANKSCOPE_BIN_DIR "/rankscopectl");
        if (!QFileInfo(qEnvironmentVariable("RANKSCOPE_TRAINER")).isExecutable()) {
            qputenv("RANKSCOPE_TRAINER", RANKSCOPE_BIN_DIR "/target_rank");
            qputenv("RANKSCOPE_TARGET", "steps=100000 ms=50 do=stall at=20 seconds=5");
        }
        Theme::instance().apply(Theme::Mode::Light);
        setLanguage(QStringLiteral("en"));
        m_project = QFileInfo(QStringLiteral(RANKSCOPE_SOURCE_DIR)).absoluteFilePath();
        QFile quickstart(m_project + QStringLiteral("/configs/quickstart.yaml"));
        QVERIFY(quickstart.open(QIODevice::ReadOnly));
        QByteArray text = quickstart.readAll();
        QVERIFY(text.contains("\n      step: 60\n") && text.contains("max_steps: 400"));
        text.replace("\n      step: 60\n", "\n      step: 20\n").replace("max_steps: 400", "max_steps: 100000");
        QFile recipe(m_home.filePath(QStringLiteral("day.yaml")));
        QVERIFY(recipe.open(QIODevice::WriteOnly) && recipe.write(text) == text.size());
        recipe.close();
        WindowOptions options;
        options.runsDir = m_home.filePath(QStringLiteral("runs"));
        options.remember = false;
        QDir::setCurrent(m_project);
        m_window = std::make_unique<MainWindow>(options);
        m_window->resize(1440, 900);
        m_window->show();
        m_window->start();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->openConfig(recipe.fileName());
        QTRY_VERIFY_WITH_TIMEOUT(config()->isComplete() && config()->file()->isOpen(), 30'000);
        for (const auto& problem : config()->file()->evaluation()->problems)
            QVERIFY2(problem.severity != rankscope::config::Problem::Severity::Error, problem.text.english().c_str());
    }
    void cleanupTestCase() {
        for (const QString& run : runs()) {
            QProcess stop;
            stop.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), {"stop", run, "--now"});
            QVERIFY(stop.waitForFinished(60'000));
        }
        m_window.reset();
    }
    void cleanup() {
        if (QTest::currentTestFailed())
            m_failed = true;
    }
    void init() {
        if (m_failed)
            QFAIL("what comes before it failed");
    }

    void launch() {
        trigger(ActionId::Launch);
        QTRY_VERIFY2_WITH_TIMEOUT(m_window->session(),
                                  qPrintable(m_window->problem() + config()->launchPanel()->problem()), 30'000);
        m_first = dirOf(*m_window->session());
        QVERIFY(m_window->page() == Page::Review); // the window changed to this page by itself
        QTRY_VERIFY_WITH_TIMEOUT(view().step >= 2, 120'000);
        QTRY_VERIFY(review()->isComplete());
    }

    /// During the stall the banner says which rank holds up which, and in which phase; the plots keep updating.
    void watchTheStall() {
        auto* banner = child<IncidentBanner>();
        // on a machine with few cores another rank may be late first
        QTRY_VERIFY_WITH_TIMEOUT(
            banner->isVisible() &&
                banner->findChild<ClampedLabel*>()->text().contains("Rank 1 has been holding up rank 0 for") &&
                banner->findChild<ClampedLabel*>()->text().contains("is still reading"),
            120'000);
        shot("live-stall");
        QVERIFY(view().info.state == RunState::Running);
        QVERIFY(stall());
        QCOMPARE(stall()->holders, std::vector<int>{1});
        QTRY_VERIFY_WITH_TIMEOUT(!banner->isVisible(), 60'000); // the stall is over
        QTRY_VERIFY_WITH_TIMEOUT(view().step >= 22, 60'000);
    }

    void stop() {
        trigger(ActionId::Stop);
        QTRY_VERIFY_WITH_TIMEOUT(view().info.state == RunState::Stopped, 120'000);
        QTRY_VERIFY_WITH_TIMEOUT(review()->isComplete(), 30'000);
    }

    void reviewIt() {
        trigger(ActionId::NextIncident); // brings it into view
        QTRY_VERIFY_WITH_TIMEOUT(review()->isComplete(), 30'000);
        shot("review");
        const auto* loss = plotOf(QStringLiteral("Loss"));
        QVERIFY(loss);
        QCOMPARE(loss->series().size(), std::size_t{2});
        for (const auto& rank : loss->series())
            QVERIFY(!rank.empty() && rank.front().firstStep <= 20 && rank.back().lastStep >= 20);
        const auto* wait = plotOf(QStringLiteral("Collective wait"));
        QVERIFY(wait);
        double most = 0;
        for (const auto& sample : wait->series().at(0))
            most = std::max(most, sample.max);
        QVERIFY2(most > 4, qPrintable(QString::number(most))); // rank 0 waited during those 5 s

        trigger(ActionId::PageTimeline);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isComplete(), 60'000);
        shot("timeline");
        trigger(ActionId::PageIncidents);
        child<IncidentPage>()->select(stall()->id);
        QVERIFY(child<IncidentDetail>()->findChild<QLabel*>("incidentSentence")->text().startsWith("Rank 1 "));
        shot("incidents");
        trigger(ActionId::PageLogs);
        QTRY_VERIFY_WITH_TIMEOUT(logLines() > 0, 30'000);
        shot("logs");
    }

    void relaunchWithTheRemedy() {
        trigger(ActionId::PageIncidents);
        child<IncidentPage>()->select(stall()->id);
        auto* remedy = child<IncidentDetail>()->findChild<QPushButton*>(QStringLiteral("incidentRemedy"));
        QVERIFY(remedy && remedy->isVisible());
        QVERIFY(stall()->remedy.key.empty()); // more workers do not read a single slow file any faster
        QCOMPARE(remedy->text(), QStringLiteral("Remove the injected fault"));
        QTest::mouseClick(remedy, Qt::LeftButton);
        QVERIFY(m_window->page() == Page::Configure);
        QTRY_VERIFY_WITH_TIMEOUT(config()->isComplete(), 30'000);
        QCOMPARE(config()->launchPanel()->fields().repeats, m_first);
        QVERIFY(config()->file()->bytes().find("kind: data_loading") == std::string::npos);
        shot("remedy");
        trigger(ActionId::Launch);
        QTRY_VERIFY2_WITH_TIMEOUT(m_window->session() && dirOf(*m_window->session()) != m_first,
                                  qPrintable(config()->launchPanel()->problem()), 60'000);
        m_second = dirOf(*m_window->session());
        QTRY_VERIFY_WITH_TIMEOUT(view().step >= 3, 120'000);
        QCOMPARE(QString::fromStdString(view().info.relaunchedFrom), QFileInfo(m_first).fileName());
        QTRY_VERIFY(child<LineageChips>()->text().contains(QFileInfo(m_first).fileName().right(4)));
        // the recipe has no seed: the first run's random seed is used again, so that the runs differ only in the change
        const auto firstLoss = [](const QString& dir) {
            auto reader = rankscope::store::RunReader::open(rankscope::launch::RunPaths{dir.toStdString()}.store());
            if (!reader)
                return -1.0;
            const auto points = reader->series(rankscope::store::Metric::Loss, 0, 0, 0, 10);
            return points && !points->empty() ? points->front().mean : -1.0;
        };
        QVERIFY(view().info.drawnSeed != 0);
        QVERIFY(firstLoss(m_first) > 0);
        QCOMPARE(firstLoss(m_second), firstLoss(m_first));
        trigger(ActionId::Stop);
        QVERIFY(m_window->findChild<StatusLine*>()->currentMessage().startsWith(QStringLiteral("Stopping")));
        QTRY_VERIFY_WITH_TIMEOUT(view().info.state == RunState::Stopped, 120'000);
        // it has stopped
        QTRY_VERIFY(!m_window->findChild<StatusLine*>()->currentMessage().startsWith(QStringLiteral("Stopping")));
    }

    void compareThem() {
        trigger(ActionId::PageRuns);
        RunsPage* page = m_window->findChild<RunsPage*>();
        QTRY_COMPARE_WITH_TIMEOUT(page->findChild<RunTableProxy*>()->rowCount(), 2, 30'000);
        page->findChild<RunTableView*>()->selectAll();
        page->setCompared(true);
        QTRY_COMPARE_WITH_TIMEOUT(page->findChild<ComparePane*>()->runs().size(), 2, 30'000);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isComplete(), 60'000);
        shot("runs-curves");
        page->findChild<ComparePane*>()->showTab(ComparePane::Settings);
        QStringList keys;
        const auto* settings = page->findChild<QTableView*>(QStringLiteral("settings"))->model();
        for (int row = 0; row < settings->rowCount(); ++row)
            keys << settings->index(row, 0).data().toString();
        QVERIFY2(!keys.isEmpty(), "the fault that was removed is a difference");
        for (const QString& key : keys) // nothing else differs
            QVERIFY2(key.startsWith(QStringLiteral("rankscope.faults")), qPrintable(key));
        shot("runs-settings");
        page->findChild<ComparePane*>()->showTab(ComparePane::Figures);
        QVERIFY(page->findChild<QTableView*>(QStringLiteral("figures"))->model()->rowCount() > 3);
        shot("runs-figures");
    }

    void exportIt() {
        m_window->openRun(m_first);
        trigger(ActionId::PageReview);
        QTRY_VERIFY_WITH_TIMEOUT(review()->isComplete() && view().info.state == RunState::Stopped, 30'000);
        for (const char* name : {"plots.png", "plots.svg", "plots.pdf", "plots.csv"}) {
            const QString file = m_home.filePath(QString::fromLatin1(name));
            QCOMPARE(review()->exportTo(file), QString());
            QVERIFY(QFileInfo(file).size() > 1000);
        }
        trigger(ActionId::ExportRun);
        auto* panel = m_window->findChild<ExportPanel*>();
        QTRY_VERIFY(panel && panel->isVisible());
        const QString report = m_home.filePath(QStringLiteral("report.html"));
        panel->findChild<QComboBox*>(QStringLiteral("exportFormat"))->setCurrentIndex(ExportPanel::Html);
        panel->setTarget(report);
        shot("export", panel);
        panel->begin();
        QTRY_VERIFY_WITH_TIMEOUT(!panel->isBusy(), 60'000);
        QFile file(report);
        QVERIFY2(file.open(QIODevice::ReadOnly),
                 qPrintable(panel->findChild<QLabel*>(QStringLiteral("exchangeStatus"))->text()));
        const QByteArray html = file.readAll();
        QVERIFY(html.contains("quickstart") && html.contains("Rank 1 ") && html.contains("</html>"));
        panel->close();
    }

private:
    ConfigPage* config() const { return m_window->findChild<ConfigPage*>(); }
    template <class T> T* child() const { return m_window->findChild<T*>(); }
    ReviewPage* review() const { return child<ReviewPage>(); }
    const RunView& view() const { return m_window->session()->view(); }
    /// Returns the injected incident.
    const rankscope::diagnosis::Incident* stall() const {
        for (const auto& in : view().incidents)
            if (in.phase == rankscope::telemetry::Phase::DataWait && in.step == 20)
                return &in;
        return nullptr;
    }
    void trigger(ActionId act) const {
        QAction* action = (*m_window->actions())[act];
        QVERIFY2(action->isEnabled(), qPrintable(action->text()));
        action->trigger();
    }
    const RankPlot* plotOf(const QString& title) const {
        for (const auto* plot : m_window->findChildren<RankPlot*>())
            if (plot->spec().title == title && plot->window() == m_window.get() && review()->isAncestorOf(plot))
                return plot;
        return nullptr;
    }
    int logLines() const {
        const auto* model = child<LogPage>()->findChild<LogModel*>();
        return model ? model->rowCount() : 0;
    }
    static QString dirOf(const RunSession& session) { return QString::fromStdString(session.run().dir.string()); }
    QStringList runs() const {
        const QDir dir(m_home.filePath(QStringLiteral("runs")));
        QStringList all;
        for (const QString& name : dir.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            all << dir.filePath(name);
        return all;
    }
    void shot(const char* name, QWidget* what = nullptr) const {
        const QString folder = qEnvironmentVariable("RANKSCOPE_SHOTS");
        if (!folder.isEmpty())
            QVERIFY((what ? what : m_window.get())->grab().save(folder + "/workbench-" + name + ".png"));
    }

    QTemporaryDir m_home;
    QString m_project, m_first, m_second;
    std::unique_ptr<MainWindow> m_window;
    bool m_failed = false;
};

RANKSCOPE_GUI_TEST(Workbench)
#include "tst_workbench.moc"
