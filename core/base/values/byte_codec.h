// SPDX-License-Identifier: Apache-2.0
// Encodes numbers and texts as bytes: integers as base-128 varints, signed ones zigzagged, doubles bit for bit. A
// reader never reads beyond its bytes: after a failure it returns zeros and ok() is false, and it accepts a size from
// the bytes only if that many bytes follow.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace rankscope {

class ByteEncoder {
public:
    void number(std::uint64_t v) {
        for (; v >= 0x80; v >>= 7)
            m_bytes.push_back(static_cast<char>(v | 0x80));
        m_bytes.push_back(static_cast<char>(v));
    }
    void integer(std::int64_t v) { number(static_cast<std::uint64_t>(v) << 1 ^ static_cast<std::uint64_t>(v >> 63)); }
    /// Writes `v` as the difference from a close value. Wraps around, so that every pair of values can be encoded.
    void difference(std::int64_t v, std::int64_t from) {
        integer(static_cast<std::int64_t>(static_cast<std::uint64_t>(v) - static_cast<std::uint64_t>(from)));
    }
    void real(double v) {
        const auto bits = std::bit_cast<std::uint64_t>(v);
        m_bytes.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    }
    void boolean(bool v) { m_bytes.push_back(v ? 1 : 0); }
    void text(std::string_view v) {
        number(v.size());
        m_bytes.append(v);
    }
    void append(const ByteEncoder& other) { m_bytes.append(other.m_bytes); }
    const std::string& bytes() const { return m_bytes; }
    std::size_t size() const { return m_bytes.size(); }
    void clear() { m_bytes.clear(); }

private:
    std::string m_bytes;
};

class ByteDecoder {
public:
    explicit ByteDecoder(std::string_view bytes) : m_bytes(bytes) {}

    std::uint64_t number() {
        std::uint64_t v = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (m_at >= m_bytes.size())
                return give<std::uint64_t>();
            const auto byte = static_cast<std::uint8_t>(m_bytes[m_at++]);
            v |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
            if ((byte & 0x80) == 0)
                return v;
        }
        return give<std::uint64_t>();
    }
    std::int64_t integer() {
        const std::uint64_t v = number();
        return static_cast<std::int64_t>(v >> 1 ^ (~(v & 1) + 1));
    }
    std::int64_t difference(std::int64_t from) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + static_cast<std::uint64_t>(integer()));
    }
    double real() {
        std::uint64_t bits = 0;
        if (m_bytes.size() - m_at < sizeof bits)
            return give<double>();
        std::memcpy(&bits, m_bytes.data() + m_at, sizeof bits);
        m_at += sizeof bits;
        return std::bit_cast<double>(bits);
    }
    bool boolean() { return m_at < m_bytes.size() ? m_bytes[m_at++] != 0 : give<bool>(); }
    std::string text() {
        const std::uint64_t size = number();
        if (size > m_bytes.size() - m_at)
            return give<std::string>();
        m_at += static_cast<std::size_t>(size);
        return std::string(m_bytes.substr(m_at - static_cast<std::size_t>(size), static_cast<std::size_t>(size)));
    }
    /// Reads the number of items that follow, each of at least one byte.
    std::size_t count() {
        const std::uint64_t n = number();
        return n <= m_bytes.size() - m_at ? static_cast<std::size_t>(n) : give<std::size_t>();
    }
    /// Reads a number; fails if it is not below `end`.
    template <class T> T below(T end) {
        const std::uint64_t v = number();
        return v < static_cast<std::uint64_t>(end) ? static_cast<T>(v) : give<T>();
    }
    bool ok() const { return m_ok; }
    bool atEnd() const { return m_at == m_bytes.size(); }
    std::size_t position() const { return m_at; }
    void fail() {
        m_ok = false;
        m_at = m_bytes.size();
    }

private:
    template <class T> T give() {
        fail();
        return T{};
    }
    std::string_view m_bytes;
    std::size_t m_at = 0;
    bool m_ok = true;
};

} // namespace rankscope
