// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/timeline/view/timeline_lanes.h"

namespace rankscope::ui {

/// The timeline's lanes with what the mouse and the keys do on them: zooming, panning, selecting, and tool tips.
class TimelineView final : public TimelineLanes {
    Q_OBJECT
public:
    explicit TimelineView(QWidget* parent = nullptr);

signals:
    void brushFinished();  ///< the mouse button was released
    void causeRequested(); ///< for the selected wait
    void detailsRequested();
    void incidentActivated(qint64 id);
    void annotationActivated(qint64 id); ///< its flag was clicked, and is selected
    void menuRequested(const QPoint& global);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    void moveSelection(int along, int across);
    bool letterKey(int key);
    void activateAnnotation(qint64 id);
    QString tipAt(const QPoint& pixel) const;

    enum class TimelineDrag { None, Pan, Brush, BrushOrClick };
    TimelineDrag m_drag = TimelineDrag::None;
    QPoint m_pressed, m_last;
    bool m_moved = false;
};

} // namespace rankscope::ui
