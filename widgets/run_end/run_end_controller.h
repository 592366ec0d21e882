// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what a run leaves when there is something new of it, and shows it: in the pane of its end, once it ended, and
// in the pane of checkpoints.
#pragma once

#include "widgets/models/failure/run_end_loader.h"
#include "widgets/models/failure/run_failure.h"
#include "widgets/models/base/background_task.h"

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>

namespace rankscope::ui {

class CheckpointPane;
class EndingPane;
class RunSession;

class RunEnding final : public QObject {
    Q_OBJECT
public:
    RunEnding(EndingPane* pane, CheckpointPane* checkpoints, QObject* parent = nullptr);

    void setSession(RunSession* session);
    void retranslate();
    /// What was closed comes back, and goes.
    void setShown(bool on);
    bool isShown() const { return m_shown; }
    bool hasEnding() const; ///< there is something to show
    bool isComplete() const { return !m_task.isBusy() && !m_again.isActive(); }
    const EndingFacts* facts() const { return m_facts.get(); }
    QString weightsFile() const; ///< the .nemo, or the checkpoint that it can be made of; empty: none

signals:
    void resumeRequested(const QString& checkpoint); ///< empty: the newest
    void relaunchRequested();
    void logRequested(int rank);
    void detailRequested(qint64 incident);
    void exportRequested(const QString& file);
    void checkpointsRequested();
    void shownChanged(); ///< closed, or there is another run

private:
    void viewChanged();
    void load();
    void show();

    EndingPane* m_pane;
    CheckpointPane* m_checkpoints;
    QPointer<RunSession> m_session;
    BackgroundTask m_task{QStringLiteral("run-ending")};
    EndingFactsPtr m_facts;
    QTimer m_again;                          ///< of a live run: not with each commit
    std::int64_t m_seen = -1;                ///< version of the store that was read for
    std::optional<launch::RunState> m_state; ///< as it was read for
    bool m_shown = true;
};

} // namespace rankscope::ui
