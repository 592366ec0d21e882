// SPDX-License-Identifier: GPL-3.0-or-later
// Names the colours and signs that are in view.
#pragma once

#include "widgets/controls/legend/sign_legend.h"
#include "widgets/timeline/view/timeline_scene.h"

namespace rankscope::ui {

class TimelineLegend final : public SignLegend {
    Q_OBJECT
public:
    using SignLegend::SignLegend;
    void setScene(const TimelineScene& scene);
    bool hasPhases() const { return m_shown.hasPhases; } ///< in or around the view

private:
    /// What is in view.
    struct Contents {
        std::array<bool, kPhaseCount> phases{};
        bool hasPhases = false, steps = false, waits = false, transfers = false, unknown = false;
        bool arrows = false, incidents = false, flags = false, overview = false;
        friend bool operator==(const Contents&, const Contents&) = default;
    };
    static Contents contentsOf(const TimelineScene& scene);
    static void addLane(Contents& contents, const TimelineLane& lane, PlotRange window);
    QList<LegendEntry> entries() const override;
    QList<LegendEntry> overviewEntries() const;
    QList<LegendEntry> detailEntries() const;

    Contents m_shown;
};

} // namespace rankscope::ui
