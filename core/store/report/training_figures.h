// SPDX-License-Identifier: Apache-2.0
// What a run's training came to, in a few figures. All pages of the window, the command line and the HTML report take
// them from here, so that they are the same everywhere.
#pragma once

#include "core/store/read/run_reader.h"

#include <limits>
#include <optional>
#include <span>

namespace rankscope::store {

/// The newest validation and the one with the smallest loss.
struct ValidationFigures {
    std::optional<ValidationRow> last; ///< whatever its loss
    std::optional<ValidationRow> best; ///< none: no loss is finite
};
/// `rows`: as FactReader::validations() returns them.
ValidationFigures figuresOf(std::span<const ValidationRow> rows);

struct TrainingFigures {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

    double lastLoss = kNone, bestLoss = kNone; ///< of rank 0 at a single step; NaN: none
    double meanStepsPerSecond = kNone;         ///< as meanStepsPerSecond() says
    ValidationFigures validation;

    double lastValidation() const { return validation.last ? validation.last->loss : kNone; }
    double bestValidation() const { return validation.best ? validation.best->loss : kNone; }
};
/// `ranks`: of the same store. A bounded query for each figure.
Result<TrainingFigures> readTrainingFigures(RunReader& reader, std::span<const RankSummary> ranks);

/// Returns the steps that rank 0 recorded by the time that they took, over the whole run; NaN: it recorded none. What
/// passed before the first step and after the last one, and between steps, is not in it.
Result<double> meanStepsPerSecond(RunReader& reader, std::span<const RankSummary> ranks);

} // namespace rankscope::store
