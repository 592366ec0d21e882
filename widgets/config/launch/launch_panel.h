// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/launch/run_launcher.h"
#include "widgets/config/nemo/nemo_python.h"
#include "widgets/config/plan/plan_request.h"
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

class MachineChoice;
class PlanSummary;

/// Sets how the recipe is launched: ranks, overrides, the runs folder, the working folder and the program that trains.
/// Also shows one line about the dry run, and the Launch button.
class LaunchPanel final : public QFrame {
    Q_OBJECT
public:
    explicit LaunchPanel(ConfigFile* file, QWidget* parent = nullptr);

    /// Sets the runs folder to use unless the user chooses another one.
    void setDefaultRunsDir(const QString& dir);
    QString runsDir() const;
    WorkingFolder workingFolder() const { return m_folder; }
    /// Shows the main figures of `run` above the fields. `other` says whether a launch here would be refused while the
    /// plan is for another machine.
    void setDryRuns(PlanRequest* run, PlanRequest* other);
    /// Returns what to plan: the recipe as shown, with the fields of this panel.
    DryRunRequest dryRunRequest() const;
    /// Returns the recipe's overrides, ranks, runs folder and machine. When another recipe is opened, they are restored
    /// as it last had them, or emptied.
    LaunchFields fields() const;
    void setFields(const LaunchFields& fields);
    /// Returns the machine to plan for, as `rankscopectl plan --machine` takes it; empty: this machine.
    QString machine() const;
    void setMachine(const QString& machine);
    /// Restores the machine an earlier window planned this recipe for.
    void restoreMachine(const QString& recipe, const QString& machine);
    void setLiveRuns(const QStringList& runDirs);
    /// Returns the row that names NeMo's Python; it is visible while NeMo is chosen as the trainer.
    NemoPython* nemo() const { return m_nemo; }
    QString problem() const; ///< why the last launch failed; empty: no problem

public slots:
    void launch();

signals:
    void launched(const QString& runDir);
    void planChanged();       ///< ranks, overrides, a folder or the machine
    void planRequested();     ///< the user wants to see the whole dry run
    void problemsRequested(); ///< the user wants to see why there is no dry run
    void manifestRequested(); ///< the user wants to choose a manifest

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void build();
    void arrange();
    void retranslate();
    void refresh();
    void chooseFolder();
    void showRepeated();
    bool stopsFirst() const;
    bool isNemo() const;
    void showProblem(const Message& problem);
    void showPlan();
    void showButton();
    PlanRequest* planHere() const;
    std::optional<plan::DiskPlan> diskToCheck() const;
    void warnOfDisk(const plan::DiskPlan& disk);
    void hideToldProblem();
    void recipeOpened();
    void showRunsDir();

    ConfigFile* m_file;
    Launcher* m_launcher;
    QHash<QString, LaunchFields> m_fieldsOf; ///< by recipe file, for recipes that were open earlier
    QString m_recipe;                        ///< the file that the fields belong to
    QString m_defaultRuns;
    QString m_repeats;
    std::string m_launchedText; ///< text being launched
    QStringList m_live;
    QWidget* m_repeatRow;
    QLabel* m_repeatText;
    QCheckBox* m_stopFirst;
    Message m_said;           ///< error of the last failed launch; empty: none
    const QString m_startDir; ///< where the window was started
    QString m_chosenDir;      ///< by the user for this recipe; empty: none
    WorkingFolder m_folder;
    QLabel* m_ranksLabel;
    QLabel* m_overridesLabel;
    QLabel* m_runsLabel;
    QLabel* m_folderLabel;
    QLabel* m_folderText;
    QLabel* m_problem;
    PlanSummary* m_summary;
    MachineChoice* m_machine;
    PlanRequest* m_dryRun = nullptr;
    PlanRequest* m_otherRun = nullptr;
    QLabel* m_trainerLabel;
    QComboBox* m_trainer;
    NemoPython* m_nemo;
    QSpinBox* m_ranks;
    QLineEdit* m_overrides;
    QLineEdit* m_runs;
    QToolButton* m_folderButton;
    QPushButton* m_launch;
};

} // namespace rankscope::ui
