// SPDX-License-Identifier: Apache-2.0
// Maps the store's metrics to tag names in event files, ours and those of other programs.
#pragma once

#include "core/store/tables/metrics.h"

#include <optional>
#include <string>
#include <string_view>

namespace rankscope::exchange {

/// Returns a tag such as "train/loss", "wait/length_sync_s" or "phase/forward_s"; TensorBoard groups tags by the part
/// before the slash.
std::string tagOf(store::Metric metric);
/// Returns the factor from stored to exported values; times are exported in seconds.
double tagScale(store::Metric metric);
inline constexpr std::string_view kValidationTag = "val/loss";

struct KnownTag {
    enum class TagMeaning { Metric, Epoch, Validation } meaning = TagMeaning::Metric;
    store::Metric metric = store::Metric::Loss;
    double scale = 1; ///< factor from the event's value to the stored one
};

/// Returns the meaning of our tags and of the names commonly used by Lightning, NeMo and others; none for any other
/// tag.
std::optional<KnownTag> knownTag(std::string_view tag);

} // namespace rankscope::exchange
