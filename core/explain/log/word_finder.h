// SPDX-License-Identifier: Apache-2.0
// Searches for many words at once, faster than a state machine that looks at each byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace rankscope::explain {

/// Looks at every fourth byte only: a word of seven bytes or more has four bytes in a row that begin there.
class WordFinder {
public:
    static constexpr std::size_t kShortestWord = 7;

    /// Views of the words must outlive the object.
    explicit WordFinder(std::vector<std::string_view> words);

    struct Found {
        std::size_t at = std::string_view::npos; ///< npos: no word is there
        std::size_t word = 0;                    ///< its index
    };
    /// Finds a word that begins at or behind `from`. Of words that are closer together than seven bytes it may be any.
    Found find(std::string_view text, std::size_t from) const;

private:
    struct Gram {
        std::uint32_t bytes = 0;
        std::uint16_t word = 0, offset = 0;
        std::uint16_t next = 0; ///< of the same hash, by index; 0: none
    };
    static constexpr int kHashBits = 13;
    static std::uint32_t hash(std::uint32_t bytes) { return bytes * 2'654'435'761u >> (32 - kHashBits); }

    std::vector<std::string_view> m_words;
    std::vector<Gram> m_grams;
    std::array<std::uint16_t, 1u << kHashBits> m_heads{};
};

/// Returns where the unit of a progress bar's speed is ("1.40s/it", "10.54batch/s]") or where a step is counted
/// ("iteration 5/100"), at or behind `from`; npos: nowhere.
std::size_t findBar(std::string_view text, std::size_t from);

} // namespace rankscope::explain
