// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the window with a recipe in a language, theme and size, and checks each state for text that does not fit. With
// RANKSCOPE_SHOTS=DIR each state is also saved as a picture.
#pragma once

#include "widgets/config/page/config_page.h"
#include "widgets/config/plan/plan_request.h"
#include "widgets/config/recipe/recipe_file.h"
#include "widgets/main_window/window/main_window.h"

#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace rankscope::ui {

class ConfigStatesBase : public QObject {
protected:
    /// Sets up separate folders and the real rankscopectl; call it once.
    void prepare();
    /// Adds the columns and rows of test data: language, theme and size.
    void addLooks();
    /// Opens a window with this row's look on the Configure page, without a recipe.
    void openWindow();
    void openRecipe(); ///< a copy of the quickstart recipe, planned
    void planned();
    /// Checks that everything fits, and saves the picture.
    void shot(const char* state);
    void edit(const char* key, const char* yaml);
    void undoAll();
    ConfigPage* page() const { return m_window->findChild<ConfigPage*>(); }

    QTemporaryDir m_home;
    QString m_shots, m_quickstart, m_recipe;
    std::unique_ptr<MainWindow> m_window;
};

/// Describes everything that is cut off in the visible window; empty: nothing.
QString cutOff(const QWidget* window);

} // namespace rankscope::ui
