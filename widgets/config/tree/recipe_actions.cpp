// SPDX-License-Identifier: GPL-3.0-or-later
// What the tree's menu and keys do to the row: edit, add, remove, move, take over, explain.
#include "widgets/config/tree/add_key_bar.h"
#include "widgets/config/tree/list_editor.h"
#include "widgets/config/tree/recipe_filter.h"
#include "widgets/config/tree/recipe_model.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/config/tree/value_delegate.h"
#include "widgets/theme/theme.h"

#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QTreeView>

namespace rankscope::ui {

QString RecipeView::sectionAt(const QModelIndex& index) const {
    if (!index.isValid())
        return {};
    const QString key = index.data(RecipeModel::KeyRole).toString();
    return index.data(RecipeModel::LeafRole).toBool() ? key.section(QLatin1Char('.'), 0, -2) : key;
}

void RecipeView::askForKey() {
    if (m_model->isReadOnly())
        return;
    m_add->ask(sectionAt(m_tree->currentIndex()), m_model->evaluation());
}

/// In the file, so that it can be removed or moved: a key with a line, or a section with such a key.
static bool isWritten(const QModelIndex& index) {
    if (!(index.flags() & Qt::ItemIsDragEnabled)) // nor can that which is only shown
        return false;
    if (index.data(RecipeModel::LeafRole).toBool())
        return index.data(RecipeModel::LineRole).toInt() > 0;
    for (int i = 0; i < index.model()->rowCount(index); ++i)
        if (isWritten(index.model()->index(i, 0, index)))
            return true;
    return false;
}

void RecipeView::removeCurrent() {
    const QModelIndex index = m_tree->currentIndex().siblingAtColumn(0);
    if (index.isValid() && isWritten(index))
        emit removeRequested(index.data(RecipeModel::KeyRole).toString());
}

void RecipeView::moveCurrent(int rows) {
    // among the rows of the recipe, not of what the filter leaves
    const QModelIndex index = m_filter->mapToSource(m_tree->currentIndex().siblingAtColumn(0));
    if (!index.isValid() || !isWritten(index))
        return;
    const QModelIndex parent = index.parent();
    QList<QModelIndex> written;
    for (int i = 0; i < m_model->rowCount(parent); ++i)
        if (const QModelIndex one = m_model->index(i, 0, parent); isWritten(one))
            written << one;
    const auto here = written.indexOf(index), to = here + rows;
    if (here < 0 || to < 0 || to >= written.size())
        return;
    // down by one: before the key after the next; behind the last there is none
    const auto before = rows < 0 ? to : to + 1;
    emit moveRequested(index.data(RecipeModel::KeyRole).toString(), sectionAt(parent),
                       before < written.size() ? written[before].data(RecipeModel::KeyRole).toString() : QString());
}

bool RecipeView::treeKey(QKeyEvent* event) {
    const QModelIndex index = m_tree->currentIndex();
    const bool plain = event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier;
    const bool alt = event->modifiers() == Qt::AltModifier;
    const bool leaf = index.data(RecipeModel::LeafRole).toBool();
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_F2:
        if (!plain)
            return false;
        if (leaf && m_model->isReadOnly())
            emit explainRequested(currentKey());
        else if (leaf)
            m_tree->edit(index.siblingAtColumn(RecipeModel::Yours));
        else if (index.isValid())
            m_tree->setExpanded(index.siblingAtColumn(0), !m_tree->isExpanded(index.siblingAtColumn(0)));
        return true;
    case Qt::Key_Space:
        return plain && leaf && !m_model->isReadOnly() && ValueDelegate::flip(index);
    case Qt::Key_Insert:
        if (plain)
            askForKey();
        return plain;
    case Qt::Key_Delete:
        if (plain)
            removeCurrent();
        return plain;
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (alt)
            moveCurrent(event->key() == Qt::Key_Up ? -1 : 1);
        return alt;
    case Qt::Key_J:
        if (event->modifiers() != Qt::ControlModifier)
            return false;
        if (const int line = index.data(RecipeModel::LineRole).toInt(); line > 0)
            emit textRequested(line);
        return true;
    default:
        return false;
    }
}

void RecipeView::fillMenu(QMenu* menu, const QModelIndex& index) {
    const QString key = index.data(RecipeModel::KeyRole).toString();
    const QString yours = index.siblingAtColumn(RecipeModel::Yours).data().toString();
    const bool leaf = index.data(RecipeModel::LeafRole).toBool(), written = isWritten(index.siblingAtColumn(0));
    if (m_model->isReadOnly()) {
        menu->addAction(tr("Copy key"), this, [key] { QGuiApplication::clipboard()->setText(key); });
        menu->addAction(tr("Copy value"), this, [yours] { QGuiApplication::clipboard()->setText(yours); });
        return;
    }
    const auto add = [&](const QString& text, QKeySequence keys, auto&& done) {
        QAction* action = menu->addAction(text, this, std::forward<decltype(done)>(done));
        action->setShortcut(keys); // shown only: the tree itself takes its keys
        action->setShortcutVisibleInContextMenu(true);
        return action;
    };
    if (leaf) {
        const QPersistentModelIndex cell = index.siblingAtColumn(RecipeModel::Yours);
        add(tr("Edit"), Qt::Key_Return, [this, cell] {
            if (cell.isValid())
                m_tree->edit(cell);
        });
        add(tr("Explain"), Qt::CTRL | Qt::Key_I, [this, key] { emit explainRequested(key); });
        const int line = index.data(RecipeModel::LineRole).toInt();
        add(tr("Show in the text"), Qt::CTRL | Qt::Key_J, [this, line] {
            emit textRequested(line);
        })->setEnabled(line > 0);
        menu->addSeparator();
    }
    add(tr("Add a key…"), Qt::Key_Insert, [this] { askForKey(); });
    add(tr("Remove from your file"), Qt::Key_Delete, [this, key] { emit removeRequested(key); })->setEnabled(written);
    add(tr("Move up"), Qt::ALT | Qt::Key_Up, [this] { moveCurrent(-1); })->setEnabled(written);
    add(tr("Move down"), Qt::ALT | Qt::Key_Down, [this] { moveCurrent(1); })->setEnabled(written);
    menu->addSeparator();
    menu->addAction(tr("Copy key"), this, [key] { QGuiApplication::clipboard()->setText(key); });
    const auto adopt = [&](int column, auto&& label) {
        const QString value = index.siblingAtColumn(column).data().toString();
        if (leaf && !value.isEmpty() && value != yours && value != QLatin1String("???"))
            menu->addAction(label(value), this, [this, key, value] { emit m_model->editRequested(key, value); });
    };
    adopt(RecipeModel::NemoYaml, [](const QString& value) { return tr("Take NeMo YAML's value: %1").arg(value); });
    adopt(RecipeModel::NemoCode, [](const QString& value) { return tr("Take the code's default: %1").arg(value); });
    for (int column : {RecipeModel::OtherA, RecipeModel::OtherB})
        adopt(column, [&](const QString& value) {
            const QString title = m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
            return tr("Take the value of %1: %2").arg(title, value);
        });
}

void RecipeView::showMenu(const QPoint& at) {
    const QModelIndex index = m_tree->indexAt(at);
    if (!index.isValid())
        return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillMenu(menu, index);
    menu->popup(m_tree->viewport()->mapToGlobal(at));
}

void RecipeView::chooseValue(const QPersistentModelIndex& index, ValueKind kind) {
    if (!index.isValid())
        return;
    if (kind != ValueKind::List)
        return browse(index, kind == ValueKind::Folder);
    const QModelIndex source = m_filter->mapToSource(index);
    const config::KeyRow* row = m_model->row(source);
    auto* editor = new ListEditor(index.data(RecipeModel::KeyRole).toString(), row ? row->spec : nullptr,
                                  index.data(Qt::EditRole).toString(), this);
    connect(editor, &ListEditor::accepted, this, [this, index](const QString& yaml) {
        if (index.isValid())
            m_filter->setData(index, yaml);
        m_tree->setFocus();
    });
    // within the window: a list at its lower edge opens upwards
    const QRect cell(m_tree->viewport()->mapToGlobal(m_tree->visualRect(index).topLeft()),
                     m_tree->visualRect(index).size());
    editor->adjustSize();
    const int lowest = window()->mapToGlobal(window()->rect().bottomLeft()).y();
    const bool above = cell.bottom() + editor->height() > lowest;
    editor->move(cell.left(), above ? cell.top() - editor->height() : cell.bottom());
    editor->show();
}

void RecipeView::browse(const QPersistentModelIndex& index, bool folder) {
    const QString now = listItems(index.data(Qt::EditRole).toString()).value(0);
    auto* dialog = new QFileDialog(this, index.data(RecipeModel::KeyRole).toString(), QFileInfo(now).absolutePath());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this, index](const QString& path) {
        if (index.isValid())
            m_filter->setData(index, quotedPath(path));
    });
    dialog->open();
}

} // namespace rankscope::ui
