// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/timeline/timeline_loader.h"

#include <QTimer>

#include <filesystem>

namespace rankscope::ui {

class TimelineToolbar;
class TimelineView;

/// Searches a run for the text in the toolbar's search line, and steps from hit to hit.
class TimelineSearch final : public QObject {
    Q_OBJECT
public:
    /// The parent owns all three.
    TimelineSearch(TimelineToolbar* toolbar, TimelineView* view, TimelineLoader* loader, QObject* parent);

    /// Sets the run's store and clears the previous run's search. An empty path means no run.
    void setStore(const std::filesystem::path& store);

signals:
    void failed(const QString& problem);

private:
    void start();
    void take(const TimelineHits& found);
    void step(int direction);
    void show();
    void clearHits();
    static QString searchedText();

    TimelineToolbar* m_toolbar;
    TimelineView* m_view;
    TimelineLoader* m_loader;
    std::filesystem::path m_store;
    QTimer m_timer; ///< active while the user types
    TimelineHits m_hits;
    int m_hit = -1; ///< index of the current one
};

} // namespace rankscope::ui
