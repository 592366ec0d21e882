// SPDX-License-Identifier: Apache-2.0
// Reads and writes TensorBoard's messages Event, Summary, Summary.Value, SummaryMetadata and TensorProto, by their
// public field numbers.
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
    std::string writer;      ///< program that wrote the file, in the first record; may be empty
    std::vector<Scalar> scalars;
    std::int64_t otherValues = 0; ///< histograms, images, audio, texts, tensors of more than one element
};

inline constexpr std::string_view kFileVersion = "brain.Event:";

/// Parses an event; none if the bytes are not an Event.
std::optional<Event> readEvent(std::string_view record);

/// Returns a file's first record.
std::string firstEvent(double wallTime, std::string_view writer);
/// Returns scalars as PyTorch's SummaryWriter writes them: `simple_value`, a 32-bit float, which every reader supports.
std::string scalarEvent(double wallTime, std::int64_t step, const std::vector<Scalar>& scalars);
/// Returns a Markdown text, for TensorBoard's text page.
std::string textEvent(double wallTime, std::int64_t step, std::string_view tag, std::string_view markdown);

} // namespace rankscope::exchange
