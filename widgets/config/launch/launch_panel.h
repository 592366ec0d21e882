// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/launch/plan_request.h"
#include "widgets/config/launch/run_launcher.h"
#include "widgets/config/recipe/recipe_file.h"
#include "widgets/config/recipe/working_folder.h"

#include <QFrame>
#include <QHash>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace rankscope::ui {

/// How the recipe is launched: ranks, overrides, the runs folder and the working folder, with a line on the dry run
/// and the Launch button.
class LaunchPanel final : public QFrame {
    Q_OBJECT
public:
    explicit LaunchPanel(ConfigFile* file, QWidget* parent = nullptr);

    /// Where runs go unless another folder is given.
    void setDefaultRunsDir(const QString& dir);
    QString runsDir() const;
    WorkingFolder workingFolder() const { return m_folder; }
    /// The few figures of `run` are shown above the fields. `other` says whether a launch here would be refused while
    /// another machine is planned for.
    void setDryRuns(DryRun* run, DryRun* other);
    /// What is to be planned: the recipe as it is shown, with the fields of this panel.
    DryRunRequest dryRunRequest() const;
    /// Overrides, ranks, runs folder and machine belong to the recipe: when another one is opened they are as that one
    /// had them when it was open last, or empty.
    LaunchFields fields() const;
    void setFields(const LaunchFields& fields);
    /// What is planned for, as `rankscopectl plan --machine` takes it; empty: this machine.
    QString machine() const;
    static QString usualTarget(); ///< the machine that such models are trained on: 8 x H100
    void setMachine(const QString& machine);
    /// What an earlier window planned this recipe for.
    void restoreMachine(const QString& recipe, const QString& machine);
    void setLiveRuns(const QStringList& runDirs);
    QString problem() const; ///< what the last launch failed with; empty: none

public slots:
    void launch();

signals:
    void launched(const QString& runDir);
    void planChanged();       ///< ranks, overrides, a folder or the machine
    void planRequested();     ///< the whole dry run is to be shown
    void problemsRequested(); ///< why there is none
    void manifestRequested(); ///< one is to be chosen

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void build();
    void arrange();
    void retranslate();
    void refresh();
    void chooseFolder();
    void showRepeated();
    bool stopsFirst() const;
    void showProblem(const QString& text);
    void showPlan();
    void planLine(const QStringList& facts, const QColor& colour, const QString& link, const QString& linkText,
                  std::optional<Severity> mark = std::nullopt);
    void showButton();
    void hideToldProblem();
    void recipeOpened();
    void showRunsDir();
    void fillMachines();
    void otherMachine();

    ConfigFile* m_file;
    Launcher* m_launcher;
    QHash<QString, LaunchFields> m_fieldsOf; ///< by recipe file: of those that were open before
    QString m_recipe;                        ///< the file that the fields belong to
    QString m_defaultRuns;
    QString m_repeats;
    std::string m_launchedText; ///< that is being launched
    QStringList m_live;
    QWidget* m_repeatRow;
    QLabel* m_repeatText;
    QCheckBox* m_stopFirst;
    QString m_said;           ///< by the program that refused, in its words
    const QString m_startDir; ///< where the window was started
    QString m_chosenDir;      ///< by the user for this recipe; empty: none
    WorkingFolder m_folder;
    QLabel* m_ranksLabel;
    QLabel* m_overridesLabel;
    QLabel* m_runsLabel;
    QLabel* m_folderLabel;
    QLabel* m_folderText;
    QLabel* m_problem;
    QLabel* m_planMark;
    QLabel* m_plan;
    QLabel* m_machineLabel;
    QComboBox* m_machine;
    int m_machineAt = 0; ///< of the list, before another was asked for
    DryRun* m_dryRun = nullptr;
    DryRun* m_otherRun = nullptr;
    QSpinBox* m_ranks;
    QLineEdit* m_overrides;
    QLineEdit* m_runs;
    QToolButton* m_folderButton;
    QPushButton* m_launch;
};

} // namespace rankscope::ui
