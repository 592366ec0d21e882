// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline page: a lane per rank with phases and collectives, arrows from waiters to holders, details, search, who
// waits for whom in the selected part.
#pragma once

#include "widgets/models/view/run_view.h"

#include <QWidget>

#include <memory>

namespace rankscope::ui {

class RunSession;

class TimelineView;

class TimelinePage : public QWidget {
    Q_OBJECT
public:
    explicit TimelinePage(QWidget* parent = nullptr);
    ~TimelinePage() override;

    void setSession(RunSession* session); ///< null: the empty state
    /// For screenshots and tests: what is in view is drawn as fine as it is known.
    bool isComplete() const;
    TimelineView* view() const;
    /// Writes the part in view as a Chrome trace, in the background.
    void exportTo(const QString& file);

public slots:
    void showTime(qint64 fromNs, qint64 toNs); ///< since the run's start; answered by no windowChanged()
    void focusSearch();
    void exportTrace(); ///< asks where

signals:
    void windowChanged(double fromSeconds, double toSeconds); ///< by the user; since the run's start
    void stepRequested(qint64 step);
    void logRequested(int rank, qint64 timeNs);
    void incidentRequested(qint64 id);
    void message(const QString& text);   ///< what was done
    void failed(const QString& problem); ///< what could not be done

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace rankscope::ui
