// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/waits/wait_report.h"
#include "widgets/models/run/run_session.h"

#include <QPointer>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace rankscope::ui {

class RangePane;
class SharedAxisController;
class WaitsPane;
struct WaitsRequest;

/// Keeps the panes of waits and statistics on the filtered steps or, without a filter, on the part of the run that is
/// in view.
class RangeFigures {
public:
    /// All three must outlive it.
    RangeFigures(const SharedAxisController& controller, WaitsPane* waits, RangePane* statistics);

    /// Sets the run, without a filter, and empties the panes; null: none.
    void setSession(RunSession* session);
    void setFilter(std::optional<store::StepInterval> steps);
    /// Requests the figures again, after the window has moved.
    void request();
    /// Shows the waits in progress of the run's newest view.
    void updateOpenWaits();
    /// Returns whether both panes show what was requested.
    bool isComplete() const;

private:
    void requestRange(const WaitsRequest& request);
    std::filesystem::path storeAt(std::int64_t lastStep) const;

    const SharedAxisController& m_controller;
    WaitsPane* m_waits;
    RangePane* m_statistics;
    QPointer<RunSession> m_session;
    std::optional<store::StepInterval> m_filter;
};

} // namespace rankscope::ui
