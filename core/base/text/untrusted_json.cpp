// SPDX-License-Identifier: Apache-2.0
#include "core/base/text/untrusted_json.h"

namespace rankscope {

using nlohmann::json;

namespace {

/// Builds nothing and stops at the first value that is nested too deeply. The CBOR reader is recursive itself, so this
/// check must run before it builds a value.
class DepthCheck final : public json::json_sax_t {
public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return ++m_depth <= kDeepestJson; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return --m_depth >= 0; }
    bool start_array(std::size_t) override { return ++m_depth <= kDeepestJson; }
    bool end_array() override { return --m_depth >= 0; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

private:
    int m_depth = 0;
};

const json* memberOf(const json& object, const char* key) {
    if (!object.is_object())
        return nullptr;
    const auto at = object.find(key);
    return at == object.end() ? nullptr : &*at;
}

} // namespace

std::optional<json> readJson(std::string_view text) {
    DepthCheck check;
    if (!json::sax_parse(text, &check))
        return std::nullopt;
    return json::parse(text, nullptr, false);
}

std::optional<json> readCbor(std::string_view bytes) {
    DepthCheck check;
    if (!json::sax_parse(bytes, &check, json::input_format_t::cbor))
        return std::nullopt;
    json value = json::from_cbor(bytes, true, false);
    return value.is_discarded() ? std::nullopt : std::optional(std::move(value));
}

std::string dumpJson(const json& value) {
    if (value.is_array())
        return "a list";
    if (value.is_object())
        return "an object";
    const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

bool boolOr(const json& object, const char* key, bool fallback) {
    const json* member = memberOf(object, key);
    return member && member->is_boolean() ? member->get<bool>() : fallback;
}

double doubleOr(const json& object, const char* key, double fallback) {
    const json* member = memberOf(object, key);
    return member && member->is_number() ? member->get<double>() : fallback;
}

std::int64_t intOr(const json& object, const char* key, std::int64_t fallback) {
    const json* member = memberOf(object, key);
    return member ? wholeNumber<std::int64_t>(*member).value_or(fallback) : fallback;
}

std::string textIn(const json& object, const char* key) {
    const json* member = memberOf(object, key);
    return member && member->is_string() ? member->get<std::string>() : std::string();
}

} // namespace rankscope
