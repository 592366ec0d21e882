// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/scan/run_figures.h"

#include "core/base/values/result.h"
#include "core/launch/figures/open_waits.h"
#include "core/store/figures/training_figures.h"

#include <algorithm>
#include <iterator>

namespace rankscope::ui {

Result<RunFigures> readFigures(store::RunReader& reader) {
    RS_TRY_ASSIGN(const auto snapshot, reader.source().snapshot());
    RS_TRY_ASSIGN(auto ranks, reader.ranks());
    RS_TRY_ASSIGN(const auto incidents, reader.incidents());
    const launch::WaitsAtEnd atEnd = launch::waitsAtEnd(incidents, ranks);
    launch::addOpenWaits(atEnd.waits, atEnd.endNs, atEnd.clock, ranks);
    RS_TRY_ASSIGN(const auto training, store::readTrainingFigures(reader, ranks));
    RunFigures figures;
    figures.lastLoss = training.lastLoss;
    figures.bestLoss = training.bestLoss;
    figures.lastValidation = training.lastValidation();
    figures.bestValidation = training.bestValidation();
    figures.stepsPerSecond = training.rate.perSecond();
    figures.samplesPerSecond = training.samplesPerSecond();
    figures.incidents = static_cast<int>(incidents.size());
    std::copy_if(incidents.begin(), incidents.end(), std::back_inserter(figures.open),
                 [](const auto& one) { return one.closed == diagnosis::CloseReason::Open; });
    RS_TRY_ASSIGN(figures.memoryBytes, reader.mostRssBytes());
    if (ranks.empty())
        return figures;
    figures.lastStep = ranks.front().lastStep;
    figures.waitedNs = 0;
    figures.waitsAreSums = reader.meta().waitsAreSums;
    for (const auto& rank : ranks) {
        figures.lastStep = std::min(figures.lastStep, rank.lastStep);
        figures.waitedNs += rank.waitedNs;
        if (rank.heldNs > 0)
            figures.held.push_back({rank.rank, rank.heldNs});
    }
    return figures;
}

} // namespace rankscope::ui
