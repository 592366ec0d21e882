// SPDX-License-Identifier: GPL-3.0-or-later
// Rows and columns of widgets, written as a list.
#pragma once

#include <QBoxLayout>

#include <initializer_list>

class QSplitter;

namespace rankscope::ui {

/// A widget or a layout in a row or column, with its share of the spare room.
struct BoxItem {
    BoxItem(QWidget* one, int share = 0) : widget(one), stretch(share) {}
    BoxItem(QLayout* one, int share = 0) : layout(one), stretch(share) {}
    QWidget* widget = nullptr;
    QLayout* layout = nullptr;
    int stretch;
};
/// An item that takes the room that the others leave.
inline const BoxItem kSpareRoom{static_cast<QWidget*>(nullptr), 1};

/// Sets the margins and the spacing of `box` and adds the items one after the other; returns `box`.
template <class Box>
Box* filledBox(Box* box, const QMargins& margins, int spacing, std::initializer_list<BoxItem> items = {}) {
    box->setContentsMargins(margins);
    box->setSpacing(spacing);
    for (const BoxItem& one : items)
        if (one.widget)
            box->addWidget(one.widget, one.stretch);
        else if (one.layout)
            box->addLayout(one.layout, one.stretch);
        else
            box->addStretch(one.stretch);
    return box;
}
/// Returns a layout to be added to another one or passed to setLayout(). A spacing of -1 is the style's.
QHBoxLayout* rowOf(std::initializer_list<BoxItem> items, int spacing = -1, const QMargins& margins = {});
QVBoxLayout* columnOf(std::initializer_list<BoxItem> items, int spacing = 0, const QMargins& margins = {});
/// Adds widgets that cannot be collapsed to a splitter and gives them their first sizes.
void fillSplitter(QSplitter* split, std::initializer_list<BoxItem> panes, const QList<int>& sizes);

} // namespace rankscope::ui
