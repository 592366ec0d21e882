// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/box_layout.h"

#include <QSplitter>

namespace rankscope::ui {

QHBoxLayout* rowOf(std::initializer_list<BoxItem> items, int spacing, const QMargins& margins) {
    return filledBox(new QHBoxLayout, margins, spacing, items);
}

QVBoxLayout* columnOf(std::initializer_list<BoxItem> items, int spacing, const QMargins& margins) {
    return filledBox(new QVBoxLayout, margins, spacing, items);
}

void fillSplitter(QSplitter* split, std::initializer_list<BoxItem> panes, const QList<int>& sizes) {
    split->setChildrenCollapsible(false);
    for (const BoxItem& one : panes) {
        split->addWidget(one.widget);
        split->setStretchFactor(split->count() - 1, one.stretch);
    }
    split->setSizes(sizes);
}

} // namespace rankscope::ui
