// SPDX-License-Identifier: Apache-2.0
// What a rank's training thread does. Kept apart from the records, since the model uses phases but nothing else of
// telemetry.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope::telemetry {

enum class Phase : std::uint8_t {
    None, ///< between phases
    Startup,
    Rendezvous,
    DataWait, ///< the training thread waits for its loader
    ToDevice,
    Preprocess, ///< mel front end
    Augment,    ///< noise mixing, masking
    Forward,
    Loss,
    Backward,
    Optimizer,
    Validate,
    Checkpoint,
    Barrier,
    Count
};
std::string_view phaseName(Phase phase); ///< "data_wait", "forward", …

/// Where inside forward the training thread is.
enum class ForwardSite : std::uint8_t { None, LengthSync, PositionTable, Subsampling, Layer, Decoder, Count };
std::string_view placeName(ForwardSite place);

} // namespace rankscope::telemetry
