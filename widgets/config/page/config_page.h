// SPDX-License-Identifier: GPL-3.0-or-later
// Configure: the three decisive settings, the whole recipe as a tree, its text beside it, what is wrong or risky, what
// a launch would do, and Launch.
#pragma once

#include "widgets/config/recipe/recipe_file.h"

#include <QTimer>
#include <QWidget>

#include <array>
#include <functional>
#include <string>
#include <utility>

class QHBoxLayout;
class QLabel;
class QMenu;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace rankscope::ui {

class Comparisons;
class DecisiveCard;
class DryRun;
class FindBar;
class InfoPane;
class LaunchPanel;
class NoticeBar;
class ProblemModel;
class RecipeView;
class RunSettings;
class YamlEditor;

/// A run that can be compared with.
struct ComparableRun {
    QString title, dir;
    bool live = false;
};

class ConfigPage final : public QWidget {
    Q_OBJECT
public:
    explicit ConfigPage(QWidget* parent = nullptr);

    ConfigFile* file() const { return m_file; }
    LaunchPanel* launchPanel() const { return m_launch; }
    RecipeView* recipe() const { return m_recipe; }
    YamlEditor* editor() const { return m_editor; }
    FindBar* findBar() const { return m_find; }
    NoticeBar* notice() const { return m_notice; }
    InfoPane* info() const { return m_info; }
    ProblemModel* problems() const;
    DryRun* dryRun() const { return m_dryRun; }
    Comparisons* comparisons() const { return m_comparisons; }
    DecisiveCard* card(int which) const { return m_cards[static_cast<std::size_t>(which)]; }
    /// Everything that the recipe has is shown; for screenshots and tests. The dry run may still go on.
    bool isComplete() const;

    /// Opens a file; edits that would be lost are asked about in the notice bar first.
    void open(const QString& path);
    /// A run's recipe as an unsaved copy.
    void openCopyOf(const QString& runDir);
    /// Opens a run's recipe as a copy and sets one key in it: the remedy of an incident.
    void openCopyWith(const QString& runDir, const QString& key, const QString& yaml);
    /// The run that the window shows: its settings are to be read here; empty: none. What is being edited stays in
    /// view. Nothing is read before the page is visible.
    void showRun(const QString& runDir);
    void showRecipe();
    bool showsRun() const;
    void takeFocus(); ///< the tree gets it, not the first field, which would take what is typed
    RunSettings* runSettings() const { return m_settings; } ///< null: not shown yet
    bool save(); ///< false: not saved; the notice says why, or a file is being chosen
    void saveAs();
    QString suggestedPath() const; ///< where "Save as" begins
    QByteArray saveLayout() const;
    void restoreLayout(const QByteArray& layout);
    /// Buttons beside the file's name: what the window's menus have too.
    void setHeadingActions(const QList<QAction*>& actions);
    void setRuns(const QList<ComparableRun>& runs); ///< that the menu of Compare offers
    QWidget* cards() const { return m_cardRow; }
    QWidget* textPane() const { return m_textPane; }

public slots:
    void focusSearch();
    void launch();
    void offerLaunch(); ///< asked for from another page: says what would be launched

signals:
    void relaunchRequested(const QString& runDir);
    void runDropped(const QString& path); ///< not named as YAML: a run, or part of one?
    void launched(const QString& runDir);
    void titleChanged(); ///< file name or dirty mark
    void message(const QString& text);
    void causeRequested(const QString& cause); ///< the diagnosis that a risk leads to

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    // config_page.cpp
    void build();
    void buildRecipe();
    void buildTextPane();
    void showSettings();
    void showPane(QWidget* pane);
    void showSources();
    void showColours();
    void connectAll();
    void connectTree();
    void connectText();
    void retranslate();
    void showBytes();
    void showEvaluation();
    void showTitle();
    void showCosts();
    void showPlan();
    void showProblems();
    void showDetail();
    void foldCards(bool on);
    void planLaunch();

    // config_page_flow.cpp
    void edit(const QString& key, const QString& yaml);
    void removeInCopy(const QString& key);
    void revealWhenRead(const QString& key);
    void remove(const QString& key);
    void rename(const QString& from, const QString& to);
    void apply(const KeySettings& settings);
    void chooseManifest(const QString& key);
    void move(const QString& key, const QString& section, const QString& before);
    void report(const Result<void>& done);
    /// `next` says what would be opened.
    void replaceAfterAsking(const std::function<QString()>& next, const std::function<void()>& open);
    static QString titleOfCopy(const QString& runDir, const std::string& name);
    void saveAsThen(const std::function<void()>& done);
    void fileChangedOnDisk();
    void recovered(const QDateTime& when, bool diskChanged);
    void showDiskChanges();
    bool writeTo(const QString& path);
    void fillCompareMenu();
    void chooseComparison(bool run);
    void takeDropped(const QString& path);

    ConfigFile* m_file;
    DryRun* m_dryRun;
    Comparisons* m_comparisons;
    NoticeBar* m_notice;
    QStackedWidget* m_sources; ///< the recipe, and the settings of the open run
    QWidget* m_recipePane;
    RunSettings* m_settings = nullptr;
    bool m_settingsDue = false;               ///< they are shown when the page is
    QString m_run;                            ///< that is open; empty: none
    std::pair<QString, std::string> m_copyOf; ///< the run's folder and the recipe's name that a copy's title is of
    QPushButton* m_toSettings;
    QLabel* m_title;
    QLabel* m_path;
    QHBoxLayout* m_heading;
    std::array<DecisiveCard*, 3> m_cards{};
    QWidget* m_cardRow;
    QToolButton* m_fold;
    RecipeView* m_recipe;
    YamlEditor* m_editor;
    FindBar* m_find;
    InfoPane* m_info;
    QWidget* m_textPane;
    QSplitter* m_split;
    QSplitter* m_textSplit;
    LaunchPanel* m_launch;
    QMenu* m_compareMenu;
    QList<ComparableRun> m_runs;
    bool m_justOpened = false;
    bool m_cardsFolded = false;
    QTimer m_changes; ///< the list of unsaved changes follows when typing pauses
};

} // namespace rankscope::ui
