// SPDX-License-Identifier: Apache-2.0
// Sentences for people as values: a pattern and its arguments. The English pattern is the id of the sentence, as with
// gettext and Qt; resources/messages/zh_CN has the Chinese pattern for each id. Only text() turns a message into words,
// so the window, the command line and the reports say the same thing in the language of their reader.
#pragma once

#include "core/base/text/unit_format.h"

#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace rankscope {

class Message;

/// Arguments that each language writes in its own way.
struct Duration {
    std::int64_t ns = 0; ///< "3.2 s", "3.2 秒"
    friend bool operator==(const Duration&, const Duration&) = default;
};
struct ByteSize {
    std::int64_t bytes = 0; ///< "1.20 GB"
    friend bool operator==(const ByteSize&, const ByteSize&) = default;
};
struct Count {
    std::int64_t number = 0; ///< "1,234"
    friend bool operator==(const Count&, const Count&) = default;
};
struct Ranks {
    std::vector<int> ranks; ///< "rank 3", "ranks 0, 2", "12 ranks"
    friend bool operator==(const Ranks&, const Ranks&) = default;
};
/// Several messages or names in one list: "a, b or c", or "a, b".
/// Copied, moved and destroyed where Message is complete, because the items are messages, which may hold lists.
struct MessageList {
    enum class Conjunction : std::uint8_t { And, Or };
    MessageList(Conjunction conjunction, std::vector<Message> messages);
    MessageList(const MessageList& other);
    MessageList(MessageList&& other) noexcept;
    MessageList& operator=(const MessageList& other);
    MessageList& operator=(MessageList&& other) noexcept;
    ~MessageList();
    friend bool operator==(const MessageList&, const MessageList&);

    Conjunction kind;
    std::vector<Message> items;
};

/// Text, which is never translated, a number, or one of the types above. A message that is an argument of another
/// message is stored as a list of one item.
using MessageArgument = std::variant<std::string, std::int64_t, double, Duration, ByteSize, Count, Ranks, MessageList>;

namespace message_detail {
template <class T> inline constexpr bool kIsNumber = std::is_arithmetic_v<T> && !std::same_as<T, bool>;
/// The type that stands for an argument in the format string, so that fmt checks at compile time that each slot has
/// one.
template <class T>
using ArgumentView =
    std::conditional_t<!kIsNumber<std::remove_cvref_t<T>>, std::string,
                       std::conditional_t<std::integral<std::remove_cvref_t<T>>, std::int64_t, double>>;

MessageArgument messageAsArgument(Message message);

template <class T> MessageArgument argument(T&& value) {
    using Plain = std::remove_cvref_t<T>;
    if constexpr (std::same_as<Plain, Message>)
        return messageAsArgument(std::forward<T>(value));
    else if constexpr (std::same_as<Plain, bool>)
        return std::string(value ? "true" : "false");
    else if constexpr (std::integral<Plain>)
        return static_cast<std::int64_t>(value);
    else if constexpr (std::floating_point<Plain>)
        return static_cast<double>(value);
    else if constexpr (std::convertible_to<T, std::string_view>)
        return std::string(std::string_view(value));
    else if constexpr (std::same_as<Plain, std::filesystem::path>)
        return value.string();
    else
        return MessageArgument(std::forward<T>(value));
}
} // namespace message_detail

/// A sentence or phrase, or text that is not translated.
class Message {
public:
    Message() = default;
    /// Text that is the same in all languages, such as the output of another program.
    Message(std::string text) : m_text(std::move(text)) {}
    /// A sentence without arguments.
    template <std::size_t N> Message(const char (&pattern)[N]) : m_pattern(pattern) {}
    /// `pattern`: as for fmt::format. Integers, floating-point numbers and text may have a format specification; the
    /// other types have none.
    template <class First, class... Rest>
    Message(fmt::format_string<message_detail::ArgumentView<First>, message_detail::ArgumentView<Rest>...> pattern,
            First&& first, Rest&&... rest)
        : m_pattern(std::string_view(fmt::string_view(pattern).data(), fmt::string_view(pattern).size())) {
        m_arguments.reserve(1 + sizeof...(Rest));
        m_arguments.push_back(message_detail::argument(std::forward<First>(first)));
        (m_arguments.push_back(message_detail::argument(std::forward<Rest>(rest))), ...);
    }

    bool empty() const { return m_pattern.empty() && m_text.empty(); }
    /// The English pattern; empty if the text is not translated.
    const std::string& pattern() const { return m_pattern; }
    const std::vector<MessageArgument>& arguments() const { return m_arguments; }
    /// Returns the sentence in words. A pattern without a translation stays English.
    std::string text(Language language) const;
    std::string english() const { return text(Language::English); }

    /// {"id": pattern, "arguments": […]}, or the text alone.
    nlohmann::json toJson() const;
    /// Reads what toJson() wrote, in this or another version; `otherwise` if it is not valid.
    static Message fromJson(const nlohmann::json& json, std::string otherwise);

    friend bool operator==(const Message&, const Message&) = default;

private:
    friend class MessageReader;
    std::string m_pattern, m_text;
    std::vector<MessageArgument> m_arguments;
};

/// Returns a list that reads "a, b or c" (anyOf) or "a, b" (allOf), in the words of the language.
inline MessageList anyOf(std::vector<Message> items) {
    return {MessageList::Conjunction::Or, std::move(items)};
}
inline MessageList allOf(std::vector<Message> items) {
    return {MessageList::Conjunction::And, std::move(items)};
}

/// Returns "where: what", with the colon of the language.
std::string placed(std::string_view where, std::string_view what, Language language);

/// Returns the Chinese patterns by their ids, in which each slot is numbered and has no format specification:
/// "unknown key {0}".
const std::map<std::string, std::string, std::less<>>& chinesePatterns();
/// Returns the id of a pattern: "{:.3g} of {}" -> "{0} of {1}".
std::string messageId(std::string_view pattern);

/// Returns the language of the first of LC_ALL, LC_MESSAGES and LANG that is set.
Language localeLanguage();

} // namespace rankscope
