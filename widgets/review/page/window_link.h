// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/curves/curve_axis.h"
#include "widgets/plots/axes/plot_range.h"

#include <QObject>

namespace rankscope::ui {

class SharedAxisController;

/// Links the plots' window with the time that other pages show, without sending a time back to the page that set it.
class WindowLink final : public QObject {
    Q_OBJECT
public:
    WindowLink(SharedAxisController& controller, QObject* parent); ///< the controller must outlive it

    void clear();                              ///< call it before another run is shown
    void showTime(qint64 fromNs, qint64 toNs); ///< set by another page
    void showAll();                            ///< the same for the whole run
    void publish();                            ///< call it after the plots have moved to the controller's window

signals:
    void movedHere(); ///< the window is about to be moved on this page
    void rangeChanged(rankscope::ui::PlotRange range, rankscope::ui::CurveAxis axis);
    void windowChanged(double fromSeconds, double toSeconds); ///< since the run's start; moved on this page

private:
    SharedAxisController& m_controller;
    bool m_linked = false;             ///< another page's window is being shown
    bool m_isOwnWindow = true;         ///< the window was chosen here: other pages are informed of it
    PlotRange m_publishedRange{0, -1}; ///< seconds, as last sent to other pages
};

} // namespace rankscope::ui
