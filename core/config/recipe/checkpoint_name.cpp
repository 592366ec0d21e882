// SPDX-License-Identifier: Apache-2.0
#include "core/config/recipe/checkpoint_name.h"

#include "core/base/values/saturating.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace rankscope::config {
namespace {

using NameFailure = tl::unexpected<Message>;

/// Returns whether this is a supported format spec of Python: [0][width][.precision][d|e|f|g]; each number has at most
/// two digits.
bool isSpec(std::string_view spec) {
    const auto digits = [&] {
        std::size_t n = 0;
        while (n < spec.size() && std::isdigit(static_cast<unsigned char>(spec[n])))
            ++n;
        spec.remove_prefix(n);
        return n;
    };
    if (digits() > 3)
        return false;
    if (spec.starts_with('.')) {
        spec.remove_prefix(1);
        if (const auto n = digits(); n == 0 || n > 2)
            return false;
    }
    return spec.empty() || spec == "d" || spec == "e" || spec == "f" || spec == "g";
}

bool isField(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '/' || c == '.' || c == '-';
    });
}

} // namespace

tl::expected<CheckpointName, Message> CheckpointName::parse(const std::string& text, bool named) {
    if (text.find('/') != std::string::npos && text.find('/') < text.find('{'))
        return NameFailure("is a folder; checkpoints are written to the run folder");
    CheckpointName name;
    name.m_named = named;
    std::string_view rest = text;
    for (;;) {
        NamePart part;
        const auto open = rest.find_first_of("{}");
        part.literal = rest.substr(0, open);
        if (part.literal.find('/') != std::string::npos)
            return NameFailure("is a folder; checkpoints are written to the run folder");
        if (open == std::string_view::npos) {
            name.m_parts.push_back(std::move(part));
            break;
        }
        const auto close = rest.find('}', open);
        if (rest[open] == '}' || close == std::string_view::npos)
            return NameFailure("has an unmatched brace");
        const std::string_view field = rest.substr(open + 1, close - open - 1);
        const auto colon = field.find(':');
        part.field = field.substr(0, colon);
        part.spec = colon == std::string_view::npos ? "" : field.substr(colon + 1);
        part.whole = part.field == "epoch" || part.field == "step" || part.spec.ends_with('d');
        if (!isField(part.field) || !isSpec(part.spec))
            return NameFailure(Message("has the field {{{}}}; a field is a name, with a format such as .3f", field));
        if (part.whole && part.spec.find('.') != std::string::npos)
            return NameFailure(Message("has the field {{{}}}, which formats a whole number with a fraction", field));
        name.m_parts.push_back(std::move(part));
        rest = rest.substr(close + 1);
    }
    if (text.empty() || text.front() == '.')
        return NameFailure("must be a file name that does not begin with a dot");
    return name;
}

std::string CheckpointName::format(const std::map<std::string, double>& values) const {
    std::string out;
    for (const NamePart& part : m_parts) {
        out += part.literal;
        if (part.field.empty())
            continue;
        const auto found = values.find(part.field);
        const double value = found == values.end() ? 0 : found->second;
        if (m_named)
            out += part.field + "=";
        const std::string spec = "{:" + part.spec + "}";
        out += part.whole ? fmt::format(fmt::runtime(spec), saturatingInt64(value))
                          : fmt::format(fmt::runtime(spec), value);
    }
    std::replace(out.begin(), out.end(), '/', '_'); // a metric may have a name such as val/loss
    return out;
}

std::size_t CheckpointName::longest() const {
    std::map<std::string, double> values;
    for (const std::string& field : fields())
        values[field] = field == "epoch" || field == "step" ? 999'999'999.0 : -999'999'999.0;
    return format(values).size();
}

std::vector<std::string> CheckpointName::fields() const {
    std::vector<std::string> out;
    for (const NamePart& part : m_parts)
        if (!part.field.empty())
            out.push_back(part.field);
    return out;
}

} // namespace rankscope::config
