// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the facts about a run's end that its view lacks: checkpoints and weights, memory at the last sample, the end of
// a log.
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
    std::int64_t endNs = 0; ///< of the run, since its start; 0: do not read memory
    int logRank = -1;       ///< rank whose log is read; -1: none
    bool watched = false;   ///< all ranks write to the log of the command
};

struct EndingFacts {
    struct MemoryFigures {
        int rank = 0;
        std::int64_t rssBytes = -1;
    };

    launch::RunPaths run;
    launch::RunCheckpoints checkpoints;
    store::FailedCheckpoints failed;              ///< checkpoints that could not be written
    QString problem;                              ///< why they cannot be listed
    std::vector<MemoryFigures> memory;            ///< at the last sample, by rank
    std::int64_t usedBytes = -1, limitBytes = -1; ///< of the control group or host, at that sample
    std::int64_t memoryNs = -1;                   ///< time of that sample, since the run's start
    QStringList logLines;                         ///< the last ones that the rank wrote
    int logRank = -1;
    QString modelClass; ///< of NeMo, with its module
};
using EndingFactsPtr = std::shared_ptr<const EndingFacts>;

/// Reads the facts. Blocks, so call it in worker threads.
EndingFactsPtr readEnding(const EndingRequest& request);

} // namespace rankscope::ui
