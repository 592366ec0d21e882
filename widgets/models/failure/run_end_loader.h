// SPDX-License-Identifier: GPL-3.0-or-later
// What is told of a run's end beside its view: checkpoints and weights, memory at the last sample, the end of a log.
#pragma once

#include "core/launch/run/checkpoint_list.h"
#include "core/store/report/failed_checkpoints.h"

#include <QString>
#include <QStringList>

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
    store::FailedCheckpoints failed;              ///< checkpoints that could not be written
    QString problem;                              ///< why they cannot be listed
    std::vector<Memory> memory;                   ///< at the last sample, by rank
    std::int64_t usedBytes = -1, limitBytes = -1; ///< of the control group or host, then
    std::int64_t memoryNs = -1;                   ///< when that was, since the run's start
    QStringList logLines;                         ///< the last ones
    int logRank = -1;
    QString modelClass; ///< of NeMo, with its module
};
using EndingFactsPtr = std::shared_ptr<const EndingFacts>;

/// Blocks: for worker threads.
EndingFactsPtr readEnding(const EndingRequest& request);

} // namespace rankscope::ui
