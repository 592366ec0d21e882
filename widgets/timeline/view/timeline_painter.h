// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/timeline/geometry/timeline_colours.h"
#include "widgets/timeline/view/timeline_scene.h"

#include <QCoreApplication>
#include <QHash>
#include <QImage>
#include <QStaticText>

class QPainter;

namespace rankscope::ui {

/// Paints a scene: spans into an image, which is reused while they stay the same, and everything else over it.
class TimelinePainter {
    Q_DECLARE_TR_FUNCTIONS(TimelinePainter)
public:
    /// `scene` must outlive the painter.
    explicit TimelinePainter(const TimelineScene& scene);

    /// Call it when spans, window, layout or size have changed.
    void invalidate() { m_dirty = true; }
    /// Call it when theme, font or language has changed.
    void restyle();
    /// Paints all of the viewport; `pixelRatio` is that of the device.
    void paint(QPainter& painter, double pixelRatio, bool focused);

private:
    struct LaidOutText {
        QStaticText text;
        double width = 0;
    };

    void rasterise(double pixelRatio);
    void paintIncidents(QPainter& painter) const;
    void paintSteps(QPainter& painter) const;
    void paintTexts(QPainter& painter);
    void paintNow(QPainter& painter) const;
    void paintOpenWaits(QPainter& painter) const;
    double openEndX() const;
    void paintOpenPhase(QPainter& painter, int rank, std::int64_t sinceNs, diagnosis::RankState state,
                        const QString& words) const;
    void paintOpenWait(QPainter& painter, const diagnosis::OpenWait& wait) const;
    void paintOpen(QPainter& painter, const QRectF& box, diagnosis::RankState state, const QString& words) const;
    double lastRecordedNs(int rank) const;
    void paintArrows(QPainter& painter) const;
    void paintMarks(QPainter& painter) const;
    void paintBrush(QPainter& painter) const;
    void paintStepNumbers(QPainter& painter) const;
    void paintAxis(QPainter& painter) const;
    void paintLabels(QPainter& painter) const;
    void outline(QPainter& painter, int rank, const TimelineSpan& span, const QColor& colour, double width) const;
    bool drawInside(QPainter& painter, const QString& text, const QRect& box, const QColor& colour);
    /// Draws both texts, one above the other if there is room for two lines, otherwise side by side; or only the one
    /// that fits.
    void drawBoth(QPainter& painter, const QString& name, const QString& more, const QRect& box, const QColor& colour);

    const TimelineScene& m_scene;
    TimelineColours m_colours;
    QImage m_image; ///< of the lanes
    bool m_dirty = true;
    QHash<QString, LaidOutText> m_texts; ///< layouts by text
};

} // namespace rankscope::ui
