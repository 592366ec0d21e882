// SPDX-License-Identifier: GPL-3.0-or-later
// The runs that a run was resumed from, one after the other, as far as their steps still count: steps after the
// checkpoint that the next run started from were discarded.
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/launch/run/run_annotations.h"
#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"
#include "core/store/report/scalar_reader.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>
#include <vector>

namespace rankscope::ui {

struct ChainIncident {
    std::int64_t id = 0;       ///< negative and unique within the chain; ids of the opened run are positive
    store::StepInterval steps; ///< that it covers, within those that count
    std::int64_t knownNs = 0;  ///< monotonic; time up to which its state is known, for its sentence
    diagnosis::Incident found; ///< as that run's store has it
};

/// A run of the chain.
struct ChainPart {
    launch::RunPaths run;
    QString id;
    QString nextId;                             ///< of the run that was resumed from it
    QStringList skipped;                        ///< runs between the two whose steps were all discarded
    std::int64_t firstStep = -1, lastStep = -1; ///< that count
    /// Newest recorded step; if it is more than lastStep, the steps after lastStep were discarded.
    std::int64_t newestStep = -1;
    std::vector<ChainIncident> incidents;
    std::vector<store::ValidationRow> validations; ///< of rank 0
    std::vector<store::CheckpointRow> checkpoints;
    std::vector<launch::Annotation> annotations;
};

/// The runs before the opened one, oldest first; never empty.
struct RunLineage {
    std::vector<ChainPart> parts;

    std::int64_t firstStep() const { return parts.front().firstStep; }
    const ChainPart* partAt(std::int64_t step) const; ///< null: a step of the opened run, or before all of these
    const ChainIncident* incident(std::int64_t id) const;
    const ChainPart* partOfIncident(std::int64_t id) const;
    std::size_t incidentCount() const;
};
using RunChainPtr = std::shared_ptr<const RunLineage>;

/// Returns the end of an id, which people use as its name: "2f1f" of "20261123-081756-quickstart-2f1f".
QString shortRunId(const QString& id);

} // namespace rankscope::ui
