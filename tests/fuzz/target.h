// SPDX-License-Identifier: Apache-2.0
// A target tests a reader of untrusted bytes and checks what must be true of its result. libFuzzer (fuzz_main.cpp) and
// a Qt Test (tst_fuzz.cpp) call the same function. A libFuzzer program contains one target, the test all of them.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

namespace rankscope::fuzz {

/// Number of inputs that the reader accepted, at least in part: some seeds and mutations must be accepted, or only the
/// reader's errors would be tested.
inline std::size_t taken = 0;

struct Broken {
    std::string what;
};

inline void require(bool fine, const std::string& what) {
    if (!fine)
        throw Broken{what};
}

/// Throws Broken if the result for these bytes is wrong.
using Examine = void (*)(const std::string& bytes);

/// A target of this program. Each examine_NAME.cpp ends with a RANKSCOPE_FUZZ_TARGET(NAME).
class Target {
public:
    Target(std::string name, Examine examine);
    /// Returns null if this program has no such target.
    static const Target* named(std::string_view name);
    /// Returns the target of a program with just one.
    static const Target& only();

    /// Returns what is wrong with the result; empty: nothing.
    std::string check(const std::string& bytes) const;

private:
    std::string m_name;
    Examine m_examine;
};

#define RANKSCOPE_FUZZ_TARGET(name) static const rankscope::fuzz::Target kTarget_##name(#name, examine);

/// Returns this process's scratch folder, in memory if there is such a file system; it is removed when the process
/// ends.
const std::filesystem::path& scratch();
/// Writes a file there (O_TRUNC: the same inode again) and returns its path.
std::filesystem::path put(const char* name, std::string_view bytes);

/// Takes numbers and texts from the front of an input; zeros and empty texts after its end.
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
    /// Takes the rest of the line; its newline is removed from the input too.
    std::string_view line() {
        const auto part = take(m_rest.find('\n') == m_rest.npos ? m_rest.size() : m_rest.find('\n'));
        (void)take(1);
        return part;
    }

private:
    std::string_view m_rest;
};

} // namespace rankscope::fuzz
