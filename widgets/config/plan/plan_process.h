// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/text/message.h"

#include <QJsonObject>
#include <QObject>
#include <QPointer>
#include <QStringList>

#include <memory>
#include <string>

class QProcess;
class QTemporaryFile;

namespace rankscope::ui {

struct DryRunRequest {
    std::string text;
    QString name; ///< of the recipe, for messages
    QStringList overrides;
    int ranks = 0; ///< 0: from the recipe
    QString folder;
    QString path;          ///< of the recipe, for the commands that start it; empty: it has no file yet
    QString runsDir;       ///< the folder whose free space counts
    QString machine;       ///< to plan for, as --machine takes it; empty: this one
    QStringList manifests; ///< the plan is made again if one of them is written or appears
    bool operator==(const DryRunRequest&) const = default;
};

/// How a plan process ended.
struct PlanEnd {
    bool ok = false;      ///< exit code 0
    bool refused = false; ///< rankscopectl rejected the recipe; false if it could not be run
    QJsonObject plan;     ///< planJson() of core/plan/result/plan.h; empty if none can be read
    Message problem;      ///< its error, or why there is no answer
    QString where;        ///< file, place or key of a refusal; may be empty
};

/// Runs one `rankscopectl plan --json`, which reads the recipe from a private copy.
class PlanProcess final : public QObject {
    Q_OBJECT
public:
    /// How to stop a process whose answer is no longer needed.
    enum class Stop { Kill, Terminate };
    PlanProcess(Stop stop, QObject* parent);
    ~PlanProcess() override;

    /// Starts the process with the arguments `more` after stopping the previous one. Emits ended() unless stop() is
    /// called first; if the process cannot be started, ended() is emitted within this call.
    void start(const DryRunRequest& request, const QStringList& more = {});
    void stop(); ///< returns immediately; emits no signal
    bool isRunning() const { return !m_process.isNull(); }
    QString copyName() const; ///< path of the last recipe's copy

signals:
    void measured(int step, int of); ///< progress of --calibrate
    void ended(const rankscope::ui::PlanEnd& end);

private:
    void readErrors();
    void finish(int exitCode, bool crashed);
    void fail(Message problem);
    void release();

    const Stop m_stop;
    QPointer<QProcess> m_process;
    std::unique_ptr<QTemporaryFile> m_copy;
    QString m_recipe;         ///< its name, for messages
    QByteArray m_said;        ///< whole lines of stderr other than events
    QJsonObject m_error;      ///< the event of an error
    QByteArray m_pendingLine; ///< of stderr, incomplete
};

} // namespace rankscope::ui
