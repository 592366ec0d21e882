// SPDX-License-Identifier: Apache-2.0
// A target: what reads bytes that come from elsewhere, and what must hold of its answer. libFuzzer (fuzz_main.cpp) and
// a Qt Test (tst_fuzz.cpp) call the same function. A program of libFuzzer holds one target, the test all of them.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

namespace rankscope::fuzz {

/// Inputs that the reader took, in part at least: of seeds and their mutations some must be, else only its refusals are
/// tested.
inline std::size_t taken = 0;

struct Broken {
    std::string what;
};

inline void require(bool fine, const std::string& what) {
    if (!fine)
        throw Broken{what};
}

/// Throws Broken when the answer to these bytes is wrong.
using Examine = void (*)(const std::string& bytes);

/// A target of this program. Each examine_NAME.cpp ends with a RANKSCOPE_FUZZ_TARGET(NAME).
class Target {
public:
    Target(std::string name, Examine examine);
    /// Null: this program has no such target.
    static const Target* named(std::string_view name);
    /// Of a program that holds one target.
    static const Target& only();

    /// What is broken about the answer; empty: nothing.
    std::string check(const std::string& bytes) const;

private:
    std::string m_name;
    Examine m_examine;
};

#define RANKSCOPE_FUZZ_TARGET(name) static const rankscope::fuzz::Target kTarget_##name(#name, examine);

/// A folder of this process in memory, where there is such a file system; removed at its end.
const std::filesystem::path& scratch();
/// Writes a file there (O_TRUNC: the same inode again) and returns its path.
std::filesystem::path put(const char* name, std::string_view bytes);

/// Takes numbers and texts from the front of an input; zeros and empty texts behind its end.
class Bytes {
public:
    explicit Bytes(std::string_view bytes) : m_rest(bytes) {}
    bool empty() const { return m_rest.empty(); }
    std::string_view rest() const { return m_rest; }

    std::string_view take(std::size_t n) {
        const auto part = m_rest.substr(0, n);
        m_rest.remove_prefix(part.size());
        return part;
    }
    template <class T> T number() {
        T value{};
        const auto part = take(sizeof value);
        if (!part.empty())
            std::memcpy(&value, part.data(), part.size());
        return value;
    }
    std::uint8_t byte() { return number<std::uint8_t>(); }
    /// Up to the line's end, which is taken too.
    std::string_view line() {
        const auto part = take(m_rest.find('\n') == m_rest.npos ? m_rest.size() : m_rest.find('\n'));
        (void)take(1);
        return part;
    }

private:
    std::string_view m_rest;
};

} // namespace rankscope::fuzz
