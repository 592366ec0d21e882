// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of an opened run: read-only, with the differences from the earlier run, and never in place of a recipe
// that is being edited.
#include "core/config/effective/effective.h"
#include "core/launch/recording/program_recipe.h"
#include "core/launch/run/run_annotations.h"
#include "core/launch/run/run_folder.h"
#include "tests/support/test_runner.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/recorded_recipe_page.h"
#include "widgets/config/problems/notice_bar.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/theme/theme.h"

#include <QAbstractItemModel>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

using namespace rankscope::ui;
namespace launch = rankscope::launch;

class RunSettingsShown : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        Theme::instance().apply(Theme::Mode::Light);
        qputenv("RANKSCOPECTL", "/nowhere/rankscopectl");
        QFile file(QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        m_text = file.readAll();
    }

    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        m_first = makeRun(QStringLiteral("t-quickstart-e6a6"), m_text, {});
        m_second = makeRun(QStringLiteral("t-quickstart-2f1f"),
                           QByteArray(m_text).replace("devices: 2 ", "devices: 1 "), "t-quickstart-e6a6");
        m_page = std::make_unique<ConfigPage>();
        m_page->resize(1100, 700);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
    }

    void aRenamedRunHasItsName() {
        QVERIFY(launch::editMarks({m_second.toStdString()}, [](launch::RunMarks& marks) { marks.title = "my run"; }));
        open(m_second);
        QCOMPARE(words("heading"), QStringLiteral("Settings of run my run, 2f1f"));
    }

    void anOpenedRunIsShown() {
        open(m_second);
        QCOMPARE(words("heading"), QStringLiteral("Settings of run quickstart, 2f1f"));
        QVERIFY2(words("difference").contains(QStringLiteral("repeats e6a6")) &&
                     words("difference").contains(QStringLiteral("devices: 2 → 1")),
                 qPrintable(words("difference")));
        const RecipeModel* model = settings()->recipe()->model();
        QCOMPARE(cell("trainer.devices", RecipeModel::Effective), QStringLiteral("1"));
        QCOMPARE(cell("trainer.devices", RecipeModel::OtherA), QStringLiteral("2"));
        QVERIFY(!cell("trainer.devices", RecipeModel::NemoYaml).isEmpty());
        QVERIFY(model->indexOf(QStringLiteral("trainer.devices")).data(RecipeModel::DiffersRole).toBool());
        QVERIFY(!model->indexOf(QStringLiteral("trainer.max_steps")).data(RecipeModel::DiffersRole).toBool());
        QVERIFY(settings()->text()->isReadOnly());
        QVERIFY(settings()->text()->toPlainText().contains(QStringLiteral("devices: 1")));
    }

    void aRunWithoutOneBefore() {
        open(m_first);
        QCOMPARE(words("difference"), QStringLiteral("read-only"));
        QCOMPARE(settings()->recipe()->model()->comparisonCount(), 0);
    }

    void theRunBeforeIsGone() {
        QVERIFY(QDir(m_first).removeRecursively());
        open(m_second);
        QVERIFY2(words("difference").contains(QStringLiteral("cannot be read")), qPrintable(words("difference")));
        QCOMPARE(cell("trainer.devices", RecipeModel::Effective), QStringLiteral("1"));
    }

    void aRunThatCannotBeReadSaysWhy() {
        const QString empty = m_dir->filePath(QStringLiteral("runs/none"));
        QVERIFY(QDir().mkpath(empty));
        open(empty);
        QVERIFY2(words("difference").contains(QStringLiteral("effective.yaml")), qPrintable(words("difference")));
        open(m_first); // then another run
        QCOMPARE(words("difference"), QStringLiteral("read-only"));
    }

    void nothingIsEdited() {
        open(m_second);
        RecipeView* recipe = settings()->recipe();
        recipe->reveal(QStringLiteral("trainer.sync_batchnorm"));
        QSignalSpy edited(recipe->model(), &RecipeModel::editRequested), removed(recipe, &RecipeView::removeRequested),
            moved(recipe, &RecipeView::moveRequested);
        for (const auto& [key, with] : {std::pair(Qt::Key_F2, Qt::NoModifier), std::pair(Qt::Key_Space, Qt::NoModifier),
                                        std::pair(Qt::Key_Delete, Qt::NoModifier),
                                        std::pair(Qt::Key_Up, Qt::AltModifier), std::pair(Qt::Key_7, Qt::NoModifier)}) {
            QTest::keyClick(recipe->tree(), key, with);
            QCOMPARE(QApplication::focusWidget(), recipe->tree()); // no editor opened
        }
        QTest::mouseDClick(recipe->tree()->viewport(), Qt::LeftButton, {},
                           recipe->tree()->visualRect(recipe->tree()->currentIndex()).center());
        QCOMPARE(QApplication::focusWidget(), recipe->tree());
        QCOMPARE(edited.count() + removed.count() + moved.count(), 0);
    }

    void aProgramThatNamedItsRecipe() {
        open(makeProgram({}));
        QVERIFY2(words("programText").contains(QStringLiteral("your own program")), qPrintable(words("programText")));
        QVERIFY(!relaunch()->isVisibleTo(m_page.get()));
        QSignalSpy watch(settings(), &RecordedRecipePage::watchRequested);
        for (auto* button : settings()->findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Start it again…"))
                QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(watch.size(), 1);
        QCOMPARE(watch[0][0].toStringList().size(), 2);
        open(makeProgram(m_text));
        QVERIFY2(words("difference").startsWith(QStringLiteral("read-only; what NeMo trained with")),
                 qPrintable(words("difference")));
        QCOMPARE(cell("trainer.devices", RecipeModel::Effective), QStringLiteral("2"));
        QVERIFY(!cell("trainer.devices", RecipeModel::NemoYaml).isEmpty());
        QVERIFY(relaunch()->isEnabled() && relaunch()->isVisibleTo(m_page.get()));
        open(makeProgram("model:\n  train_ds:\n    batch_size: 3\n  target: nemo.SomeOtherModel\n"));
        QVERIFY2(words("difference").contains(QStringLiteral("is not a NEST recipe")), qPrintable(words("difference")));
        QCOMPARE(cell("model.train_ds.batch_size", RecipeModel::Effective), QStringLiteral("3"));
        QVERIFY(!relaunch()->isEnabled());
    }

    void aRecipeThatWasLaunchedForNemoOnly() {
        open(makeProgram("model:\n  train_ds:\n    batch_size: 3\n  target: nemo.SomeOtherModel\n",
                         "/recipes/other.yaml"));
        QVERIFY2(words("difference").startsWith(QStringLiteral("read-only. Rankscope's trainer cannot")),
                 qPrintable(words("difference")));
        QVERIFY(!relaunch()->isEnabled());
        open(makeProgram(m_text, "/recipes/recipe.yaml"));
        QCOMPARE(words("difference"), QStringLiteral("read-only"));
        QVERIFY(relaunch()->isEnabled());
    }

    void relaunchIsOffered() {
        open(m_second);
        QSignalSpy asked(m_page.get(), &ConfigPage::relaunchRequested);
        QTest::mouseClick(relaunch(), Qt::LeftButton);
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.front().front().toString(), m_second);
        m_page->openCopyOf(m_second);
        QVERIFY(!m_page->showsRun());
        QTRY_VERIFY(m_page->isComplete());
    }

    void whatIsEditedStaysInView() {
        const QString recipe = m_dir->filePath(QStringLiteral("recipe.yaml"));
        write(recipe, m_text);
        m_page->open(recipe);
        QTRY_VERIFY(m_page->isComplete());
        m_page->showRun(m_first); // showing the run loses no edits
        QVERIFY(m_page->showsRun());
        m_page->showRecipe();
        emit m_page->recipe()->model()->editRequested(QStringLiteral("trainer.devices"), QStringLiteral("4"));
        m_page->showRun(m_second);
        QVERIFY(!m_page->showsRun());
        m_page->file()->markLaunched(m_page->file()->bytes(), m_second);
        m_page->file()->undoStack()->undo();
        m_page->file()->undoStack()->redo();
        m_page->showRun(m_second); // this run's own recipe is open
        QVERIFY(!m_page->showsRun());
    }

    /// While another page is visible, opening a run creates nothing for this one.
    void aPageThatIsNotShownReadsNothing() {
        m_page->hide();
        m_page->showRun(m_second);
        QVERIFY(!settings());
        QVERIFY(!m_page->showsRun());
        m_page->show();
        QVERIFY(m_page->showsRun());
        QTRY_VERIFY(m_page->isComplete());
        QCOMPARE(settings()->run(), m_second);
        m_page->hide();
        m_page->showRun(m_first);
        m_page->showRun({}); // closed before the page was ever visible
        m_page->show();
        QVERIFY(!m_page->showsRun());
    }

    void aRunThatIsClosedLeavesTheRecipe() {
        open(m_second);
        m_page->showRun({});
        QVERIFY(!m_page->showsRun());
    }

    void launchDoesNotStartWhatIsNotSeen() {
        const QString recipe = m_dir->filePath(QStringLiteral("recipe.yaml"));
        write(recipe, m_text);
        m_page->open(recipe);
        QTRY_VERIFY(m_page->isComplete());
        open(m_first);
        m_page->launch();
        QVERIFY(!m_page->showsRun());
        QVERIFY(m_page->launchPanel()->problem().isEmpty());
        QVERIFY(m_page->notice()->text().contains(QStringLiteral("recipe.yaml")));
    }

private:
    QString words(const char* label) const { return settings()->findChild<QLabel*>(QLatin1String(label))->text(); }
    RecordedRecipePage* settings() const { return m_page->findChild<RecordedRecipePage*>(); }
    void open(const QString& run) {
        m_page->showRun(run);
        QVERIFY(m_page->showsRun());
        QTRY_VERIFY(m_page->isComplete());
    }
    QString cell(const char* key, int column) const {
        return settings()->recipe()->model()->indexOf(QLatin1String(key), column).data().toString();
    }
    static void write(const QString& path, const QByteArray& text) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    QString makeRun(const QString& id, const QByteArray& text, const std::string& repeats) {
        const QString folder = m_dir->filePath(QStringLiteral("runs/") + id);
        const launch::RunPaths run{folder.toStdString()};
        launch::RunInfo info;
        info.id = id.toStdString();
        info.name = "quickstart";
        info.state = launch::RunState::Finished;
        info.worldSize = 2;
        info.relaunchedFrom = repeats;
        if (!QDir().mkpath(folder) || !launch::writeRunInfo(run, info))
            qFatal("no run could be made");
        write(QString::fromStdString(run.config().string()), text);
        write(QString::fromStdString(run.effective().string()),
              QByteArray::fromStdString(rankscope::config::evaluate(text.toStdString(), "recipe").text));
        return folder;
    }

    /// Returns the folder of a run that was only watched; with the recipe that its program named, unless that is empty.
    /// `launched`: recipe with which NeMo was launched; empty: none.
    QString makeProgram(const QByteArray& text, const std::string& launched = {}) {
        const QString folder = m_dir->filePath(QStringLiteral("runs/watched%1").arg(m_programs++));
        const launch::RunPaths run{folder.toStdString()};
        launch::RunInfo info;
        info.name = "train";
        info.worldSize = 2;
        info.command = {"python", "train.py"};
        info.configPath = launched;
        if (!QDir().mkpath(folder))
            qFatal("no run could be made");
        if (!text.isEmpty()) {
            write(QString::fromStdString(run.programRecipe().string()), text);
            const auto recipe = launch::ProgramRecipeFile(run).changed();
            if (!recipe || !*recipe || !launch::keepProgramRecipe(run, **recipe, info))
                qFatal("the recipe could not be kept");
        }
        if (!launch::writeRunInfo(run, info))
            qFatal("no run could be made");
        return folder;
    }
    QPushButton* relaunch() const {
        for (QPushButton* button : settings()->findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Relaunch with changes"))
                return button;
        return nullptr;
    }

    QByteArray m_text;
    int m_programs = 0;
    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_first, m_second;
    std::unique_ptr<ConfigPage> m_page;
};

RANKSCOPE_GUI_TEST(RunSettingsShown)
#include "tst_recorded_recipe_page.moc"
