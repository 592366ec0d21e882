// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explain/recipe_choice.h"

#include "widgets/models/text/tool_tip.h"

#include <QFileDialog>
#include <QFileInfo>

namespace rankscope::ui {

RecipeChoice::RecipeChoice(QWidget* parent) : QComboBox(parent) {
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(24);
    connect(this, &QComboBox::activated, this, &RecipeChoice::take);
    fill();
}

void RecipeChoice::setOpenRecipe(const QString& path) {
    if (path == m_open)
        return;
    m_open = path;
    fill();
}

void RecipeChoice::setRecipe(const QString& path) {
    m_recipe = path;
    fill();
}

void RecipeChoice::retranslate() {
    setAccessibleName(tr("Recipe that collectives are named by"));
    fill();
}

/// Lists the recipes by name, with their paths as data; the last entry has none.
void RecipeChoice::fill() {
    clear();
    addItem(tr("NEST recipes of all sizes"), QString());
    if (!m_open.isEmpty())
        addItem(tr("Open recipe: %1").arg(QFileInfo(m_open).fileName()), m_open);
    if (!m_recipe.isEmpty() && m_recipe != m_open)
        addItem(QFileInfo(m_recipe).fileName(), m_recipe);
    addItem(tr("Choose a recipe…"));
    setCurrentIndex(m_recipe.isEmpty() ? 0 : findData(m_recipe));
    setToolTip(plainToolTip(m_recipe));
}

void RecipeChoice::take(int index) {
    const QVariant path = itemData(index);
    if (!path.isValid())
        return browse();
    if (path.toString() == m_recipe)
        return;
    setRecipe(path.toString());
    emit chosen(m_recipe);
}

void RecipeChoice::browse() {
    fill(); // the choice stays until a file is chosen
    auto* dialog = new QFileDialog(this, tr("Recipe that was trained"),
                                   QFileInfo(m_recipe.isEmpty() ? m_open : m_recipe).absolutePath(),
                                   tr("YAML files (*.yaml *.yml);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        setRecipe(path);
        emit chosen(path);
    });
    dialog->open();
}

} // namespace rankscope::ui
