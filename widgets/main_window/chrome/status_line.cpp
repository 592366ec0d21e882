// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/chrome/status_line.h"

#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/theme.h"

#include <QPainter>

#include <algorithm>

namespace rankscope::ui {

static constexpr int kSideMargin = 12, kSpare = 4; ///< kSpare: text may be drawn slightly wider than measured

StatusLine::StatusLine(QWidget* parent) : QStatusBar(parent) {
    setSizeGripEnabled(false);
    connect(this, &QStatusBar::messageChanged, this, &StatusLine::fit);
    fit();
}

void StatusLine::setRoom(int width) {
    if (width == m_room)
        return;
    m_room = width;
    fit();
}

void StatusLine::fit() {
    const QString text = currentMessage();
    const QFontMetrics metrics(secondaryFont());
    const int wanted = text.isEmpty() ? 0 : metrics.horizontalAdvance(text) + 2 * kSideMargin + kSpare;
    m_size = QSize(std::min(wanted, std::max(0, m_room)), metrics.height() + 12);
    setFixedSize(m_size);
    updateGeometry();
    setToolTip(plainToolTip(text));
    setAccessibleName(text);
    update();
}

void StatusLine::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(secondaryFont());
    painter.setPen(Theme::instance().palette().secondary);
    const QRect box = rect().adjusted(kSideMargin, 0, -kSideMargin, 0);
    painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
                     painter.fontMetrics().elidedText(currentMessage(), Qt::ElideRight, box.width()));
}

} // namespace rankscope::ui
