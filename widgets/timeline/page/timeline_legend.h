// SPDX-License-Identifier: GPL-3.0-or-later
// Names the colours and signs that are in view.
#pragma once

#include "widgets/timeline/view/timeline_scene.h"

#include <QWidget>

namespace rankscope::ui {

class TimelineLegend final : public QWidget {
    Q_OBJECT
public:
    explicit TimelineLegend(QWidget* parent = nullptr);
    void setScene(const TimelineScene& scene);
    bool hasPhases() const { return m_shown.hasPhases; } ///< in or around the view
    QStringList names() const;                           ///< of the entries
    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    enum class Sign { Fill, Hatch, Arrow, Shade };
    /// What is in view.
    struct Contents {
        std::array<bool, kPhaseCount> phases{};
        bool hasPhases = false, steps = false, waits = false, transfers = false, unknown = false;
        bool arrows = false, incidents = false, overview = false;
        friend bool operator==(const Contents&, const Contents&) = default;
    };
    struct LegendEntry {
        QString name;
        QColor colour;
        Sign sign = Sign::Fill;
    };
    static Contents contentsOf(const TimelineScene& scene);
    static void addLane(Contents& contents, const TimelineLane& lane, PlotRange window);
    QList<LegendEntry> entries() const;
    QList<LegendEntry> overviewEntries() const;
    QList<LegendEntry> detailEntries() const;
    /// Places the entries in `boxes`; returns the height of all.
    int place(int width, QList<QRect>* boxes) const;

    Contents m_shown;
};

} // namespace rankscope::ui
