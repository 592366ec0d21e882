// SPDX-License-Identifier: Apache-2.0
// Progress bars of tqdm, Lightning and NeMo, and lines that say the step.
#pragma once

#include "core/explain/model/hang_evidence.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankscope::explain {

/// Reads a bar of training; none for one of validation, of a download or of anything else. `row` has no prefixes.
/// The bar's own rank ("Rank 7") is set if it says one. The place is empty.
std::optional<Progress> readProgress(std::string_view row);

/// Returns whether a row is a bar of validation that has begun.
bool isValidationBar(std::string_view row);

/// Returns how much of a row is the same for each update of its bar: what is in front of the counts.
std::string_view progressTitle(std::string_view row);

} // namespace rankscope::explain
