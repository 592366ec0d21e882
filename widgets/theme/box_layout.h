// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBoxLayout>

#include <initializer_list>

namespace rankscope::ui {

/// Sets the margins and the spacing of `box` and adds the widgets one after the other; returns `box`.
template <typename Box>
Box* filledBox(Box* box, const QMargins& margins, int spacing, std::initializer_list<QWidget*> widgets = {}) {
    box->setContentsMargins(margins);
    box->setSpacing(spacing);
    for (QWidget* widget : widgets)
        box->addWidget(widget);
    return box;
}

} // namespace rankscope::ui
