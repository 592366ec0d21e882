// SPDX-License-Identifier: GPL-3.0-or-later
// Texts about runs of the user's own program, which Rankscope watches. It knows a recipe only if the program named one.
#pragma once

#include "core/launch/run/run_info.h"

#include <QString>
#include <QStringList>

namespace rankscope::ui {

/// Returns a command as it would be typed into a shell: words that need it are in single quotes.
QString commandText(const std::vector<std::string>& words);
/// Returns "12 ranks"; of a run whose first rank has not reported yet, "waiting for the first rank…", or "no rank was
/// seen" if it has ended.
QString rankCountText(const launch::RunInfo& info);
/// Returns why what needs a recipe is not available.
QString noRecipeText();
/// Returns why the run cannot be launched again with changes; empty: it can.
QString relaunchObstacle(const launch::RunInfo& info);

} // namespace rankscope::ui
