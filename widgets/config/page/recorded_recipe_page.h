// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/recipe/comparisons.h"

#include <QStringList>
#include <QWidget>

#include <optional>

class QLabel;
class QMenu;
class QPushButton;
class QSplitter;

namespace rankscope::ui {

class KeyDetail;
class RecipeView;
class YamlEditor;

/// What is read about a run on a separate thread.
struct RunSettingsRead {
    std::optional<Error> problem; ///< why nothing could be read
    bool hasRecipe = true;        ///< False: the run is the user's own program, which has named none.
    QStringList command;          ///< the user's own program, with its arguments
    QString from;                 ///< the user's own program that named it, "NeMo 2.7.3"; empty: it was launched
    QString obstacle;             ///< why it cannot be launched again with changes; empty: it can
    QString name;                 ///< of the recipe
    std::string text;             ///< effective.yaml
    Evaluation evaluation;        ///< of config.yaml with its overrides, with the effective values of the run
    Comparison before;            ///< of the previous run; its evaluation is null if there is none
    QString beforeId;             ///< empty: none
    bool resumed = false;         ///< from the previous run; otherwise it repeats that run
    QStringList other;            ///< "num_workers: 2 (was 1)", compared with the previous run
};

/// Shows, read-only, the effective settings a run was launched with, and how they differ from NeMo's and from the run
/// that it repeats or was resumed from.
class RecordedRecipePage final : public QWidget {
    Q_OBJECT
public:
    explicit RecordedRecipePage(QWidget* parent = nullptr);

    void setRun(const QString& runDir); ///< a run whose recipe is already shown is not read again
    QString run() const { return m_run; }
    bool isComplete() const { return m_reading == 0; }
    RecipeView* recipe() const { return m_recipe; }
    YamlEditor* text() const { return m_text; }
    /// Sets the name of the recipe that is open for editing; empty: none.
    void setRecipeName(const QString& name);

signals:
    void relaunchRequested(const QString& runDir);
    void watchRequested(const QStringList& command); ///< to start the run's command again
    void recipeRequested();                          ///< the user wants to return to the open recipe

private:
    void build();
    QWidget* makeProgramPane();
    void retranslate();
    void show(const RunSettingsRead& read);
    void showWords();
    void fillCompareMenu();
    void showDetail();

    QString m_run, m_recipeName;
    RunSettingsRead m_read;
    QLabel* m_title;
    QLabel* m_difference;
    QPushButton* m_relaunch;
    QPushButton* m_toRecipe;
    RecipeView* m_recipe;
    YamlEditor* m_text;
    KeyDetail* m_detail;
    QMenu* m_compare;
    QSplitter* m_split;
    QWidget* m_programPane; ///< in place of a recipe
    QLabel* m_programText;
    QPushButton* m_watch;
    bool m_withBefore = false; ///< the previous run has a column
    int m_reading = 0;
};

} // namespace rankscope::ui
