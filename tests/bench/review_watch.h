// SPDX-License-Identifier: GPL-3.0-or-later
// The real window with a run, offscreen; records when its plots were painted and how much memory the process uses.
#pragma once

#include "core/base/values/clock.h"
#include "tests/bench/page_watch.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/plots/plot/rank_plot.h"
#include "widgets/review/page/review_page.h"

#include <QApplication>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace rankscope::bench {

/// Records when each plot was last painted.
class PaintWatch final : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override;
    void watch(QList<ui::RankPlot*> plots) { m_plots = std::move(plots); }
    const QList<ui::RankPlot*>& plots() const { return m_plots; }
    /// Returns when the last of all visible plots was painted, if all were painted at or after `ns`; else 0.
    std::int64_t paintedSince(std::int64_t ns) const;
    std::int64_t lastPaint() const;

    /// Handles events until `done` returns true; returns false if that takes more than `seconds`.
    bool until(const std::function<bool()>& done, double seconds = 60);

private:
    QList<ui::RankPlot*> m_plots;
    QHash<const QObject*, std::int64_t> m_painted;
};

struct ReviewWindow {
    PaintWatch& app;
    std::unique_ptr<ui::MainWindow> window;
    ui::ReviewPage* page = nullptr;
    std::int64_t began = 0; ///< when the run was requested

    ReviewWindow(PaintWatch& application, const std::filesystem::path& runDir);
    /// Waits until no request is pending and everything is painted; returns the moment when it was.
    std::int64_t untilComplete();
};

struct Memory {
    double nowMb = 0, mostMb = 0; ///< MB of 10^6 bytes
    static Memory read();
};

} // namespace rankscope::bench
