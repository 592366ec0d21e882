// SPDX-License-Identifier: GPL-3.0-or-later
// Where a tour stands.
#pragma once

#include "widgets/main_window/help/tour_panel.h"

#include <QPointer>
#include <QString>

namespace rankscope::ui {

enum class TourStep { Banner, Board, Wait, Timeline, Remedy, Configure, Count };

struct Tour {
    TourPanel* panel = nullptr; ///< both are the window's children
    TourOutline* outline = nullptr;
    QString run; ///< the copy's folder
    QString formerRun, formerConfig;
    bool quickstartOpened = false; ///< by the tour, for its last step
    TourStep step = TourStep::Banner;
    bool arrived = false;     ///< the step's page was shown: the recording was read by then
    QPointer<QWidget> target; ///< what the outline surrounds
};

} // namespace rankscope::ui
