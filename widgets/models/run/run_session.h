// SPDX-License-Identifier: GPL-3.0-or-later
// A live or recorded run as the window sees it. It reads run.json, boards and the store on a separate thread and
// reports changes to the window's thread. It never writes to the run; if the supervisor is gone, `rankscopectl show` in
// a child process first brings the run up to date.
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
    Following& following() { return m_following; }  ///< shared by every page that shows this run
    const RunView& view() const { return *m_view; } ///< newest; valid in the window's thread until viewChanged()
    /// Requests a series. Answered by seriesReady() with the same tag; a newer request with that tag replaces a waiting
    /// one.
    void requestSeries(int tag, const SeriesRequest& request);
    /// Reads everything again, for example after a change of language.
    void refresh();
    /// Requests the notes after an id. Answered by notesReady().
    void requestNotes(std::int64_t afterId, int limit);
    /// Requests the native stacks of one incident. Answered by stacksReady().
    void requestStacks(std::int64_t incident);

signals:
    void viewChanged();  ///< view() is new
    void storeChanged(); ///< rows were added
    void stepsChanged(); ///< steps were measured, too: plots may request them again
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
