// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/page/compare_menu.h"
#include "widgets/config/page/recipe_file_actions.h"
#include "widgets/config/recipe/recipe_file.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace rankscope::ui {

class DryRun;
class LaunchPanel;
class NoticeBar;
class ProblemModel;
class RecipeEdits;
class RecipeTextPane;
class RecipeView;
class RecordedRecipePage;
class SyncCardRow;

/// Configure: the three decisive settings, the whole recipe as a tree, its text beside it, what is wrong or risky, what
/// a launch would do, and Launch. In its place it shows the settings that the open run was launched with.
class ConfigPage final : public QWidget {
    Q_OBJECT
public:
    explicit ConfigPage(QWidget* parent = nullptr);

    ConfigFile* file() const { return m_file; }
    LaunchPanel* launchPanel() const { return m_launch; }
    RecipeView* recipe() const { return m_recipe; }
    NoticeBar* notice() const { return m_notice; }
    DryRun* dryRun() const { return m_dryRun; }
    /// The same recipe on the other machine that counts: on this one while another is planned for, else, where a
    /// launch here has a single rank, on 8 x H100.
    DryRun* otherDryRun() const { return m_otherRun; }
    bool isPlanning() const;
    SyncCardRow* cards() const { return m_cards; }
    RecipeTextPane* textPane() const { return m_text; }
    /// Everything that the recipe has is shown; for screenshots and tests. The dry run may still be running.
    bool isComplete() const;

    /// Opens a file; edits that would be lost are asked about in the notice bar first.
    void open(const QString& path) { m_files->open(path); }
    /// Opens a run's recipe as an unsaved copy.
    void openCopyOf(const QString& runDir) { m_files->openCopy(runDir, {}, {}); }
    /// Opens a run's recipe as a copy and sets one key in it, or removes it where `yaml` is empty: the remedy of an
    /// incident.
    void openCopyWith(const QString& runDir, const QString& key, const QString& yaml) {
        m_files->openCopy(runDir, key, yaml);
    }
    bool save() { return m_files->save(); } ///< false: not saved; the notice says why, or a file is being chosen
    void saveAs() { m_files->saveAs(); }
    QString suggestedPath() const { return m_files->suggestedPath(); } ///< where "Save as" begins
    /// Offers the settings of the run that the window shows, to be read; empty: none. A recipe that is being edited
    /// stays in view. Nothing is read before the page is visible.
    void showRun(const QString& runDir);
    void showRecipe();
    bool showsRun() const;
    /// Returns whether what is shown is a recipe that the open run was not launched from.
    bool showsOtherRecipe() const;
    void takeFocus(); ///< the tree gets it, not the first field, which would take what is typed
    QByteArray saveLayout() const;
    void restoreLayout(const QByteArray& layout);
    /// Buttons beside the file's name: what the window's menus have too.
    void setHeadingActions(const QList<QAction*>& actions);
    void setRuns(const QList<ComparableRun>& runs); ///< that the menu of Compare offers

public slots:
    void focusSearch();
    void launch();
    void offerLaunch(); ///< asked for from another page: says what would be launched

signals:
    void relaunchRequested(const QString& runDir);
    void runDropped(const QString& path); ///< not named as YAML: a run, or part of one?
    void launched(const QString& runDir);
    void titleChanged(); ///< file name or dirty mark, or whether it is the recipe that is shown
    void message(const QString& text);
    void causeRequested(const QString& cause); ///< the diagnosis that a risk leads to

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void build();
    void buildHeading();
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
    void showMarks();
    void showDetail();
    void explain(const QString& key);
    void planLaunch();
    void planElsewhere();
    void takeDropped(const QString& path);
    ProblemModel* problems() const;

    ConfigFile* m_file;
    DryRun* m_dryRun;
    DryRun* m_otherRun;
    NoticeBar* m_notice;
    QStackedWidget* m_sources; ///< the recipe, and the settings of the open run
    QWidget* m_recipePane;
    RecordedRecipePage* m_settings = nullptr; ///< null: not shown yet
    bool m_settingsDue = false;               ///< they are shown when the page is
    QString m_run;                            ///< that is open; empty: none
    QPushButton* m_toSettings;
    QLabel* m_title;
    QLabel* m_path;
    QHBoxLayout* m_heading;
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
