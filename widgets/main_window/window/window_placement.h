// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps a window with its frame on the screen.
#pragma once

#include <QMargins>
#include <QRect>

namespace rankscope::ui {

/// The client area nearest to `client` that lies in `available` together with its frame.
QRect fittedClient(const QRect& client, const QMargins& frame, const QRect& available);

} // namespace rankscope::ui
