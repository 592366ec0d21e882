// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/edits/recipe_file_actions.h"
#include "widgets/config/page/compare_menu.h"
#include "widgets/config/recipe/recipe_file.h"

#include <QWidget>

class QSplitter;
class QStackedWidget;

namespace rankscope::ui {

class PlanRequest;
class LaunchPanel;
class LaunchPlans;
class NoticeBar;
class ProblemModel;
class RecipeEdits;
class RecipeHeading;
class RecipeTextPane;
class RecipeView;
class RecordedRecipePage;
class SyncCardRow;

/// The Configure page: the three decisive settings, the whole recipe as a tree, its text next to it, its problems and
/// risks, the dry run, and Launch. It can show the settings the open run was launched with instead.
class ConfigPage final : public QWidget {
    Q_OBJECT
public:
    explicit ConfigPage(QWidget* parent = nullptr);

    ConfigFile* file() const { return m_file; }
    LaunchPanel* launchPanel() const { return m_launch; }
    RecipeView* recipe() const { return m_recipe; }
    NoticeBar* notice() const { return m_notice; }
    PlanRequest* dryRun() const;
    /// Returns a second plan of the same recipe: for this machine if dryRun() is for another one;
    /// otherwise for 8 x H100 if a launch here has a single rank.
    PlanRequest* otherDryRun() const;
    bool isPlanning() const;
    SyncCardRow* cards() const { return m_cards; }
    RecipeTextPane* textPane() const { return m_text; }
    /// Returns whether everything in the recipe is shown; for screenshots and tests. The dry run may still be in
    /// progress.
    bool isComplete() const;

    /// Opens a file. If edits would be lost, the notice bar asks first.
    void open(const QString& path) { m_files->open(path); }
    /// Opens a run's recipe as an unsaved copy.
    void openCopyOf(const QString& runDir) { m_files->openCopy(runDir, {}, {}); }
    /// Opens a run's recipe as a copy and applies an incident's remedy: sets one key, or removes it if `yaml` is empty.
    void openCopyWith(const QString& runDir, const QString& key, const QString& yaml) {
        m_files->openCopy(runDir, key, yaml);
    }
    bool save() { return m_files->save(); } ///< false: not saved; the notice says why, or a file is being chosen
    void saveAs() { m_files->saveAs(); }
    /// Returns the path that "Save as" starts with.
    QString suggestedPath() const { return m_files->suggestedPath(); }
    /// Offers to show the settings of the run in the window, read-only; empty: none. A recipe that is being edited
    /// stays in view. Nothing is read before the page is visible.
    void showRun(const QString& runDir);
    void showRecipe();
    bool showsRun() const;
    /// Shows the open recipe at this key and offers to set it; empty `yaml`: only shows it.
    void suggest(const QString& key, const QString& yaml);
    /// Returns whether the page shows a recipe that the open run was not launched from.
    bool showsOtherRecipe() const;
    void takeFocus(); ///< to the tree; the first field would take what the user types
    QByteArray saveLayout() const;
    void restoreLayout(const QByteArray& layout);
    /// Sets buttons next to the file's name for actions that the window's menus also have.
    void setHeadingActions(const QList<QAction*>& actions);
    void setRuns(const QList<ComparableRun>& runs); ///< that the Compare menu offers

public slots:
    void focusSearch();
    void launch();
    void offerLaunch(); ///< requested on another page: shows what would be launched

signals:
    void relaunchRequested(const QString& runDir);
    void watchRequested(const QStringList& command); ///< to start a program of the user's again
    void launched(const QString& runDir);
    void titleChanged(); ///< the file name, the dirty mark, or whether the recipe is shown
    void message(const QString& text);
    void causeRequested(const QString& cause); ///< the diagnosis that a risk can lead to

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void build();
    void showSettings();
    void showPane(QWidget* pane);
    void showSources();
    void showColours();
    void connectFile();
    void connectLaunch();
    void connectTree();
    void connectText();
    void retranslate();
    void showText();
    void showEvaluation();
    void showTitle();
    void showPlan();
    void showCosts();
    void showProblems();
    void showDetail();
    void explain(const QString& key);
    void showDueKey();
    ProblemModel* problems() const;

    ConfigFile* m_file;
    LaunchPlans* m_plans;
    NoticeBar* m_notice;
    QStackedWidget* m_sources; ///< the recipe, and the settings of the open run
    QWidget* m_recipePane;
    RecordedRecipePage* m_settings = nullptr; ///< null: not shown yet
    bool m_settingsDue = false;               ///< show the settings as soon as the page is visible
    QString m_run;                            ///< the open run; empty: none
    QString m_keyDue;                         ///< to be shown once the recipe has been evaluated; empty: none
    RecipeHeading* m_heading;
    RecipeView* m_recipe;
    RecipeTextPane* m_text;
    QSplitter* m_split;
    LaunchPanel* m_launch;
    SyncCardRow* m_cards;
    CompareMenu* m_compareMenu;
    RecipeEdits* m_edits;
    RecipeFileActions* m_files;
    bool m_justOpened = false;
};

} // namespace rankscope::ui
