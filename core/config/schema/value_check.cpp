// SPDX-License-Identifier: Apache-2.0
#include "core/config/schema/value_check.h"

#include "core/base/text/unit_format.h"
#include "core/config/yaml/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

namespace rankscope::config {
namespace {

using Wrong = std::optional<std::string>;

std::string article(const std::string& type) {
    static const std::vector<std::pair<std::string, std::string>> words{
        {"bool", "true or false"}, {"int", "a whole number"}, {"float", "a number"}, {"string", "a text"},
        {"list", "a list"},        {"map", "a section"},      {"null", "null"}};
    for (const auto& [name, word] : words)
        if (name == type)
            return word;
    return type;
}

std::string wanted(const KeySpec& spec) {
    std::vector<std::string> words;
    for (const auto& type : spec.types)
        words.push_back(article(type));
    const std::string last = words.back();
    words.pop_back();
    return words.empty() ? last : fmt::format("{} or {}", fmt::join(words, ", "), last);
}

bool typeFits(const KeySpec& spec, Type type) {
    const std::string name = type == Type::Map ? "map" : std::string(typeName(type));
    return spec.takes("any") || spec.takes(name) || (type == Type::Int && spec.takes("float"));
}

Wrong checkRange(const KeySpec& spec, const Node& value) {
    const auto number = asDouble(value);
    if (!number)
        return {};
    if (typeOf(value) == Type::Int && !asInt(value))
        return fmt::format("{} does not fit 64 bits", value.text);
    if (!std::isfinite(*number))
        return fmt::format("is {}, not a finite number", value.text);
    if (spec.min && *number < *spec.min)
        return fmt::format("is {}, must be at least {}", value.text, *spec.min);
    if (spec.above && *number <= *spec.above)
        return fmt::format("is {}, must be above {}", value.text, *spec.above);
    if (spec.max && *number > *spec.max)
        return fmt::format("is {}, must be at most {}", value.text, *spec.max);
    if (spec.below && *number >= *spec.below)
        return fmt::format("is {}, must be below {}", value.text, *spec.below);
    return {};
}

Wrong notOneOf(const Node& value, const std::vector<std::string>& choices) {
    return fmt::format("is {}, must be one of {}{}", toText(value), fmt::join(choices, ", "),
                       didYouMean(value.text, choices));
}

bool isNumberList(const Node& value, std::size_t size, bool whole) {
    return value.isList() && value.items.size() == size && std::ranges::all_of(value.items, [&](const Node& n) {
               const auto d = asDouble(n);
               return d && std::isfinite(*d) && (!whole || asInt(n));
           });
}

Wrong checkDevices(const Node& value) {
    const auto bad = fmt::format("is {}; give a count (2), -1 or auto for all, or a list ([0, 2])", toText(value));
    if (const auto n = asInt(value))
        return *n >= 1 || *n == -1 ? Wrong{} : bad;
    if (value.isList())
        return !value.items.empty() &&
                       std::ranges::all_of(value.items, [](const Node& n) { return asInt(n) && *asInt(n) >= 0; })
                   ? Wrong{}
                   : bad;
    const std::string& s = value.text;
    const bool numbers = !s.empty() && s.find_first_not_of("0123456789, ") == std::string::npos;
    return s == "auto" || s == "-1" || (numbers && s != "0") ? Wrong{} : bad;
}

Wrong checkPrecision(const Node& value) {
    static const std::vector<std::string> known{
        "16",      "32",      "64",      "bf16",      "16-mixed",           "bf16-mixed",
        "32-true", "64-true", "16-true", "bf16-true", "transformer-engine", "transformer-engine-float16"};
    if (typeOf(value) == Type::Null)
        return {};
    return std::ranges::find(known, value.text) == known.end() ? notOneOf(value, known) : Wrong{};
}

Wrong checkBetas(const Node& value) {
    const bool fits = isNumberList(value, 2, false) && std::ranges::all_of(value.items, [](const Node& n) {
                          return *asDouble(n) >= 0 && *asDouble(n) < 1;
                      });
    return fits ? Wrong{} : fmt::format("is {}, must be two numbers from 0 to below 1", toText(value));
}

Wrong checkAttContext(const Node& value) {
    if (typeOf(value) == Type::Null || isNumberList(value, 2, true))
        return {};
    const bool many = value.isList() && !value.items.empty() &&
                      std::ranges::all_of(value.items, [](const Node& n) { return isNumberList(n, 2, true); });
    return many ? Wrong{} : fmt::format("is {}, must be [left, right] in frames, -1 for all", toText(value));
}

Wrong checkConvContext(const Node& value) {
    if (typeOf(value) == Type::Null || value.text == "causal" || isNumberList(value, 2, true))
        return {};
    return fmt::format("is {}, must be null, causal, or [left, right]", toText(value));
}

Wrong checkConvNorm(const Node& value) {
    static const std::vector<std::string> known{"batch_norm", "layer_norm", "instance_norm", "fused_batch_norm",
                                                "group_norm8"};
    const std::string& s = value.text;
    const bool group =
        s.starts_with("group_norm") && s.size() > 10 && s.find_first_not_of("0123456789", 10) == std::string::npos;
    return group || std::find(known.begin(), known.end(), s) != known.end() ? Wrong{} : notOneOf(value, known);
}

/// Checks a communication hook. Lightning needs a function with a name, so get_method is the only one of Hydra's forms
/// that works: a text stays a text, and the result of _partial_ has no name.
Wrong checkCommHook(const Node& value) {
    if (typeOf(value) == Type::Null)
        return {};
    const Node* target = value.isMap() ? value.child("_target_") : nullptr;
    const Node* path = value.isMap() ? value.child("path") : nullptr;
    const bool named = target && path && value.entries.size() == 2 && path->isScalar() && !path->text.empty() &&
                       (target->text == "hydra.utils.get_method" || target->text == "hydra.utils.get_object");
    return named ? Wrong{}
                 : "must be null or {_target_: hydra.utils.get_method, path: "
                   "torch.distributed.algorithms.ddp_comm_hooks.default_hooks.fp16_compress_hook}";
}

Wrong checkManifest(const Node& value) {
    const auto isPath = [](const Node& n) { return n.isScalar() && typeOf(n) == Type::String && !n.text.empty(); };
    if (!value.isList())
        return typeOf(value) == Type::Null || isPath(value) ? Wrong{} : "must be a path or a list of paths";
    for (const auto& item : value.items) {
        const bool nested = item.isList() && std::ranges::all_of(item.items, isPath);
        if (!isPath(item) && !nested)
            return fmt::format("holds {}, must be a path or a list of paths", toText(item));
    }
    return value.items.empty() ? Wrong{"is an empty list"} : Wrong{};
}

Wrong checkCommand(const Node& value) {
    if (typeOf(value) == Type::Null || (value.isList() && value.items.empty()))
        return {};
    const auto isWord = [](const Node& n) { return n.isScalar() && typeOf(n) != Type::Null; };
    const bool words = value.isList() && std::ranges::all_of(value.items, isWord);
    return words && !value.items.front().text.empty()
               ? Wrong{}
               : fmt::format("is {}, must be a program and its arguments, as [notify-send, Rankscope]", toText(value));
}

/// Checks a number of batches as Lightning does: up to 1.0 it is a share of the batches, above that a whole number of
/// them.
Wrong checkBatches(const Node& value) {
    const auto number = asDouble(value);
    return number && *number > 1 && *number != std::floor(*number)
               ? fmt::format("is {}, must be a share from 0.0 to 1.0 or a whole number of batches", value.text)
               : Wrong{};
}

Wrong checkInterval(const Node& value) {
    return typeOf(value) == Type::Int && asDouble(value) == 0.0
               ? fmt::format("is {}, must be at least {} as a number of batches", value.text, 1)
               : checkBatches(value);
}

/// Checks for keys whose values have a special form.
constexpr std::pair<std::string_view, Wrong (*)(const Node&)> kShapes[] = {
    {"limit_train_batches", checkBatches}, {"limit_val_batches", checkBatches},
    {"limit_test_batches", checkBatches},  {"limit_predict_batches", checkBatches},
    {"val_check_interval", checkInterval}, {"devices", checkDevices},
    {"precision", checkPrecision},         {"betas", checkBetas},
    {"att_context_size", checkAttContext}, {"conv_context_size", checkConvContext},
    {"conv_norm_type", checkConvNorm},     {"ddp_comm_hook", checkCommHook},
    {"manifest_filepath", checkManifest},  {"noise_manifest", checkManifest},
    {"on_incident", checkCommand},
};

} // namespace

Wrong checkValue(const KeySpec& spec, const Node& value) {
    const Type type = typeOf(value);
    if (!typeFits(spec, type)) {
        const bool shown = type != Type::Null && type != Type::List && type != Type::Map;
        return fmt::format("must be {}, not {}", wanted(spec),
                           shown
                               ? fmt::format("the {} {}", type == Type::String ? "text" : typeName(type), toText(value))
                               : article(type == Type::Map ? "map" : std::string(typeName(type))));
    }
    if (auto wrong = checkRange(spec, value))
        return wrong;
    if (!spec.choices.empty() && type == Type::String &&
        std::ranges::find(spec.choices, value.text) == spec.choices.end())
        return notOneOf(value, spec.choices);
    const auto* shape =
        std::find_if(std::begin(kShapes), std::end(kShapes), [&](const auto& s) { return s.first == spec.name; });
    return shape == std::end(kShapes) ? Wrong{} : shape->second(value);
}

} // namespace rankscope::config
