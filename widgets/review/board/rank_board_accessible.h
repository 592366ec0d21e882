// SPDX-License-Identifier: GPL-3.0-or-later
// The rank board for screen readers: a list with an item for each rank, which says what the rank does.
#pragma once

namespace rankscope::ui {

class RankBoard;

/// Once, before a board is made.
void installBoardAccess();
/// The keyboard moved to another tile of a board that has the focus.
void tellCurrentTile(RankBoard* board);

} // namespace rankscope::ui
