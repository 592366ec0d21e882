// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/tensorboard/protobuf.h"

#include <bit>
#include <cstring>

namespace rankscope::exchange {

template <class T> static T read(std::string_view bytes) {
    static_assert(std::endian::native == std::endian::little);
    T value{};
    if (bytes.size() == sizeof value)
        std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

std::uint64_t FieldReader::varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !m_rest.empty(); shift += 7) {
        const auto byte = static_cast<std::uint8_t>(m_rest.front());
        m_rest.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
        if ((byte & 0x80) == 0)
            return value;
    }
    m_ok = false;
    return 0;
}

bool FieldReader::take(std::size_t bytes) {
    m_ok = m_ok && bytes <= m_rest.size();
    if (!m_ok)
        return false;
    m_bytes = m_rest.substr(0, bytes);
    m_rest.remove_prefix(bytes);
    return true;
}

bool FieldReader::next() {
    if (m_rest.empty() || !m_ok)
        return false;
    const std::uint64_t key = varint();
    m_field = static_cast<std::uint32_t>(key >> 3);
    m_type = static_cast<WireType>(key & 7);
    m_bytes = {};
    m_ok = m_ok && m_field != 0 && key >> 3 <= 0x1FFFFFFF;
    if (!m_ok)
        return false;
    switch (m_type) {
    case WireType::Varint:
        m_number = varint();
        return m_ok;
    case WireType::Fixed64:
        return take(8);
    case WireType::Fixed32:
        return take(4);
    case WireType::Bytes: {
        const std::uint64_t size = varint();
        return take(size <= m_rest.size() ? static_cast<std::size_t>(size) : m_rest.size() + 1);
    }
    }
    return m_ok = false; // groups are obsolete
}

double FieldReader::real() const {
    return read<double>(m_bytes);
}

float FieldReader::single() const {
    return read<float>(m_bytes);
}

void FieldWriter::varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        m_message.push_back(static_cast<char>(value | 0x80));
    m_message.push_back(static_cast<char>(value));
}

void FieldWriter::number(std::uint32_t field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3);
    varint(value);
}

void FieldWriter::bytes(std::uint32_t field, std::string_view value) {
    varint(std::uint64_t{field} << 3 | 2);
    varint(value.size());
    m_message += value;
}

void FieldWriter::real(std::uint32_t field, double value) {
    varint(std::uint64_t{field} << 3 | 1);
    m_message.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void FieldWriter::single(std::uint32_t field, float value) {
    varint(std::uint64_t{field} << 3 | 5);
    m_message.append(reinterpret_cast<const char*>(&value), sizeof value);
}

} // namespace rankscope::exchange
