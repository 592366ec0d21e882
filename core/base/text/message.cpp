// SPDX-License-Identifier: Apache-2.0
#include "core/base/text/message.h"

#include "core/base/text/untrusted_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>

namespace rankscope {

/// The files of resources/messages/zh_CN; embedded by core/base/embed_files.cmake.
extern const std::vector<std::string_view> kChineseJsons;

MessageList::MessageList(Conjunction conjunction, std::vector<Message> messages)
    : kind(conjunction), items(std::move(messages)) {}
MessageList::MessageList(const MessageList& other) = default;
MessageList::MessageList(MessageList&& other) noexcept = default;
MessageList& MessageList::operator=(const MessageList& other) = default;
MessageList& MessageList::operator=(MessageList&& other) noexcept = default;
MessageList::~MessageList() = default;

bool operator==(const MessageList& a, const MessageList& b) {
    return a.kind == b.kind && a.items == b.items;
}

MessageArgument message_detail::messageAsArgument(Message message) {
    return MessageList{MessageList::Conjunction::And, {std::move(message)}};
}

namespace {

/// One slot of a pattern, "{}", "{1}" or "{:.3g}", or the text between two slots.
struct PatternPart {
    std::string text;
    std::optional<std::size_t> argument;
    std::string specification; ///< of the slot, without its colon
};

constexpr std::size_t kLongestSpecification = 5; ///< of a slot, with its colon

/// Returns no parts if the pattern is not valid: it may come from a file.
std::vector<PatternPart> partsOf(std::string_view pattern) {
    std::vector<PatternPart> parts(1);
    std::size_t next = 0;
    for (std::size_t at = 0; at < pattern.size(); ++at) {
        const char c = pattern[at];
        if (c != '{' && c != '}') {
            parts.back().text += c;
        } else if (at + 1 < pattern.size() && pattern[at + 1] == c) {
            parts.back().text += c;
            ++at;
        } else {
            const std::size_t end = pattern.find('}', at);
            if (c == '}' || end == std::string_view::npos)
                return {};
            std::string_view slot = pattern.substr(at + 1, end - at - 1);
            PatternPart part;
            std::size_t number = 0, digits = 0;
            for (; digits < slot.size() && digits < 3 && slot[digits] >= '0' && slot[digits] <= '9'; ++digits)
                number = 10 * number + static_cast<std::size_t>(slot[digits] - '0');
            part.argument = digits > 0 ? number : next++;
            slot.remove_prefix(digits);
            if (!slot.empty() && slot.front() != ':')
                return {};
            if (slot.size() <= kLongestSpecification) // a longer one is not ours, and a huge width could exhaust memory
                part.specification = slot.empty() ? "" : std::string(slot.substr(1));
            parts.push_back(std::move(part));
            parts.emplace_back();
            at = end;
        }
    }
    return parts;
}

/// Returns the character that a UTF-8 text begins or ends with.
char32_t characterAt(std::string_view text, bool last) {
    std::size_t at = last ? text.size() - 1 : 0;
    while (last && at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80)
        --at;
    const auto byte = [&](std::size_t i) -> char32_t {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
    };
    if (byte(0) < 0x80)
        return byte(0);
    if ((byte(0) & 0xf0) == 0xe0)
        return (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    return U'\ufffd';
}

/// Appends `more`, with a space wherever Han script meets Latin script or a digit; a pattern cannot specify that for
/// its slots.
void appendSpaced(std::string& text, std::string_view more) {
    const auto isHan = [](char32_t c) { return c >= 0x3400 && c <= 0x9fff; };
    const auto isLatin = [](char32_t c) { return c > 0x20 && c < 0x7f; };
    if (!text.empty() && !more.empty()) {
        const char32_t before = characterAt(text, true), after = characterAt(more, false);
        if ((isHan(before) && isLatin(after)) || (isLatin(before) && isHan(after)))
            text += ' ';
    }
    text += more;
}

struct ArgumentWriter {
    Language language;
    const std::string& specification;

    template <class T> std::string formatted(const T& value) const {
        if (specification.empty())
            return fmt::format("{}", value);
        try {
            return fmt::format(fmt::runtime("{:" + specification + "}"), value);
        } catch (const fmt::format_error&) { // the pattern came from a file
            return fmt::format("{}", value);
        }
    }
    std::string operator()(const std::string& text) const { return formatted(text); }
    /// JSON may have turned 5.0 into 5; a specification for floating point shows that the number was one.
    std::string operator()(std::int64_t number) const {
        const bool isFloat =
            !specification.empty() && std::string_view("aAeEfFgG").find(specification.back()) != std::string_view::npos;
        return isFloat ? formatted(static_cast<double>(number)) : formatted(number);
    }
    std::string operator()(double number) const { return formatted(number); }
    std::string operator()(Duration duration) const { return formatDuration(duration.ns, language); }
    std::string operator()(ByteSize size) const { return formatBytes(size.bytes); }
    std::string operator()(Count count) const { return formatCount(count.number); }
    std::string operator()(const Ranks& ranks) const { return formatRanks(ranks.ranks, language); }
    std::string operator()(const MessageList& list) const {
        const bool zh = language == Language::Chinese;
        std::string text;
        for (std::size_t i = 0; i < list.items.size(); ++i) {
            const bool lastOfChoice = list.kind == MessageList::Conjunction::Or && i + 1 == list.items.size();
            if (i > 0)
                appendSpaced(text, lastOfChoice ? (zh ? "或" : " or ") : zh ? "、" : ", ");
            appendSpaced(text, list.items[i].text(language));
        }
        return text;
    }
};

std::string filled(const std::vector<PatternPart>& parts, const std::vector<PatternPart>& english,
                   const std::vector<MessageArgument>& arguments, Language language) {
    std::string text;
    for (const PatternPart& part : parts) {
        if (!part.argument) {
            language == Language::Chinese ? appendSpaced(text, part.text) : void(text += part.text);
            continue;
        }
        if (*part.argument >= arguments.size())
            continue;
        std::string specification = part.specification;
        for (const PatternPart& same : english)
            if (specification.empty() && same.argument == part.argument)
                specification = same.specification;
        const std::string value = std::visit(ArgumentWriter{language, specification}, arguments[*part.argument]);
        language == Language::Chinese ? appendSpaced(text, value) : void(text += value);
    }
    return text;
}

} // namespace

std::string messageId(std::string_view pattern) {
    std::string id;
    for (const PatternPart& part : partsOf(pattern))
        if (part.argument)
            id += fmt::format("{{{}}}", *part.argument);
        else
            for (const char c : part.text)
                id += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
    return id;
}

const std::map<std::string, std::string, std::less<>>& chinesePatterns() {
    static const auto patterns = [] {
        std::map<std::string, std::string, std::less<>> all;
        for (const std::string_view file : kChineseJsons)
            all.merge(nlohmann::json::parse(file).get<std::map<std::string, std::string, std::less<>>>());
        return all;
    }();
    return patterns;
}

std::string Message::text(Language language) const {
    if (m_pattern.empty())
        return m_text;
    const auto& chinese = chinesePatterns();
    if (m_arguments.empty()) {
        const auto at = language == Language::Chinese ? chinese.find(m_pattern) : chinese.end();
        return at == chinese.end() ? m_pattern : at->second;
    }
    const std::vector<PatternPart> english = partsOf(m_pattern);
    if (language == Language::Chinese)
        if (const auto at = chinese.find(messageId(m_pattern)); at != chinese.end())
            return filled(partsOf(at->second), english, m_arguments, language);
    return filled(english, english, m_arguments, language);
}

std::string placed(std::string_view where, std::string_view what, Language language) {
    return where.empty() ? std::string(what)
                         : fmt::format("{}{}{}", where, language == Language::Chinese ? "：" : ": ", what);
}

Language localeLanguage() {
    for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"})
        if (const char* value = std::getenv(name); value && *value)
            return std::string_view(value).starts_with("zh") ? Language::Chinese : Language::English;
    return Language::English;
}

namespace {

using nlohmann::json;

struct ArgumentToJson {
    json operator()(const std::string& text) const { return text; }
    json operator()(std::int64_t number) const { return number; }
    json operator()(double number) const { return number; }
    json operator()(Duration duration) const { return {{"ns", duration.ns}}; }
    json operator()(ByteSize size) const { return {{"bytes", size.bytes}}; }
    json operator()(Count count) const { return {{"count", count.number}}; }
    json operator()(const Ranks& ranks) const { return {{"ranks", ranks.ranks}}; }
    json operator()(const MessageList& list) const {
        json items = json::array();
        for (const Message& item : list.items)
            items.push_back(item.toJson());
        return {{list.kind == MessageList::Conjunction::Or ? "any_of" : "all_of", std::move(items)}};
    }
};

constexpr int kDeepest = 8;
constexpr std::size_t kMostItems = 64;

} // namespace

/// Builds messages from untrusted JSON; none if it is not valid.
class MessageReader {
public:
    static std::optional<Message> read(const json& value, int depth) {
        if (value.is_string())
            return Message(value.get<std::string>());
        if (!value.is_object() || depth >= kDeepest)
            return std::nullopt;
        const auto id = value.find("id"), arguments = value.find("arguments");
        if (id == value.end() || !id->is_string() || arguments == value.end() || !arguments->is_array() ||
            arguments->size() > kMostItems)
            return std::nullopt;
        Message message;
        message.m_pattern = id->get<std::string>();
        for (const json& one : *arguments) {
            auto argument = argumentOf(one, depth);
            if (!argument)
                return std::nullopt;
            message.m_arguments.push_back(std::move(*argument));
        }
        return message;
    }

private:
    static std::optional<MessageArgument> argumentOf(const json& value, int depth) {
        if (value.is_string())
            return value.get<std::string>();
        if (value.is_number_integer())
            return value.get<std::int64_t>();
        if (value.is_number_float())
            return value.get<double>();
        if (!value.is_object() || value.size() != 1)
            return std::nullopt;
        const std::string& kind = value.begin().key();
        const json& content = value.begin().value();
        if (content.is_number_integer()) {
            const auto number = content.get<std::int64_t>();
            return kind == "ns"      ? std::optional<MessageArgument>(Duration{number})
                   : kind == "bytes" ? std::optional<MessageArgument>(ByteSize{number})
                   : kind == "count" ? std::optional<MessageArgument>(Count{number})
                                     : std::nullopt;
        }
        if (!content.is_array() || content.size() > kMostItems)
            return std::nullopt;
        if (kind == "ranks") {
            Ranks ranks;
            for (const json& rank : content) {
                if (!rank.is_number_integer())
                    return std::nullopt;
                ranks.ranks.push_back(static_cast<int>(
                    std::clamp<std::int64_t>(rank.get<std::int64_t>(), -1, std::numeric_limits<int>::max())));
            }
            return ranks;
        }
        MessageList list{kind == "any_of" ? MessageList::Conjunction::Or : MessageList::Conjunction::And, {}};
        for (const json& item : content) {
            auto message = read(item, depth + 1);
            if (!message)
                return std::nullopt;
            list.items.push_back(std::move(*message));
        }
        return list;
    }
};

Message Message::fromJson(const json& value, std::string otherwise) {
    auto message = MessageReader::read(value, 0);
    return message ? std::move(*message) : Message(std::move(otherwise));
}

json Message::toJson() const {
    if (m_pattern.empty())
        return m_text;
    json arguments = json::array();
    for (const MessageArgument& argument : m_arguments)
        arguments.push_back(std::visit(ArgumentToJson{}, argument));
    return {{"id", m_pattern}, {"arguments", std::move(arguments)}};
}

} // namespace rankscope
