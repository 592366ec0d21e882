// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/recipe/comparisons.h"

#include <QStringList>
#include <QWidget>

class QLabel;
class QMenu;
class QPushButton;
class QSplitter;

namespace rankscope::ui {

class KeyDetail;
class RecipeView;
class YamlEditor;

/// What is read of a run on a thread of its own.
struct RunSettingsRead {
    QString problem;       ///< why nothing could be read; empty: it was
    QString name;          ///< of the recipe
    std::string text;      ///< effective.yaml
    Evaluation evaluation; ///< of config.yaml with its overrides, as they acted
    Comparison before;     ///< of the run before; its evaluation is null where there is none
    QString beforeId;      ///< empty: none
    bool resumed = false;  ///< from the run before; else it is repeated
    QStringList other;     ///< "num_workers: 2 (was 1)", against the run before
};

/// The settings that a run was launched with, read-only: what acted, and how it differs from NeMo and from the run
/// that it repeats or was resumed from.
class RecordedRecipePage final : public QWidget {
    Q_OBJECT
public:
    explicit RecordedRecipePage(QWidget* parent = nullptr);

    void setRun(const QString& runDir); ///< what is shown already is not read again
    QString run() const { return m_run; }
    bool isComplete() const { return m_reading == 0; }
    RecipeView* recipe() const { return m_recipe; }
    YamlEditor* text() const { return m_text; }
    /// Of the recipe that is open beside the run; empty: none.
    void setRecipeName(const QString& name);

signals:
    void relaunchRequested(const QString& runDir);
    void recipeRequested(); ///< back to the recipe that is open

private:
    void build();
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
    bool m_withBefore = false; ///< the run before is a column
    int m_reading = 0;
};

} // namespace rankscope::ui
