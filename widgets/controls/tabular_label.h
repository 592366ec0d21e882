// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace rankscope::ui {

/// Shows a figure that changes many times a second. The label's size is fixed and only ever grows: a label that could
/// change its size would lay out and repaint the whole window with each text.
inline void setFigure(QLabel* label, const QString& text) {
    label->setText(text);
    if (const QSize wanted = label->sizeHint().expandedTo(label->minimumSize()); wanted != label->minimumSize())
        label->setFixedSize(wanted);
}

} // namespace rankscope::ui
