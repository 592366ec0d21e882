// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a run's results when there are new ones and shows them: in the pane of its end, once it has ended, and in the
// pane of checkpoints.
#pragma once

#include "widgets/models/base/background_task.h"
#include "widgets/models/failure/run_end_loader.h"
#include "widgets/models/failure/run_failure.h"

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>

namespace rankscope::ui {

class CheckpointPane;
class RunEndPane;
class RunSession;

class RunEndController final : public QObject {
    Q_OBJECT
public:
    RunEndController(RunEndPane* pane, CheckpointPane* checkpoints, QObject* parent = nullptr);

    void setSession(RunSession* session);
    /// Sets the folder of the newest run that was resumed from this one, which is offered before resuming again; empty:
    /// there is none.
    void setResumedBy(const QString& runDir);
    void retranslate();
    /// Shows the end again after it was closed, or hides it.
    void setShown(bool on);
    bool isShown() const { return m_shown; }
    bool hasEnding() const; ///< whether there is an end to show
    bool isComplete() const { return !m_task.isBusy() && !m_again.isActive(); }
    const EndingFacts* facts() const { return m_facts.get(); }
    QString weightsFile() const; ///< the .nemo, or the checkpoint to export it from; empty: none

signals:
    void resumeRequested(const QString& checkpoint); ///< empty: the newest
    void runRequested(const QString& runDir);        ///< to be opened
    void relaunchRequested();
    void logRequested(int rank);
    void detailRequested(qint64 incident);
    void exportRequested(const QString& file);
    void checkpointsRequested();
    void shownChanged(); ///< it was closed, or another run was opened

private:
    void viewChanged();
    void load();
    void show();

    RunEndPane* m_pane;
    CheckpointPane* m_checkpoints;
    QPointer<RunSession> m_session;
    BackgroundTask m_task{QStringLiteral("run-ending")};
    EndingFactsPtr m_facts;
    QString m_resumedBy;                     ///< folder of the newest run that was resumed from it; empty: none
    QTimer m_again;                          ///< limits how often a live run is read; its store changes more often
    std::int64_t m_seen = -1;                ///< store version at the last reading
    std::optional<launch::RunState> m_state; ///< run state at the last reading
    bool m_shown = true;
};

} // namespace rankscope::ui
