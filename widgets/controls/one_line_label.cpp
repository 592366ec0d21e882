// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/one_line_label.h"

#include "widgets/models/text/tool_tip.h"

namespace rankscope::ui {

void OneLineLabel::setFullText(const QString& text) {
    if (text == m_full)
        return;
    m_full = text;
    updateGeometry();
    elide();
}

void OneLineLabel::elide() {
    const QString shown = fontMetrics().elidedText(m_full, Qt::ElideRight, contentsRect().width());
    setText(shown);
    setToolTip(shown == m_full ? QString() : plainToolTip(m_full));
    setAccessibleName(m_full);
}

QSize OneLineLabel::sizeHint() const {
    return {fontMetrics().horizontalAdvance(m_full) + 4, QLabel::sizeHint().height()};
}

QSize OneLineLabel::minimumSizeHint() const {
    return {24, QLabel::minimumSizeHint().height()};
}

void OneLineLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    elide();
}

} // namespace rankscope::ui
