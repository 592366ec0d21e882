// SPDX-License-Identifier: Apache-2.0
#include "core/config/yaml/scalar.h"

#include "core/base/text/terminal_safe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace rankscope::config {
namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isOneOf(std::string_view s, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, s) != words.end();
}

/// Returns true for "yes", "Yes" and "YES", but not for "yEs".
bool isWord(std::string_view s, std::string_view lower) {
    if (s.size() != lower.size())
        return false;
    std::string title(lower), upper(lower);
    title[0] = static_cast<char>(title[0] - 32);
    for (char& c : upper)
        c = static_cast<char>(c - 32);
    return s == lower || s == title || s == upper;
}

std::string withoutUnderscores(std::string_view s) {
    std::string out(s);
    std::erase(out, '_');
    return out;
}

std::optional<std::int64_t> parseDigits(std::string_view digits, int base, bool negative) {
    const std::string clean = (negative ? "-" : "") + withoutUnderscores(digits);
    std::int64_t value = 0;
    const auto [end, ec] = std::from_chars(clean.data(), clean.data() + clean.size(), value, base);
    return ec == std::errc{} && end == clean.data() + clean.size() ? std::optional(value) : std::nullopt;
}

bool consistsOf(std::string_view s, std::string_view allowed) {
    return !s.empty() && s.find_first_not_of(allowed) == std::string_view::npos;
}

/// Returns whether this is 1:30 or 1:30.5, YAML 1.1's base 60.
bool isBase60(std::string_view s) {
    const auto colon = s.find(':');
    if (colon == std::string_view::npos || colon == 0 || !consistsOf(s.substr(0, colon), "0123456789_") || s[0] == '_')
        return false;
    for (std::string_view rest = s.substr(colon); !rest.empty();) {
        const auto next = std::min(rest.find(':', 1), rest.size());
        const auto part = rest.substr(1, next - 1);
        if (part.empty() || part.size() > 2 || !consistsOf(part, "0123456789") || (part.size() == 2 && part[0] > '5'))
            return false;
        rest.remove_prefix(next);
    }
    return true;
}

/// Returns whether this is 1:30.5, in base 60 with a fraction.
bool isBase60Float(std::string_view s) {
    const auto dot = s.find('.');
    return dot != std::string_view::npos && isBase60(s.substr(0, dot)) &&
           s.find_first_not_of("0123456789_", dot + 1) == std::string_view::npos;
}

std::string_view withoutSign(std::string_view s) {
    return !s.empty() && (s[0] == '-' || s[0] == '+') ? s.substr(1) : s;
}

bool isInt(std::string_view text) {
    const auto s = withoutSign(text);
    if (s == "0")
        return true;
    if (s.starts_with("0b"))
        return consistsOf(s.substr(2), "01_");
    if (s.starts_with("0x"))
        return consistsOf(s.substr(2), "0123456789abcdefABCDEF_");
    if (s.starts_with("0"))
        return consistsOf(s.substr(1), "01234567_");
    return !s.empty() && isDigit(s[0]) && (consistsOf(s, "0123456789_") || isBase60(s));
}

/// Takes digits that start with one ("1_000") from the front; may be empty where allowed.
std::string_view takeDigits(std::string_view& s) {
    std::size_t n = 0;
    while (n < s.size() && (isDigit(s[n]) || (n > 0 && s[n] == '_')))
        ++n;
    const auto digits = s.substr(0, n);
    s.remove_prefix(n);
    return digits;
}

bool isFloat(std::string_view text) {
    auto s = withoutSign(text);
    if (isOneOf(s, {".inf", ".Inf", ".INF"}) || isOneOf(text, {".nan", ".NaN", ".NAN"}))
        return true;
    if (isBase60Float(s))
        return true;
    if (s.starts_with('.') && s.size() != text.size())
        return false; // "-.5" is a string for PyYAML and OmegaConf
    const auto whole = takeDigits(s);
    bool point = false;
    std::string_view fraction;
    if (!s.empty() && s[0] == '.') {
        point = true;
        s.remove_prefix(1);
        fraction = takeDigits(s);
    }
    if (whole.empty() && fraction.empty())
        return false;
    if (s.empty())
        return point;
    if (s[0] != 'e' && s[0] != 'E')
        return false;
    const auto exponent = withoutSign(s.substr(1));
    return consistsOf(exponent, "0123456789");
}

std::optional<std::int64_t> parseInt(std::string_view text) {
    const bool negative = text.starts_with("-");
    const auto s = withoutSign(text);
    if (s.starts_with("0b"))
        return parseDigits(s.substr(2), 2, negative);
    if (s.starts_with("0x"))
        return parseDigits(s.substr(2), 16, negative);
    if (s.size() > 1 && s[0] == '0')
        return parseDigits(s.substr(1), 8, negative);
    if (!isBase60(s))
        return parseDigits(s, 10, negative);
    std::int64_t total = 0;
    for (std::string_view rest = s; !rest.empty();) {
        const auto colon = std::min(rest.find(':'), rest.size());
        const auto part = parseDigits(rest.substr(0, colon), 10, false);
        if (!part || total > std::numeric_limits<std::int64_t>::max() / 61 || *part > (std::int64_t{1} << 40))
            return std::nullopt;
        total = total * 60 + *part;
        rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
    return negative ? -total : total;
}

double parseFloat(std::string_view text) {
    const double sign = text.starts_with("-") ? -1 : 1;
    const std::string s = withoutUnderscores(withoutSign(text));
    if (isOneOf(s, {".inf", ".Inf", ".INF"}))
        return sign * std::numeric_limits<double>::infinity();
    if (const auto dot = s.find('.'); isBase60Float(s)) {
        const auto whole = parseInt(s.substr(0, dot));
        return whole ? sign * (static_cast<double>(*whole) + parseFloat("0" + s.substr(dot)))
                     : sign * std::numeric_limits<double>::infinity();
    }
    double value = std::numeric_limits<double>::quiet_NaN();
    if (isOneOf(s, {".nan", ".NaN", ".NAN"}))
        return value;
    // from_chars, not strtod: a comma locale must not change a learning rate
    const auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), value);
    if (ec == std::errc::result_out_of_range)
        return s.find("e-") != std::string::npos || s.find("E-") != std::string::npos
                   ? 0.0
                   : sign * std::numeric_limits<double>::infinity();
    return sign * value;
}

Type plainType(std::string_view s) {
    if (s.empty() || s == "~")
        return Type::Null;
    // the first letter is enough to recognize most texts as strings
    static constexpr std::string_view kOfWords = "nNtTfFyYoO", kOfNumbers = "0123456789+-.";
    if (kOfNumbers.find(s.front()) != std::string_view::npos)
        return isInt(s) ? Type::Int : isFloat(s) ? Type::Float : Type::String;
    if (s.size() > 5 || kOfWords.find(s.front()) == std::string_view::npos)
        return Type::String;
    if (isWord(s, "null"))
        return Type::Null;
    for (const char* word : {"true", "false", "yes", "no", "on", "off"})
        if (isWord(s, word))
            return Type::Bool;
    return Type::String;
}

/// Escapes the characters beyond ASCII that a terminal would obey, among them those that break lines in YAML 1.1, and
/// the mark of a file's start. JSON's escapes are YAML's, too; yaml-cpp misreads YAML's own \N, \L and \P.
std::string withoutCommands(std::string_view s) {
    std::string out;
    while (!s.empty()) {
        const std::size_t size = std::max<std::size_t>(characterBytes(s), 1);
        const std::string_view character = s.substr(0, size);
        out += character == "\xef\xbb\xbf" ? "\\ufeff" : size > 1 ? printableJson(character) : std::string(character);
        s.remove_prefix(size);
    }
    return out;
}

/// Returns whether a character of the text must be escaped.
bool holdsCommand(const std::string& s) {
    const auto isControl = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    const auto isBeyondAscii = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
    return std::ranges::any_of(s, isControl) || (std::ranges::any_of(s, isBeyondAscii) && withoutCommands(s) != s);
}

/// Returns whether the text contains something that ends a plain scalar, or its line, wherever it is written, or that
/// may only be written with an escape.
bool endsPlain(const std::string& s) {
    return holdsCommand(s) || s.find(": ") != std::string::npos || s.find(" #") != std::string::npos;
}

/// Returns whether the text can be written without quotes anywhere in one line, also inside brackets.
bool isPlainSafe(const std::string& s) {
    if (s.empty() || s.front() == ' ' || s.back() == ' ' || s.back() == ':')
        return false;
    if (std::string_view("-?:,[]{}#&*!|>'\"%@`=").find(s.front()) != std::string_view::npos)
        return false;
    if (endsPlain(s))
        return false;
    return s.find_first_of(",?[]{}\\") == std::string::npos && !s.starts_with("---") && !s.starts_with("...") &&
           s != "<<";
}

std::string doubleQuoted(const std::string& s) {
    constexpr std::string_view kEscaped = "\"\\\n\r\t", kLetters = "\"\\nrt";
    std::string out = "\"";
    for (const char c : s)
        if (const auto at = kEscaped.find(c); at != std::string_view::npos)
            out += {'\\', kLetters[at]};
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        else
            out += c;
    return withoutCommands(out) + "\"";
}

std::string stringText(const std::string& s) {
    return plainType(s) == Type::String && isPlainSafe(s) && s != "???" ? s : doubleQuoted(s);
}

std::string scalarText(const Node& node) {
    if (node.quoted)
        return stringText(node.text);
    if (isMissing(node))
        return "???";
    if (plainType(node.text) != Type::String)
        return node.text.empty() ? "null" : node.text;
    // a whole interpolation reads best as it was written
    const bool wholeInterpolation =
        node.text.starts_with("${") && node.text.find('}') + 1 == node.text.size() && !endsPlain(node.text);
    return wholeInterpolation ? node.text : stringText(node.text);
}

} // namespace

std::string_view typeName(Type type) {
    static constexpr std::array<std::string_view, 7> names{"null", "bool", "int", "float", "string", "list", "section"};
    return names[static_cast<std::size_t>(type)];
}

Type typeOf(const Node& node) {
    switch (node.kind) {
    case Node::Kind::Null:
        return Type::Null;
    case Node::Kind::List:
        return Type::List;
    case Node::Kind::Map:
        return Type::Map;
    case Node::Kind::Scalar:
        break;
    }
    return node.quoted ? Type::String : plainType(node.text);
}

std::optional<bool> asBool(const Node& node) {
    if (typeOf(node) != Type::Bool)
        return std::nullopt;
    return isWord(node.text, "true") || isWord(node.text, "yes") || isWord(node.text, "on");
}

std::optional<std::int64_t> asInt(const Node& node) {
    return typeOf(node) == Type::Int ? parseInt(node.text) : std::nullopt;
}

std::optional<double> asDouble(const Node& node) {
    if (typeOf(node) == Type::Int) {
        const auto i = parseInt(node.text);
        return i ? std::optional(static_cast<double>(*i)) : std::optional(parseFloat(node.text));
    }
    return typeOf(node) == Type::Float ? std::optional(parseFloat(node.text)) : std::nullopt;
}

bool isMissing(const Node& node) {
    // OmegaConf treats a quoted ??? as missing too
    return node.isScalar() && node.text == "???";
}

bool hasInterpolation(const Node& node) {
    return node.isScalar() && node.text.find("${") != std::string::npos;
}

/// Returns the text as written in brackets, where braces and question marks must be quoted.
static std::string textInBrackets(const Node& node) {
    return hasInterpolation(node) || isMissing(node) ? doubleQuoted(node.text) : toText(node);
}

ValueText toText(const Node& node) {
    std::vector<std::string> parts;
    switch (node.kind) {
    case Node::Kind::Null:
        return "null";
    case Node::Kind::Scalar:
        return scalarText(node);
    case Node::Kind::List:
        for (const auto& item : node.items)
            parts.push_back(textInBrackets(item));
        return fmt::format("[{}]", fmt::join(parts, ", "));
    case Node::Kind::Map:
        for (const auto& e : node.entries)
            if (!e.mergeKey)
                parts.push_back(stringText(e.key.text) + ": " + textInBrackets(e.value));
        return fmt::format("{{{}}}", fmt::join(parts, ", "));
    }
    return "null";
}

static bool sameEntries(const Node& a, const Node& b) {
    const auto own = [](const Node& n) {
        return std::ranges::count_if(n.entries, [](const Entry& e) { return !e.mergeKey; });
    };
    return own(a) == own(b) && std::ranges::all_of(a.entries, [&](const Entry& e) {
               const Node* other = e.mergeKey ? nullptr : b.child(e.key.text);
               return e.mergeKey || (other && sameValue(e.value, *other));
           });
}

bool sameValue(const Node& a, const Node& b) {
    const Type ta = typeOf(a), tb = typeOf(b);
    if (isMissing(a) || isMissing(b))
        return isMissing(a) && isMissing(b);
    const auto x = asDouble(a), y = asDouble(b);
    if (x && y)
        return ta == Type::Int && tb == Type::Int && asInt(a) && asInt(b) ? asInt(a) == asInt(b)
                                                                          : *x == *y || (*x != *x && *y != *y);
    if (ta != tb)
        return false;
    switch (ta) {
    case Type::Bool:
        return asBool(a) == asBool(b);
    case Type::List:
        return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), sameValue);
    case Type::Map:
        return sameEntries(a, b);
    case Type::Null:
        return true;
    default:
        return a.text == b.text;
    }
}

/// Returns the text as repr() gives it in Python.
static std::string pythonText(const std::string& s) {
    const char quote = s.find('\'') != std::string::npos && s.find('"') == std::string::npos ? '"' : '\'';
    std::string out(1, quote);
    for (const char c : s) {
        if (c == quote || c == '\\')
            out += '\\';
        if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else
            out += c;
    }
    return out + quote;
}

static std::string pythonItem(const Node& node) {
    return typeOf(node) == Type::String ? pythonText(node.text) : toPython(node);
}

std::string toPython(const Node& node) {
    std::vector<std::string> parts;
    switch (typeOf(node)) {
    case Type::Null:
        return "None";
    case Type::Bool:
        return *asBool(node) ? "True" : "False";
    case Type::Int: {
        const auto i = asInt(node);
        return i ? std::to_string(*i) : node.text;
    }
    case Type::Float: {
        const std::string s = fmt::format("{}", *asDouble(node));
        return s.find_first_not_of("-0123456789") == std::string::npos ? s + ".0" : s;
    }
    case Type::String:
        return node.text;
    case Type::List:
        for (const auto& item : node.items)
            parts.push_back(pythonItem(item));
        return fmt::format("[{}]", fmt::join(parts, ", "));
    case Type::Map:
        for (const auto& e : node.entries)
            if (!e.mergeKey)
                parts.push_back(pythonText(e.key.text) + ": " + pythonItem(e.value));
        return fmt::format("{{{}}}", fmt::join(parts, ", "));
    }
    return node.text;
}

namespace {

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;

/// Takes a number with a digit count in the given range from the front of a text.
std::optional<int> takeNumber(std::string_view& text, std::size_t fewestDigits, std::size_t mostDigits) {
    std::size_t digits = 0;
    int number = 0;
    for (; digits < std::min(text.size(), mostDigits) && text[digits] >= '0' && text[digits] <= '9'; ++digits)
        number = number * 10 + (text[digits] - '0');
    text.remove_prefix(digits);
    return digits < fewestDigits ? std::nullopt : std::optional(number);
}

std::optional<double> ofText(std::string_view text) {
    constexpr std::string_view kSpaces = " \t\n\v\f\r";
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    text.remove_suffix(text.size() - (text.find_last_not_of(kSpaces) + 1)); // npos + 1 is 0
    const auto days = takeNumber(text, 1, 6);
    double seconds = days ? *days * kDay : 0;
    for (const double unit : {kHour, kMinute, 1.0}) {
        if (!days || !text.starts_with(':'))
            return std::nullopt;
        text.remove_prefix(1);
        const auto number = takeNumber(text, 2, 2);
        if (!number)
            return std::nullopt;
        seconds += *number * unit;
    }
    return text.empty() ? std::optional(seconds) : std::nullopt;
}

std::optional<double> ofMap(const Node& map) {
    static constexpr std::array<std::pair<std::string_view, double>, 7> units{{{"weeks", 7 * kDay},
                                                                               {"days", kDay},
                                                                               {"hours", kHour},
                                                                               {"minutes", kMinute},
                                                                               {"seconds", 1},
                                                                               {"milliseconds", 1e-3},
                                                                               {"microseconds", 1e-6}}};
    double sum = 0;
    for (const auto& entry : map.entries) {
        const auto unit = std::ranges::find_if(units, [&](const auto& u) { return u.first == entry.key.text; });
        const auto count = asDouble(entry.value);
        if (unit == units.end() || !count)
            return std::nullopt;
        sum += *count * unit->second;
    }
    return sum;
}

} // namespace

std::optional<double> secondsOf(const Node& value) {
    const auto seconds = value.isMap() ? ofMap(value) : value.isScalar() ? ofText(value.text) : std::nullopt;
    return seconds && std::isfinite(*seconds) && *seconds > 0 ? seconds : std::nullopt;
}

} // namespace rankscope::config
