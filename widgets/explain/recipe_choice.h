// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>

namespace rankscope::ui {

/// Chooses the recipe that collectives are named by: those that come with the program, the open one, or another file.
class RecipeChoice final : public QComboBox {
    Q_OBJECT
public:
    explicit RecipeChoice(QWidget* parent = nullptr);
    void setOpenRecipe(const QString& path); ///< empty: none is open, or it has no file
    void setRecipe(const QString& path);     ///< empty: those that come with the program
    void retranslate();

signals:
    void chosen(const QString& path); ///< by the user

private:
    void fill();
    void take(int index);
    void browse();

    QString m_open, m_recipe;
};

} // namespace rankscope::ui
