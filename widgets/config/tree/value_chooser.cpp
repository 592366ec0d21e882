// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/tree/value_chooser.h"

#include "widgets/config/model/recipe_model.h"
#include "widgets/config/tree/list_editor.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QTreeView>

namespace rankscope::ui {

ValueChooser::ValueChooser(QTreeView* tree, QWidget* view) : QObject(view), m_tree(tree), m_view(view) {}

void ValueChooser::choose(const QPersistentModelIndex& index, ValueKind kind) {
    if (!index.isValid())
        return;
    if (kind != ValueKind::List)
        return browse(index, kind == ValueKind::Folder);
    const auto* spec = static_cast<const config::KeySpec*>(index.data(RecipeModel::SpecRole).value<const void*>());
    auto* editor =
        new ListEditor(index.data(RecipeModel::KeyRole).toString(), spec, index.data(Qt::EditRole).toString(), m_view);
    connect(editor, &ListEditor::accepted, this, [this, index](const QString& yaml) {
        if (index.isValid())
            m_tree->model()->setData(index, yaml);
        m_tree->setFocus();
    });
    // keep it within the window: at the lower edge, a list opens upwards
    const QRect cell(m_tree->viewport()->mapToGlobal(m_tree->visualRect(index).topLeft()),
                     m_tree->visualRect(index).size());
    editor->adjustSize();
    const int lowest = m_view->window()->mapToGlobal(m_view->window()->rect().bottomLeft()).y();
    const bool above = cell.bottom() + editor->height() > lowest;
    editor->move(cell.left(), above ? cell.top() - editor->height() : cell.bottom());
    editor->show();
}

void ValueChooser::browse(const QPersistentModelIndex& index, bool folder) {
    const QString now = listItems(index.data(Qt::EditRole).toString()).value(0);
    auto* dialog = new QFileDialog(m_view, index.data(RecipeModel::KeyRole).toString(), QFileInfo(now).absolutePath());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this, index](const QString& path) {
        if (index.isValid())
            m_tree->model()->setData(index, quotedPath(path));
    });
    dialog->open();
}

} // namespace rankscope::ui
