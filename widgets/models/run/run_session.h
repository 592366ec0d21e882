// SPDX-License-Identifier: GPL-3.0-or-later
// One run as the window sees it, live or recorded: reads run.json, boards and the store on a thread of its own and
// tells the window's thread what changed. It never writes to the run; a run whose supervisor is gone is brought up to
// date by `rankscopectl show` in a child process first.
#pragma once

#include "core/launch/run/run_folder.h"
#include "widgets/models/run/run_series_reader.h"
#include "widgets/models/view/follow_state.h"
#include "widgets/models/view/run_view.h"

#include <QObject>

#include <cstdint>
#include <vector>

class QThread;

namespace rankscope::ui {

class RunPoller;

class RunSession : public QObject {
    Q_OBJECT
public:
    explicit RunSession(launch::RunPaths run, QObject* parent = nullptr);
    ~RunSession() override;

    const launch::RunPaths& run() const { return m_run; }
    Following& following() { return m_following; }  ///< of every page that shows this run
    const RunView& view() const { return *m_view; } ///< the newest; window's thread, until the next viewChanged()
    /// Answered by seriesReady() with the same tag; a newer request with the same tag replaces one that waits.
    void requestSeries(int tag, const SeriesRequest& request);
    /// Reads everything again, as after a change of language.
    void refresh();
    /// Answered by notesReady(): notes after an id.
    void requestNotes(std::int64_t afterId, int limit);
    /// Answered by stacksReady(): native stacks of one incident.
    void requestStacks(std::int64_t incident);

signals:
    void viewChanged();  ///< view() is new
    void storeChanged(); ///< rows were added
    void stepsChanged(); ///< of steps, too: plots may ask again
    void seriesReady(int tag, const rankscope::ui::SeriesReply& reply);
    void notesReady(const std::vector<rankscope::store::Note>& notes);
    void stacksReady(qint64 incident, const std::vector<rankscope::store::StackRow>& stacks);

private:
    launch::RunPaths m_run;
    Following m_following;
    RunViewPtr m_view; ///< shared with the reader: never copied in the window's thread
    QThread* m_thread;
    RunPoller* m_poller; ///< lives in m_thread, deleted with it
};

} // namespace rankscope::ui
