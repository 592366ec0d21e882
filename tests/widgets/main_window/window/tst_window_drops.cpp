// SPDX-License-Identifier: GPL-3.0-or-later
// Files and folders dropped on the real window: a recipe, a run's folder, an event file, the folder of NeMo's
// exp_manager, logs of a hung run; and a recipe compared with the run imported from that folder.
#include "tests/support/test_runner.h"
#include "tests/widgets/synthetic_run.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/drop_hint.h"
#include "widgets/config/problems/notice_bar.h"
#include "widgets/config/recipe/comparisons.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/explain/explain_page.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/models/run/run_session.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QMimeData>
#include <QProcess>
#include <QPushButton>
#include <QTest>
#include <QTreeView>

#include <algorithm>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using test::RankStep;
using test::SyntheticRun;

class WindowDrops : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        qputenv("XDG_CONFIG_HOME", m_dir.path().toLocal8Bit());
        qputenv("XDG_STATE_HOME", m_dir.path().toLocal8Bit());
        qputenv("RANKSCOPECTL", RANKSCOPE_BIN_DIR "/rankscopectl");
        Theme::instance().apply(Theme::Mode::Light);
        setLanguage(QStringLiteral("en"));
        m_run = std::make_unique<SyntheticRun>(2, RunState::Running, 60);
        m_run->addSteps(60, [](int, std::int64_t step) { return RankStep{9.0 - 0.01 * static_cast<double>(step)}; });
        m_run->addEnds(telemetry::EndCause::Finished);
        m_run->finishStore();
        m_run->setState(RunState::Finished);
        write("recipe.yaml", "name: dropped\ntrainer:\n  devices: 2\nmodel:\n  train_ds:\n    batch_size: 8\n");
        // what NeMo writes: events, and the recipe as hparams.yaml
        QCOMPARE(QProcess::execute(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"),
                                   {QStringLiteral("export"), runDir(), QStringLiteral("--format"),
                                    QStringLiteral("tensorboard"), QStringLiteral("--output"), at("exported")}),
                 0);
        QVERIFY(QDir().mkpath(at("exp/version_0")));
        m_events = QDir(at("exported/rank_0")).entryList({QStringLiteral("*tfevents*")}, QDir::Files).value(0);
        QVERIFY(QFile::copy(at("exported/rank_0/") + m_events, at("exp/version_0/") + m_events));
        write("exp/version_0/hparams.yaml", "cfg:\n  train_ds:\n    batch_size: 32\n  encoder:\n    n_layers: 4\n");
    }

    void init() {
        WindowOptions options;
        options.runsDir = at("runs");
        options.remember = false;
        QVERIFY(QDir().mkpath(options.runsDir));
        m_window = std::make_unique<MainWindow>(options);
        m_window->resize(1440, 900);
        m_window->show();
        m_window->start();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void cleanup() { m_window.reset(); }

    void aRecipeOnEveryPage() {
        for (const Page page :
             {Page::Configure, Page::Review, Page::Timeline, Page::Incidents, Page::Logs, Page::Runs, Page::Explain}) {
            m_window->openRun(runDir());
            m_window->showPage(page);
            QVERIFY(drop(at("recipe.yaml")));
            QCOMPARE(m_window->findChild<ConfigPage*>()->file()->path(), at("recipe.yaml"));
        }
    }

    void aRunsFolderOnEveryPage() {
        QVERIFY(drop(runDir())); // while nothing is open
        QTRY_VERIFY(m_window->session() && m_window->session()->view().summaries.size() == 2);
        cleanup();
        for (const Page page : {Page::Configure, Page::Review, Page::Runs, Page::Explain}) {
            init();
            m_window->openConfig(at("recipe.yaml"));
            m_window->showPage(page);
            QVERIFY(drop(runDir()));
            QVERIFY(m_window->session());
            QCOMPARE(QString::fromStdString(m_window->session()->run().dir.string()), runDir());
            QVERIFY(m_window->page() == Page::Review); // the page that shows a run
            QCOMPARE(m_window->findChild<ConfigPage*>()->file()->path(), at("recipe.yaml"));
        }
    }

    void aFileOfARunStandsForIt() {
        for (const char* name : {"/run.json", "/run.sqlite"}) {
            for (const Page page : {Page::Configure, Page::Logs}) {
                init();
                m_window->openConfig(at("recipe.yaml"));
                m_window->showPage(page);
                QVERIFY(drop(runDir() + QLatin1String(name)));
                QVERIFY(m_window->session());
                QCOMPARE(QString::fromStdString(m_window->session()->run().dir.string()), runDir());
                QCOMPARE(m_window->findChild<ConfigPage*>()->file()->path(), at("recipe.yaml"));
            }
        }
    }

    void anEventFileOnEveryPage() {
        for (const Page page : {Page::Configure, Page::Runs}) {
            cleanup();
            init();
            m_window->openConfig(at("recipe.yaml"));
            m_window->showPage(page);
            const auto before = QDir(at("runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size();
            QVERIFY(drop(at("exported/rank_0/") + m_events));
            QTRY_VERIFY_WITH_TIMEOUT(m_window->session(), 30'000);
            QTRY_COMPARE(m_window->session()->view().info.state, RunState::Imported);
            QTRY_COMPARE(m_window->session()->view().step, 59);
            QCOMPARE(QDir(at("runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), before + 1);
            QVERIFY(m_window->page() == Page::Review);
        }
    }

    void logsOnEveryPage() {
        const QString hang = QStringLiteral(RANKSCOPE_SOURCE_DIR "/tests/data/explain/hangs/2.11.0/rank_sleeps/");
        for (const Page page : {Page::Configure, Page::Review, Page::Explain}) {
            cleanup();
            init();
            m_window->openConfig(at("recipe.yaml"));
            m_window->showPage(page);
            for (const QStringList& paths :
                 {QStringList{hang + QStringLiteral("joined.log")}, QStringList{hang + QStringLiteral("detail")},
                  QStringList{hang + QStringLiteral("rank_0.log"), hang + QStringLiteral("rank_1.log")}}) {
                QVERIFY(drop(paths));
                QVERIFY(m_window->page() == Page::Explain);
                const ExplainPage* explain = m_window->findChild<ExplainPage*>();
                QCOMPARE(explain->request().paths, paths);
                QTRY_VERIFY(explain->isComplete());
                QVERIFY(explain->state() == ExplainPage::ExplainState::Report);
                QVERIFY2(m_window->windowTitle().startsWith(explain->title()), qPrintable(m_window->windowTitle()));
            }
            QCOMPARE(m_window->findChild<ConfigPage*>()->file()->path(), at("recipe.yaml"));
        }
    }

    /// What is dragged over the window is named, and what would happen to it.
    void theTargetIsShown() {
        m_window->openConfig(at("recipe.yaml"));
        m_window->showPage(Page::Configure);
        const auto hints = m_window->findChildren<DropHint*>();
        QCOMPARE(hints.size(), 2); // of the Configure page, and of the window
        const auto shown = [&hints] {
            return std::count_if(hints.begin(), hints.end(), [](auto* hint) { return hint->isVisible(); });
        };
        for (const QString& path : {at("recipe.yaml"), runDir(), QStringLiteral(RANKSCOPE_SOURCE_DIR "/tests")}) {
            QMimeData data;
            data.setUrls({QUrl::fromLocalFile(path)});
            QVERIFY(enter(data));
            QCOMPARE(shown(), 1);
            QDragLeaveEvent leave;
            QApplication::sendEvent(target(), &leave);
            QCOMPARE(shown(), 0);
        }
    }

    void aSuggestedSettingIsShownInTheOpenRecipe() {
        ConfigPage* config = m_window->findChild<ConfigPage*>();
        m_window->openConfig(at("recipe.yaml"));
        m_window->showPage(Page::Explain);
        emit m_window->findChild<ExplainPage*>()->settingRequested(QStringLiteral("model.train_ds.batch_size"),
                                                                   QStringLiteral("4"));
        QVERIFY(m_window->page() == Page::Configure);
        QTRY_COMPARE(config->recipe()->currentKey(), QStringLiteral("model.train_ds.batch_size"));
        QVERIFY2(config->notice()->text().contains(QStringLiteral("model.train_ds.batch_size: 4")),
                 qPrintable(config->notice()->text()));
        QVERIFY(!config->file()->isDirty()); // nothing is set before the user says so
        config->notice()->findChild<QPushButton*>()->click();
        QVERIFY(config->file()->bytes().find("batch_size: 4") != std::string::npos);
        config->file()->discardEdits();
    }

    void withoutARecipeOneIsChosenForIt() {
        m_window->showPage(Page::Explain);
        emit m_window->findChild<ExplainPage*>()->settingRequested(QStringLiteral("model.train_ds.batch_size"),
                                                                   QStringLiteral("4"));
        auto* dialog = m_window->findChild<QFileDialog*>();
        QVERIFY(dialog);
        emit dialog->fileSelected(at("recipe.yaml"));
        QVERIFY(m_window->page() == Page::Configure);
        QTRY_COMPARE(m_window->findChild<ConfigPage*>()->recipe()->currentKey(),
                     QStringLiteral("model.train_ds.batch_size"));
        dialog->close();
    }

    /// RANKSCOPE_PICTURES=DIR saves a picture.
    void aRecipeIsComparedWithAnImportedRun() {
        m_window->openConfig(at("recipe.yaml"));
        QVERIFY(drop(at("exp")));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session(), 30'000);
        QTRY_COMPARE(m_window->session()->view().info.state, RunState::Imported);
        ConfigPage* page = m_window->findChild<ConfigPage*>();
        m_window->showPage(Page::Configure);
        page->findChild<Comparisons*>()->addRun(QString::fromStdString(m_window->session()->run().dir.string()));
        QTRY_COMPARE(page->findChild<Comparisons*>()->all().size(), std::size_t{1});
        QTRY_VERIFY(page->isComplete());
        const RecipeModel* model = page->recipe()->model();
        const auto other = [model](const char* key) {
            return model->indexOf(QLatin1String(key), RecipeModel::OtherA).data().toString();
        };
        QCOMPARE(other("model.train_ds.batch_size"), QStringLiteral("32"));
        QCOMPARE(other("model.encoder.n_layers"), QStringLiteral("4"));
        QCOMPARE(model->indexOf(QStringLiteral("model.train_ds.batch_size"), RecipeModel::Yours).data().toString(),
                 QStringLiteral("8"));
        QVERIFY(!page->recipe()->tree()->isColumnHidden(RecipeModel::OtherA));
        page->recipe()->reveal(QStringLiteral("model.train_ds.batch_size"));
        page->recipe()->setOnlyDifferent(true);
        QCoreApplication::processEvents();
        if (const QString folder = qEnvironmentVariable("RANKSCOPE_PICTURES"); !folder.isEmpty())
            QVERIFY(m_window->grab().save(folder + QStringLiteral("/configure-imported.png")));
        page->findChild<Comparisons*>()->clear();
    }

    void whatCannotBeOpened() {
        m_window->openConfig(at("recipe.yaml"));
        m_window->showPage(Page::Configure);
        QMimeData two;
        two.setUrls({QUrl::fromLocalFile(at("recipe.yaml")), QUrl::fromLocalFile(runDir())});
        QVERIFY(!enter(two)); // a recipe or a run is dropped alone
        QMimeData far;
        far.setUrls({QUrl(QStringLiteral("https://example.org/recipe.yaml"))});
        QVERIFY(!enter(far));
        QVERIFY(QDir().mkpath(at("nothing in it")));
        QVERIFY(drop(at("nothing in it")));
        const ExplainPage* explain = m_window->findChild<ExplainPage*>();
        QTRY_VERIFY(explain->state() == ExplainPage::ExplainState::Failed);
        QVERIFY(explain->findChild<QLabel*>(QStringLiteral("note"))->text().contains(QStringLiteral("nothing in it")));
        QCOMPARE(m_window->findChild<ConfigPage*>()->file()->path(), at("recipe.yaml"));
    }

private:
    QString at(const QString& name) const { return m_dir.filePath(name); }
    QString at(const char* name) const { return m_dir.filePath(QString::fromLatin1(name)); }
    QString runDir() const { return QString::fromStdString(m_run->paths().dir.string()); }
    void write(const char* name, const char* text) {
        QFile file(at(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) > 0);
    }
    /// Returns the widget in the middle of the page, which a real pointer would reach first.
    QWidget* target() const {
        const QPoint middle(m_window->width() * 2 / 3, m_window->height() / 2);
        QWidget* under = m_window->childAt(middle);
        return under ? under : m_window.get();
    }
    bool enter(const QMimeData& data) const {
        QDragEnterEvent event(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        event.ignore();
        QApplication::sendEvent(target(), &event);
        return event.isAccepted();
    }
    bool drop(const QString& path) const { return drop(QStringList{path}); }
    bool drop(const QStringList& paths) const {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& path : paths)
            urls << QUrl::fromLocalFile(path);
        data.setUrls(urls);
        if (!enter(data))
            return false;
        QDropEvent event(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target(), &event);
        return true;
    }

    QTemporaryDir m_dir;
    QString m_events;
    std::unique_ptr<SyntheticRun> m_run;
    std::unique_ptr<MainWindow> m_window;
};

RANKSCOPE_GUI_TEST(WindowDrops)
#include "tst_window_drops.moc"
