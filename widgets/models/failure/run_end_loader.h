// SPDX-License-Identifier: GPL-3.0-or-later
// What is told of a run's end beside its view: checkpoints and weights, memory at the last sample, the end of a log.
// Read on a thread of its own.
#pragma once

#include "core/launch/run/checkpoint_list.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QThread>

#include <atomic>
#include <memory>
#include <vector>

namespace rankscope::ui {

struct EndingRequest {
    launch::RunPaths run;
    int ranks = 0;
    std::int64_t endNs = 0; ///< of the run, since its start; 0: memory is not asked for
    int logRank = -1;       ///< whose log; -1: none
};

struct EndingFacts {
    struct Memory {
        int rank = 0;
        std::int64_t rssBytes = -1;
    };

    launch::RunPaths run;
    launch::RunCheckpoints checkpoints;
    QString problem;                              ///< why they cannot be listed
    std::vector<Memory> memory;                   ///< at the last sample, by rank
    std::int64_t usedBytes = -1, limitBytes = -1; ///< of the control group or host, then
    std::int64_t memoryNs = -1;                   ///< when that was, since the run's start
    QStringList logLines;                         ///< the last ones
    int logRank = -1;
    QString modelClass; ///< of NeMo, with its module
};
using EndingFactsPtr = std::shared_ptr<const EndingFacts>;

/// Plain call, for the loader and tests.
EndingFacts readEnding(const EndingRequest& request);

class EndingLoader final : public QObject {
    Q_OBJECT
public:
    explicit EndingLoader(QObject* parent = nullptr);
    ~EndingLoader() override;

    /// Answered by loaded(), unless a newer one comes first.
    void request(const EndingRequest& request);
    void cancel();
    bool isBusy() const { return m_busy; }

signals:
    void loaded(const rankscope::ui::EndingFactsPtr& facts);

private:
    QThread m_thread;
    QObject* m_worker; ///< lives in m_thread
    std::atomic<quint64> m_newest{0};
    bool m_busy = false;
};

} // namespace rankscope::ui
