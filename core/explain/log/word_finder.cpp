// SPDX-License-Identifier: Apache-2.0
#include "core/explain/log/word_finder.h"

#include <algorithm>
#include <cstring>

namespace rankscope::explain {

static std::uint32_t fourBytes(const char* at) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

WordFinder::WordFinder(std::vector<std::string_view> words) : m_words(std::move(words)), m_grams(1) {
    for (std::size_t word = 0; word < m_words.size(); ++word)
        for (std::size_t offset = 0; offset < 4 && m_words[word].size() >= kShortestWord; ++offset) {
            Gram gram;
            gram.bytes = fourBytes(m_words[word].data() + offset);
            gram.word = static_cast<std::uint16_t>(word);
            gram.offset = static_cast<std::uint16_t>(offset);
            std::uint16_t& head = m_heads[hash(gram.bytes)];
            gram.next = head;
            head = static_cast<std::uint16_t>(m_grams.size());
            m_grams.push_back(gram);
        }
}

WordFinder::Found WordFinder::find(std::string_view text, std::size_t from) const {
    for (std::size_t at = from; at + 4 <= text.size(); at += 4) {
        const std::uint32_t bytes = fourBytes(text.data() + at);
        for (std::uint16_t i = m_heads[hash(bytes)]; i != 0; i = m_grams[i].next) {
            const Gram& gram = m_grams[i];
            if (gram.bytes != bytes || at < from + gram.offset)
                continue;
            const std::string_view word = m_words[gram.word];
            if (text.compare(at - gram.offset, word.size(), word) == 0)
                return {at - gram.offset, gram.word};
        }
    }
    return {};
}

std::size_t findBar(std::string_view text, std::size_t from) {
    const auto digit = [](char c) { return (c >= '0' && c <= '9') || c == '?'; };
    for (std::size_t slash = text.find('/', from); slash != text.npos; slash = text.find('/', slash + 1)) {
        if (slash < from + 2 || slash + 2 > text.size())
            continue;
        const char before = text[slash - 1], behind = text[slash + 1];
        if (behind == 's' && before >= 'a' && before <= 'z') { // "it/s", "batch/s", but no "MB/s"
            const char end = slash + 2 < text.size() ? text[slash + 2] : ' ';
            if (end == ',' || end == ']' || end == ' ')
                return slash;
        } else if (before == 's' && digit(text[slash - 2]) && (behind == 'i' || behind == 'b' || behind == 's')) {
            return slash;
        } else if (digit(before) || before == ' ') {
            std::size_t at = slash;
            while (at > from && slash - at < 24 && (text[at - 1] == ' ' || text[at - 1] == ':' || digit(text[at - 1])))
                --at;
            if (at >= from + 9 && text.substr(at - 9, 9) == "iteration")
                return slash;
        }
    }
    return text.npos;
}

} // namespace rankscope::explain
