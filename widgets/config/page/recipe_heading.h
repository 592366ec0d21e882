// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QHBoxLayout;
class QLabel;
class QPushButton;

namespace rankscope::ui {

class ConfigFile;

/// Names the open recipe and where it is saved, with buttons for what can be done with its file.
class RecipeHeading final : public QWidget {
    Q_OBJECT
public:
    explicit RecipeHeading(const ConfigFile* file, QWidget* parent = nullptr);
    void showTitle();         ///< the recipe was opened, edited or saved
    void setRunOpen(bool on); ///< offers the settings of the open run
    /// Adds buttons for actions that the window's menus also have.
    void setActions(const QList<QAction*>& actions);
    void retranslate();

signals:
    void settingsRequested(); ///< the user wants to see the settings of the open run

private:
    const ConfigFile* m_file;
    QLabel* m_title;
    QLabel* m_path;
    QPushButton* m_toSettings;
    QHBoxLayout* m_row;
};

} // namespace rankscope::ui
