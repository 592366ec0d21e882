// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/tensorboard/event.h"

#include "core/exchange/tensorboard/protobuf.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace rankscope::exchange {

namespace {

enum EventField : std::uint32_t { kWallTime = 1, kStep = 2, kVersion = 3, kSummary = 5, kSourceMetadata = 10 };
enum ValueField : std::uint32_t { kTag = 1, kSimpleValue = 2, kTensor = 8, kMetadata = 9 };
enum TensorField : std::uint32_t {
    kType = 1,
    kShape = 2,
    kContent = 4,
    kFloats = 5,
    kDoubles = 6,
    kInts = 7,
    kStrings = 8,
    kLongs = 10
};
enum DataType : std::uint64_t { kFloat = 1, kDouble = 2, kInt32 = 3, kString = 7, kInt64 = 9 };

/// Returns whether a tensor of this shape has exactly one element.
bool isSingle(std::string_view shape, bool& ok) {
    bool single = true;
    FieldReader dims(shape);
    while (dims.next()) {
        if (!dims.is(2, WireType::Bytes))
            continue;
        std::uint64_t size = 0;
        FieldReader dim(dims.bytes());
        while (dim.next())
            if (dim.is(1, WireType::Varint))
                size = dim.number();
        ok = ok && dim.ok();
        single = single && size == 1;
    }
    ok = ok && dims.ok();
    return single;
}

template <class T> std::optional<double> whole(std::string_view bytes) {
    T value{};
    if (bytes.size() != sizeof value)
        return std::nullopt;
    std::memcpy(&value, bytes.data(), sizeof value);
    return static_cast<double>(value);
}

/// Returns the value if the bytes are exactly one varint.
std::optional<double> packedNumber(std::string_view bytes) {
    FieldReader reader(bytes);
    const auto value = static_cast<std::int64_t>(reader.varint());
    return reader.ok() && reader.atEnd() ? std::optional(static_cast<double>(value)) : std::nullopt;
}

std::optional<double> contentOf(std::uint64_t type, std::string_view content) {
    switch (type) {
    case kFloat:
        return whole<float>(content);
    case kDouble:
        return whole<double>(content);
    case kInt32:
        return whole<std::int32_t>(content);
    case kInt64:
        return whole<std::int64_t>(content);
    default:
        return std::nullopt;
    }
}

/// Returns the value of a tensor with a single numeric element; none for any other.
std::optional<double> tensorValue(std::string_view tensor, bool& ok) {
    std::uint64_t type = 0;
    bool single = true;
    std::optional<double> value;
    std::string_view content;
    FieldReader f(tensor);
    while (f.next()) {
        if (f.is(kType, WireType::Varint))
            type = f.number();
        else if (f.is(kShape, WireType::Bytes))
            single = isSingle(f.bytes(), ok);
        else if (f.is(kContent, WireType::Bytes))
            content = f.bytes();
        else if (f.is(kFloats, WireType::Bytes))
            value = whole<float>(f.bytes());
        else if (f.is(kFloats, WireType::Fixed32))
            value = static_cast<double>(f.single());
        else if (f.is(kDoubles, WireType::Bytes))
            value = whole<double>(f.bytes());
        else if (f.is(kDoubles, WireType::Fixed64))
            value = f.real();
        else if (f.is(kInts, WireType::Bytes) || f.is(kLongs, WireType::Bytes))
            value = packedNumber(f.bytes());
        else if (f.is(kInts, WireType::Varint) || f.is(kLongs, WireType::Varint))
            value = static_cast<double>(static_cast<std::int64_t>(f.number()));
    }
    ok = ok && f.ok();
    const bool number = type == kFloat || type == kDouble || type == kInt32 || type == kInt64;
    if (!single || !number)
        return std::nullopt;
    if (!content.empty())
        return contentOf(type, content);
    return value ? value : std::optional(0.0); // zeros may be left out
}

bool readValue(std::string_view bytes, Event& event) {
    Scalar scalar;
    std::optional<double> value;
    bool ok = true;
    FieldReader f(bytes);
    while (f.next()) {
        if (f.is(kTag, WireType::Bytes))
            scalar.tag = f.bytes();
        else if (f.is(kSimpleValue, WireType::Fixed32))
            value = static_cast<double>(f.single());
        else if (f.is(kTensor, WireType::Bytes))
            value = tensorValue(f.bytes(), ok);
    }
    if (!f.ok() || !ok)
        return false;
    if (value && !scalar.tag.empty()) {
        scalar.value = *value;
        event.scalars.push_back(std::move(scalar));
    } else {
        ++event.otherValues;
    }
    return true;
}

bool readSummary(std::string_view bytes, Event& event) {
    FieldReader f(bytes);
    while (f.next())
        if (f.is(1, WireType::Bytes) && !readValue(f.bytes(), event))
            return false;
    return f.ok();
}

/// Converts to float; values beyond its range become infinite, as in other programs.
float narrowed(double value) {
    constexpr double kMost = std::numeric_limits<float>::max();
    if (std::abs(value) > kMost)
        return std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(std::copysign(1.0, value)));
    return static_cast<float>(value);
}

std::string eventBytes(double wallTime, std::int64_t step, const std::string& summary) {
    FieldWriter event;
    event.real(kWallTime, wallTime);
    event.number(kStep, static_cast<std::uint64_t>(step));
    event.bytes(kSummary, summary);
    return event.message();
}

} // namespace

std::optional<Event> readEvent(std::string_view record) {
    Event event;
    FieldReader f(record);
    while (f.next()) {
        if (f.is(kWallTime, WireType::Fixed64))
            event.wallTime = f.real();
        else if (f.is(kStep, WireType::Varint))
            event.step = static_cast<std::int64_t>(f.number());
        else if (f.is(kVersion, WireType::Bytes))
            event.fileVersion = f.bytes();
        else if (f.is(kSummary, WireType::Bytes)) {
            if (!readSummary(f.bytes(), event))
                return std::nullopt;
        } else if (f.is(kSourceMetadata, WireType::Bytes)) {
            FieldReader source(f.bytes());
            while (source.next())
                if (source.is(1, WireType::Bytes))
                    event.writer = source.bytes();
        }
    }
    return f.ok() ? std::optional(std::move(event)) : std::nullopt;
}

std::string firstEvent(double wallTime, std::string_view writer) {
    FieldWriter source, event;
    source.bytes(1, writer);
    event.real(kWallTime, wallTime);
    event.bytes(kVersion, "brain.Event:2");
    event.bytes(kSourceMetadata, source.message());
    return event.message();
}

std::string scalarEvent(double wallTime, std::int64_t step, const std::vector<Scalar>& scalars) {
    FieldWriter summary;
    for (const Scalar& scalar : scalars) {
        FieldWriter value;
        value.bytes(kTag, scalar.tag);
        value.single(kSimpleValue, narrowed(scalar.value));
        summary.bytes(1, value.message());
    }
    return eventBytes(wallTime, step, summary.message());
}

std::string textEvent(double wallTime, std::int64_t step, std::string_view tag, std::string_view markdown) {
    FieldWriter plugin, metadata, tensor, dim, shape, value, summary;
    plugin.bytes(1, "text");
    metadata.bytes(1, plugin.message());
    dim.number(1, 1);
    shape.bytes(2, dim.message());
    tensor.number(kType, kString);
    tensor.bytes(kShape, shape.message());
    tensor.bytes(kStrings, markdown);
    value.bytes(kTag, tag);
    value.bytes(kTensor, tensor.message());
    value.bytes(kMetadata, metadata.message());
    summary.bytes(1, value.message());
    return eventBytes(wallTime, step, summary.message());
}

} // namespace rankscope::exchange
