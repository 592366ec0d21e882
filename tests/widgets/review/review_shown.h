// SPDX-License-Identifier: GPL-3.0-or-later
// The real page over a real store, with helpers for its tests.
#pragma once

#include "tests/widgets/synthetic_run.h"
#include "widgets/models/run/run_session.h"
#include "widgets/plots/overview/overview_strip.h"
#include "widgets/plots/plot/rank_plot.h"
#include "widgets/review/page/review_page.h"
#include "widgets/theme/theme.h"

#include <QAccessible>
#include <QTest>

#include <array>
#include <cmath>
#include <memory>

namespace rankscope::test {

using launch::RunState;
using ui::RankPlot;
using ui::ReviewPage;
using ui::RunSession;
using ui::Theme;

inline RankStep describe(int rank, std::int64_t step) {
    RankStep s;
    s.loss = 7 * std::exp(-0.01 * static_cast<double>(step)) + 0.2 * rank;
    s.frames = 400 + 100 * rank + (step % 7) * 20;
    s.lateNs = rank == 1 ? 20'000'000 : 0;
    if (rank == 1 && step == 60)
        s.lateNs = 3'000'000'000;
    return s;
}

/// Counts pixels on the panel that are covered at least half by this colour: lines are blended at their edges.
inline int pixelsLike(const QImage& image, const QColor& colour, const QRect& within) {
    const QColor ground = Theme::instance().palette().panel;
    const auto channels = [](const QColor& c) {
        return std::array{double(c.red()), double(c.green()), double(c.blue())};
    };
    const auto from = channels(ground), to = channels(colour);
    double length = 0;
    for (std::size_t i = 0; i < 3; ++i)
        length += (to[i] - from[i]) * (to[i] - from[i]);
    int n = 0;
    for (int y = within.top(); y <= within.bottom(); ++y)
        for (int x = within.left(); x <= within.right(); ++x) {
            const auto c = channels(image.pixelColor(x, y));
            double share = 0, off = 0;
            for (std::size_t i = 0; i < 3; ++i)
                share += (c[i] - from[i]) * (to[i] - from[i]) / length;
            for (std::size_t i = 0; i < 3; ++i)
                off += std::abs(c[i] - from[i] - share * (to[i] - from[i]));
            n += share > 0.5 && share < 1.1 && off < 24;
        }
    return n;
}

/// Returns a widget's description for screen readers.
inline QString spoken(QWidget* widget) {
    return QAccessible::queryAccessibleInterface(widget)->text(QAccessible::Description);
}

struct Shown {
    explicit Shown(const SyntheticRun& run, QSize size = {1180, 760})
        : session(std::make_unique<RunSession>(run.paths())) {
        page.resize(size);
        page.show();
        page.setSession(session.get());
    }
    bool complete() {
        return QTest::qWaitFor([this] { return page.isComplete(); }, 10'000);
    }
    QList<RankPlot*> plots() const {
        QList<RankPlot*> found;
        for (const char* name : {"lossPlot", "lengthPlot", "waitPlot"})
            found << page.findChild<RankPlot*>(QLatin1String(name));
        return found;
    }

    std::unique_ptr<RunSession> session;
    ReviewPage page;
};

inline std::unique_ptr<SyntheticRun> ended(int ranks = 2, std::int64_t steps = 120) {
    auto run = std::make_unique<SyntheticRun>(ranks, RunState::Running, steps);
    run->addSteps(steps, describe);
    run->addIncident(1, diagnosis::Cause::DataLoading, 1, std::min<std::int64_t>(60, steps - 1), 3'000'000'000);
    run->addEnds(telemetry::EndCause::Finished);
    run->finishStore();
    run->setState(RunState::Finished);
    return run;
}

} // namespace rankscope::test
