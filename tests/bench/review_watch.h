// SPDX-License-Identifier: GPL-3.0-or-later
// The real window over a run, offscreen; when its plots were painted, and what memory the process takes.
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

/// Notes when each plot was painted last.
class PaintWatch final : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override;
    void watch(QList<ui::RankPlot*> plots) { m_plots = std::move(plots); }
    const QList<ui::RankPlot*>& plots() const { return m_plots; }
    /// All visible plots were painted at or after this moment; 0: not all.
    std::int64_t paintedSince(std::int64_t ns) const;
    std::int64_t lastPaint() const;

    /// Handles events until `done`; false: not within so many seconds.
    bool until(const std::function<bool()>& done, double seconds = 60);

private:
    QList<ui::RankPlot*> m_plots;
    QHash<const QObject*, std::int64_t> m_painted;
};

struct ReviewWindow {
    PaintWatch& app;
    std::unique_ptr<ui::MainWindow> window;
    ui::ReviewPage* page = nullptr;
    std::int64_t began = 0; ///< when the run was asked for

    ReviewWindow(PaintWatch& application, const std::filesystem::path& runDir);
    /// Nothing is asked for any more and all is painted; the moment at which it was.
    std::int64_t untilComplete();
};

struct Memory {
    double nowMb = 0, mostMb = 0; ///< MB of 10^6 bytes
    static Memory read();
};

} // namespace rankscope::bench
