// SPDX-License-Identifier: Apache-2.0
// What a metric of the store is called in event files, ours and others'.
#pragma once

#include "core/store/tables/metrics.h"

#include <optional>
#include <string>
#include <string_view>

namespace rankscope::exchange {

/// "train/loss", "wait/length_sync_s", "phase/forward_s": the part before the slash groups them in TensorBoard.
std::string tagOf(store::Metric metric);
/// What a stored value is multiplied by: times are exported in seconds.
double tagScale(store::Metric metric);
inline constexpr std::string_view kValidationTag = "val/loss";

struct KnownTag {
    enum class Meaning { Metric, Epoch, Validation } meaning = Meaning::Metric;
    store::Metric metric = store::Metric::Loss;
    double scale = 1; ///< what the event's value is multiplied by to be stored
};

/// Ours, and what Lightning, NeMo and habit call the same; none for any other.
std::optional<KnownTag> knownTag(std::string_view tag);

} // namespace rankscope::exchange
