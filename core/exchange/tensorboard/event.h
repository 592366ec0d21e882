// SPDX-License-Identifier: Apache-2.0
// TensorBoard's messages Event, Summary, Summary.Value, SummaryMetadata and TensorProto, by their public field numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::exchange {

struct Scalar {
    std::string tag;
    double value = 0;
};

struct Event {
    double wallTime = 0; ///< seconds since 1970
    std::int64_t step = 0;
    std::string fileVersion; ///< "brain.Event:2" in the first record of a file; else empty
    std::string writer;      ///< of the first record: which program; may be empty
    std::vector<Scalar> scalars;
    std::int64_t otherValues = 0; ///< histograms, pictures, sound, texts, tensors of more than one element
};

inline constexpr std::string_view kFileVersion = "brain.Event:";

/// None: the bytes are no Event.
std::optional<Event> readEvent(std::string_view record);

/// A file's first record.
std::string firstEvent(double wallTime, std::string_view writer);
/// Scalars as PyTorch's SummaryWriter writes them: `simple_value`, a 32-bit float, which every reader knows.
std::string scalarEvent(double wallTime, std::int64_t step, const std::vector<Scalar>& scalars);
/// A text in Markdown, for TensorBoard's page of texts.
std::string textEvent(double wallTime, std::int64_t step, std::string_view tag, std::string_view markdown);

} // namespace rankscope::exchange
