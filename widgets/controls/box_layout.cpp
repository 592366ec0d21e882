// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/box_layout.h"

#include <QSplitter>

namespace rankscope::ui {

template <class Box>
static Box* filled(Box* box, std::initializer_list<BoxItem> items, int spacing, const QMargins& margins) {
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

QHBoxLayout* rowOf(std::initializer_list<BoxItem> items, int spacing, const QMargins& margins) {
    return filled(new QHBoxLayout, items, spacing, margins);
}

QVBoxLayout* columnOf(std::initializer_list<BoxItem> items, int spacing, const QMargins& margins) {
    return filled(new QVBoxLayout, items, spacing, margins);
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
