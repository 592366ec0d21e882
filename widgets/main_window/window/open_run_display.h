// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/view/run_view.h"

#include <QObject>

#include <optional>

class QWidget;

namespace rankscope::ui {

class BannerRow;
class EndingActions;
class HeaderBar;
class KnownRuns;
class Navigator;
class Notifier;
class PageTabs;
class RunActions;
class RunOpener;
class RunsPanel;
class TourGuide;
class WindowMemory;
struct WindowSettings;

/// Shows the open run on the pages and around them: header, banner, titles, list of runs, and related runs.
class OpenRunDisplay final : public QObject {
    Q_OBJECT
public:
    struct Parts { ///< all must outlive the display
        QWidget* window = nullptr;
        WindowSettings* settings = nullptr;
        HeaderBar* header = nullptr;
        BannerRow* banner = nullptr;
        RunsPanel* runs = nullptr;
        PageTabs* tabs = nullptr;
        Notifier* notifier = nullptr;
        RunOpener* opener = nullptr;
        RunActions* actions = nullptr;
        EndingActions* ending = nullptr;
        KnownRuns* known = nullptr;
        TourGuide* tour = nullptr;
        WindowMemory* memory = nullptr;
        Navigator* navigator = nullptr;
    };
    explicit OpenRunDisplay(const Parts& parts);

    void showTitles(); ///< of the window and the tabs

signals:
    void changed(); ///< what can be done with the run may have changed
    void closed();  ///< no run is open

private:
    void sessionChanged();
    void viewChanged();
    void showRelatedRuns();

    Parts m_parts;
    std::optional<launch::RunState> m_seenState; ///< state of the open run that the list and related runs show
};

} // namespace rankscope::ui
