// SPDX-License-Identifier: GPL-3.0-or-later
// The window with a recipe, in a language, theme and size; each state is checked for text that does not fit, and with
// RANKSCOPE_SHOTS=DIR written as a picture.
#pragma once

#include "widgets/config/launch/plan_request.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/recipe/recipe_file.h"
#include "widgets/main_window/window/main_window.h"

#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace rankscope::ui {

class ConfigStatesBase : public QObject {
protected:
    /// Once: folders of its own, the real rankscopectl.
    void prepare();
    /// Columns and rows of the data of a test of states.
    void addLooks();
    /// A window of this row's look, on the Configure page; no recipe yet.
    void openWindow();
    void openRecipe(); ///< a copy of the quickstart recipe, planned
    void planned();
    /// Everything fits; and the picture.
    void shot(const char* state);
    void edit(const char* key, const char* yaml);
    void undoAll();
    ConfigPage* page() const { return m_window->findChild<ConfigPage*>(); }

    QTemporaryDir m_home;
    QString m_shots, m_quickstart, m_recipe;
    std::unique_ptr<MainWindow> m_window;
};

/// What is cut off in the visible window, in words; empty: nothing.
QString cutOff(const QWidget* window);

} // namespace rankscope::ui
