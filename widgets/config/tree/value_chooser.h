// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/tree/value_line.h"

#include <QObject>
#include <QPersistentModelIndex>

class QTreeView;
class QWidget;

namespace rankscope::ui {

/// Lets the user choose the value of a cell of the tree in a list editor or a file dialog, and writes it to the cell.
class ValueChooser final : public QObject {
public:
    /// `view`: the widget that owns the tree, this object, and what it opens.
    ValueChooser(QTreeView* tree, QWidget* view);
    /// Opens the editor for `kind` at the cell; the cell may be gone when the user accepts.
    void choose(const QPersistentModelIndex& index, ValueKind kind);

private:
    void browse(const QPersistentModelIndex& index, bool folder);

    QTreeView* m_tree;
    QWidget* m_view;
};

} // namespace rankscope::ui
