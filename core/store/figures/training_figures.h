// SPDX-License-Identifier: Apache-2.0
// Sums up a run's training in a few figures. All pages of the window, the command line and the HTML report use these,
// so that they agree everywhere.
#pragma once

#include "core/store/read/run_reader.h"

#include <limits>
#include <optional>
#include <span>

namespace rankscope::store {

/// The newest validation and the one with the smallest loss.
struct ValidationFigures {
    std::optional<ValidationRow> last; ///< its loss may be NaN
    std::optional<ValidationRow> best; ///< none: no loss is finite
};
/// Returns the figures of `rows`, as returned by FactReader::validations().
ValidationFigures figuresOf(std::span<const ValidationRow> rows);

/// The steps that rank 0 recorded over the whole run, and the time they took. Time before the first step, after the
/// last one and between steps is not included.
struct StepRate {
    double steps = 0, lastedNs = 0;

    double perSecond() const; ///< NaN: no step was recorded
};
/// `ranks` must come from the same store.
Result<StepRate> stepRate(RunReader& reader, std::span<const RankSummary> ranks);

struct TrainingFigures {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

    double lastLoss = kNone, bestLoss = kNone; ///< of rank 0 at a single step; NaN: none
    StepRate rate;                             ///< see stepRate()
    double samples = 0;                        ///< utterances of all ranks, up to rank 0's last step
    ValidationFigures validation;

    double lastValidation() const { return validation.last ? validation.last->loss : kNone; }
    double bestValidation() const { return validation.best ? validation.best->loss : kNone; }
    double samplesPerSecond() const; ///< of all ranks; NaN: not known
};
/// Reads the figures with a few bounded queries for each rank. `ranks` must come from the same store.
Result<TrainingFigures> readTrainingFigures(RunReader& reader, std::span<const RankSummary> ranks);

} // namespace rankscope::store
