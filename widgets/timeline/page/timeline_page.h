// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/launch/run/run_annotations.h"

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <vector>

class QLabel;
class QStackedWidget;

namespace rankscope::ui {

class RunSession;
class TimelineFeed;
class TimelineLegend;
class TimelineLoader;
class TimelineNotice;
class TimelinePanes;
class TimelineSearch;
class TimelineToolbar;
class TimelineView;
class TraceBar;

/// Shows a lane per rank with phases, collectives and arrows from waiters to holders; below them details, statistics
/// and who waits for whom in the selected part.
class TimelinePage final : public QWidget {
    Q_OBJECT
public:
    explicit TimelinePage(QWidget* parent = nullptr);
    ~TimelinePage() override;

    void setSession(RunSession* session); ///< null: the empty state
    /// Returns whether everything in view is drawn in all known detail; for screenshots and tests.
    bool isComplete() const;
    TimelineView* view() const { return m_view; }
    void setAnnotations(const std::vector<launch::Annotation>& annotations); ///< of the run, for the axis
    /// Writes the part in view as a Chrome trace, in the background.
    void exportTo(const QString& file);

public slots:
    void showTime(qint64 fromNs, qint64 toNs); ///< since the run's start; windowChanged() is not emitted
    void showAll();                            ///< the same for the whole run
    void showIncident(qint64 id);              ///< zooms to it, as the user would
    void showMoment(qint64 ns);                ///< the same, for a time since the run's start
    void focusSearch();
    void exportTrace(); ///< asks for the file first

signals:
    void windowChanged(double fromSeconds, double toSeconds); ///< by the user; since the run's start
    void stepRequested(qint64 step);
    void logRequested(int rank, qint64 timeNs);
    void incidentRequested(qint64 id);
    void annotationSelected(qint64 id);  ///< its flag was clicked
    void message(const QString& text);   ///< what was done
    void failed(const QString& problem); ///< what could not be done

protected:
    void showEvent(QShowEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void build();
    QWidget* makeContent();
    void connectParts();
    void connectView();
    void connectToolbar();
    void retranslate();
    void updateView();
    void updateLimits();
    void updateNotice();
    void updateRange();
    void updateEmpty();
    void menu(const QPoint& global);

    QPointer<RunSession> m_session;
    TimelineLoader* m_loader;
    QStackedWidget* m_stack = nullptr;
    QLabel* m_empty = nullptr;
    TimelineToolbar* m_toolbar = nullptr;
    TimelineView* m_view = nullptr;
    TimelineFeed* m_feed = nullptr;
    TimelineSearch* m_search = nullptr;
    TimelineLegend* m_legend = nullptr;
    TimelineNotice* m_notice = nullptr;
    TimelinePanes* m_panes = nullptr;
    TraceBar* m_trace = nullptr;
    QTimer m_nowTimer;
    bool m_silent = false;  ///< the window is moved from outside, or by the clock
    bool m_byClock = false; ///< the window moves because time passes
};

} // namespace rankscope::ui
