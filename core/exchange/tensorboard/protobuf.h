// SPDX-License-Identifier: Apache-2.0
// Implements the part of the protocol buffers wire format that event files need. Five messages with few fields do not
// justify a code generator in the build and a library at run time; and this reader skips images without copying them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope::exchange {

enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

/// Iterates over the fields of one message. Never reads beyond its end.
class FieldReader {
public:
    explicit FieldReader(std::string_view message) : m_rest(message) {}

    /// Moves to the next field. Returns false at the end, and if the next bytes are not a field; ok() is false then.
    bool next();
    bool ok() const { return m_ok; }

    bool is(std::uint32_t field, WireType type) const { return m_field == field && m_type == type; }
    std::uint64_t number() const { return m_number; } ///< of a varint
    std::string_view bytes() const { return m_bytes; }
    double real() const;  ///< of a fixed64
    float single() const; ///< of a fixed32

    /// Reads a number outside a field, as in packed fields.
    std::uint64_t varint();
    bool atEnd() const { return m_rest.empty(); }

private:
    bool take(std::size_t bytes);

    std::string_view m_rest, m_bytes;
    std::uint64_t m_number = 0;
    std::uint32_t m_field = 0;
    WireType m_type = WireType::Varint;
    bool m_ok = true;
};

class FieldWriter {
public:
    void number(std::uint32_t field, std::uint64_t value);
    void bytes(std::uint32_t field, std::string_view value);
    void real(std::uint32_t field, double value);
    void single(std::uint32_t field, float value);
    const std::string& message() const { return m_message; }

private:
    void varint(std::uint64_t value);
    std::string m_message;
};

} // namespace rankscope::exchange
