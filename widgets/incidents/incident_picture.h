// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diagnosis/model/incident.h"
#include "widgets/models/timeline/timeline_loader.h"
#include "widgets/timeline/view/timeline_painter.h"
#include "widgets/timeline/view/timeline_scene.h"

#include <QTimer>
#include <QWidget>

#include <filesystem>

namespace rankscope::ui {

/// Consecutive ranks.
struct RankRange {
    int first = 0, count = 0;
    friend bool operator==(const RankRange&, const RankRange&) = default;
};

/// Returns the ranks whose lanes are shown: its first holder, and of the ranks next to it as many waiters as possible;
/// at most `most` of `ranks`.
RankRange pictureRanks(const diagnosis::Incident& incident, int ranks, int most);

/// Returns the time that is shown, in ns since the run's start: that of the incident, until `nowNs` (monotonic) if it
/// is open, and a little before and after it. Of a rank that is slow in every step, the last few steps.
PlotRange pictureTime(const diagnosis::Incident& incident, std::int64_t startNs, std::int64_t nowNs);

/// Shows what the holder and the waiters of an incident did meanwhile, as lanes of the Timeline. It reads them in the
/// background, and only while it is visible.
class IncidentPicture final : public QWidget {
    Q_OBJECT
public:
    static constexpr int kMostLanes = 4; ///< with more of them, the scene would make room for its summary

    explicit IncidentPicture(QWidget* parent = nullptr);
    ~IncidentPicture() override { m_loader.cancel(); }

    void setIncident(const diagnosis::Incident& incident, const RunView& run, const std::filesystem::path& store);
    void clear();
    /// Call it when the store has more rows: what was not recorded before is read again.
    void storeChanged();
    void retranslate();
    bool isComplete() const { return m_scene.isServed() && !m_loader.isBusy(); } ///< for tests and screenshots
    const TimelineScene& scene() const { return m_scene; }
    /// Returns the longest phase and the longest wait of each rank shown, for screen readers.
    QString description() const;
    QSize sizeHint() const override;

signals:
    void activated(); ///< a double-click or Enter

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    void ask();
    void take(const TimelineReplyPtr& reply);
    void updateScene(const RunView& run);
    void redraw();
    QString notice() const;
    QString tipAt(const QPoint& pixel) const;

    diagnosis::Incident m_incident; ///< id 0: none
    std::filesystem::path m_store;
    RankRange m_ranks;
    TimelineScene m_scene;
    TimelinePainter m_painter{m_scene};
    TimelineLoader m_loader;
    QTimer m_again;         ///< until what is in view is read again
    bool m_isStale = false; ///< the store has more than what was read
    QString m_problem;
};

} // namespace rankscope::ui
