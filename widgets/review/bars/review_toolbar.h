// SPDX-License-Identifier: GPL-3.0-or-later
// The switches of the plots in one compact row.
#pragma once

#include "widgets/models/curves/curve_axis.h"

#include <QWidget>

class QLabel;
class QMenu;
class QToolButton;

namespace rankscope::ui {

class SmoothingMenu;

class ReviewToolbar final : public QWidget {
    Q_OBJECT
public:
    explicit ReviewToolbar(QWidget* parent = nullptr);

    void setFollow(bool on);
    void setFollowEnabled(bool on);
    void setSmoothing(bool on);
    void setSmoothingHalfLife(double steps);
    void setLogScale(bool on);
    void setIgnoreOutliers(bool on);
    void setAxis(CurveAxis axis);
    void setSamplesEnabled(bool on); ///< if not, its tool tip says why
    static QString noSamplesText();
    void setIncidents(int count);
    void setRangeText(const QString& text);
    QMenu* panes() const { return m_panes; }

signals:
    void followToggled(bool on);
    void smoothingToggled(bool on);
    void smoothingHalfLifeChosen(double steps);
    void logScaleToggled(bool on);
    void ignoreOutliersToggled(bool on);
    void axisChosen(rankscope::ui::CurveAxis axis);
    void zoomInClicked();
    void zoomOutClicked();
    void zoomAllClicked();
    void previousIncidentClicked();
    void nextIncidentClicked();
    void exportClicked();

private:
    QToolButton* toggle();
    QToolButton* button(const char* icon);
    void retranslate();
    void separator();

    QToolButton *m_follow, *m_smooth, *m_log, *m_outliers, *m_step, *m_time, *m_samples, *m_in, *m_out, *m_all,
        *m_previous, *m_next, *m_choose, *m_export;
    int m_incidentCount = 0;
    QLabel *m_incidents, *m_range;
    QMenu* m_panes;
    SmoothingMenu* m_smoothing;
};

} // namespace rankscope::ui
