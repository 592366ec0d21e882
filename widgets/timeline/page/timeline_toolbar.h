// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline page's toolbar: follow, zoom, incidents, search, panes and export.
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace rankscope::ui {

class OneLineLabel;

class TimelineToolbar final : public QWidget {
    Q_OBJECT
public:
    explicit TimelineToolbar(QWidget* parent = nullptr);
    void setFollow(bool on);
    void setFollowShown(bool on);
    void setIncidents(int count);
    void setRangeText(const QString& text);
    void setHitText(const QString& text, const QString& tip, bool any);
    void setDetailsShown(bool on);
    QLineEdit* search() const { return m_search; }

signals:
    void followToggled(bool on);
    void zoomInClicked();
    void zoomOutClicked();
    void zoomAllClicked();
    void previousIncidentClicked();
    void nextIncidentClicked();
    void searchEdited(const QString& text);
    void nextHitClicked();
    void previousHitClicked();
    void leaveSearch(); ///< the focus goes back to the lanes
    void detailsToggled(bool on);
    void exportClicked();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QToolButton* button(const char* icon);
    void retranslate();

    QToolButton *m_follow, *m_in, *m_out, *m_all, *m_previous, *m_next, *m_hitBefore, *m_hitAfter, *m_details,
        *m_export;
    QLabel *m_incidents, *m_hits;
    OneLineLabel* m_range;
    QLineEdit* m_search;
    int m_incidentCount = 0;
};

} // namespace rankscope::ui
