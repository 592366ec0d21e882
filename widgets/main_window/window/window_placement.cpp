// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/window/window_placement.h"

#include <algorithm>

namespace rankscope::ui {

QRect fittedClient(const QRect& client, const QMargins& frame, const QRect& available) {
    const QRect room = available.marginsRemoved(frame);
    QRect fitted(client.topLeft(), client.size().boundedTo(room.size()));
    fitted.moveLeft(std::clamp(fitted.left(), room.left(), std::max(room.left(), room.right() - fitted.width() + 1)));
    fitted.moveTop(std::clamp(fitted.top(), room.top(), std::max(room.top(), room.bottom() - fitted.height() + 1)));
    return fitted;
}

} // namespace rankscope::ui
