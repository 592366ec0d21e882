// SPDX-License-Identifier: Apache-2.0
#include "core/explain/dump/json_values.h"

#include "core/base/text/terminal_safe.h"

#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace rankscope::explain {
namespace {

using nlohmann::json;
using trainer::pickle::Id;
using trainer::pickle::PickleKind;
using trainer::pickle::Value;

constexpr std::size_t kMostJsonValues = 4u << 20; ///< as many as of a pickle

/// Turns the events of the parser into values. A list or object that is open is an id on a stack.
class JsonBuilder final : public json::json_sax_t {
public:
    bool null() override { return add({.kind = PickleKind::None}); }
    bool boolean(bool value) override { return add({.kind = PickleKind::Bool, .integer = value}); }
    bool number_integer(number_integer_t n) override { return add({.kind = PickleKind::Integer, .integer = n}); }
    bool number_unsigned(number_unsigned_t n) override {
        if (!std::in_range<std::int64_t>(n))
            return add({.kind = PickleKind::Other});
        return number_integer(static_cast<std::int64_t>(n));
    }
    bool number_float(number_float_t n, const string_t&) override { return add({.kind = PickleKind::Real, .real = n}); }
    bool string(string_t& text) override {
        return add({.kind = PickleKind::Text, .text = m_out.texts.emplace_back(std::move(text))});
    }
    bool binary(binary_t&) override { return add({.kind = PickleKind::Other}); }
    bool key(string_t& text) override { return string(text); }
    bool start_object(std::size_t) override { return open(PickleKind::Dict); }
    bool start_array(std::size_t) override { return open(PickleKind::List); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t at, const std::string& token, const nlohmann::detail::exception&) override {
        m_problem = Message("it is not JSON from byte {} on: {}", at, printableLine(token.substr(0, 40)));
        return false;
    }

    JsonValues take() { return std::move(m_out); }
    const Message& problem() const { return m_problem; }

private:
    bool add(Value value) {
        auto& all = m_out.values.all;
        if (all.size() >= kMostJsonValues) {
            m_problem = Message("more than {} values", kMostJsonValues);
            return false;
        }
        all.push_back(std::move(value));
        if (!m_open.empty())
            all[m_open.back()].items.push_back(static_cast<Id>(all.size() - 1));
        return true;
    }

    bool open(PickleKind kind) {
        if (!add({.kind = kind}))
            return false;
        m_open.push_back(static_cast<Id>(m_out.values.all.size() - 1));
        return true;
    }

    bool close() {
        m_open.pop_back();
        return true;
    }

    JsonValues m_out;
    Message m_problem;
    std::vector<Id> m_open;
};

} // namespace

tl::expected<JsonValues, Message> readJsonValues(std::string_view text) {
    JsonBuilder builder;
    if (!json::sax_parse(text, &builder))
        return tl::unexpected(builder.problem());
    return builder.take();
}

} // namespace rankscope::explain
