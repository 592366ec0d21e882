// SPDX-License-Identifier: Apache-2.0
#include "core/config/schema/value_check.h"

#include "core/base/text/unit_format.h"
#include "core/config/yaml/scalar.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

namespace rankscope::config {
namespace {

using Wrong = std::optional<Message>;

/// Returns "a whole number" for "int".
Message withArticle(const std::string& type) {
    static const std::vector<std::pair<std::string, Message>> words{
        {"bool", "true or false"}, {"int", "a whole number"}, {"float", "a number"},
        {"string", "a text"},      {"list", "a list"},        {"map", "a section"}};
    for (const auto& [name, word] : words)
        if (name == type)
            return word;
    return type;
}

/// Returns "the int 3", or "a section" for a value that is not shown.
Message described(const Node& value) {
    switch (typeOf(value)) {
    case Type::String:
        return {"the text {}", toText(value)};
    case Type::Int:
        return {"the int {}", toText(value)};
    case Type::Float:
        return {"the float {}", toText(value)};
    case Type::Bool:
        return {"the bool {}", toText(value)};
    case Type::Map:
        return withArticle("map");
    default:
        return withArticle(std::string(typeName(typeOf(value))));
    }
}

MessageList wanted(const KeySpec& spec) {
    std::vector<Message> words;
    for (const auto& type : spec.types)
        words.push_back(withArticle(type));
    return anyOf(std::move(words));
}

bool typeFits(const KeySpec& spec, Type type) {
    const std::string name = type == Type::Map ? "map" : std::string(typeName(type));
    return spec.takes("any") || spec.takes(name) || (type == Type::Int && spec.takes("float"));
}

Wrong checkRange(const std::string& key, const KeySpec& spec, const Node& value) {
    const auto number = asDouble(value);
    if (!number)
        return {};
    if (typeOf(value) == Type::Int && !asInt(value))
        return Message("{} {} does not fit in 64 bits", key, value.text);
    if (!std::isfinite(*number))
        return Message("{} is {}, not a finite number", key, value.text);
    if (spec.min && *number < *spec.min)
        return Message("{} is {}, must be at least {}", key, value.text, *spec.min);
    if (spec.above && *number <= *spec.above)
        return Message("{} is {}, must be above {}", key, value.text, *spec.above);
    if (spec.max && *number > *spec.max)
        return Message("{} is {}, must be at most {}", key, value.text, *spec.max);
    if (spec.below && *number >= *spec.below)
        return Message("{} is {}, must be below {}", key, value.text, *spec.below);
    return {};
}

Wrong notOneOf(const std::string& key, const Node& value, const std::vector<std::string>& choices) {
    return suggesting({"{} is {}, must be one of {}", key, toText(value), allOf({choices.begin(), choices.end()})},
                      nearestWord(value.text, choices));
}

bool isNumberList(const Node& value, std::size_t size, bool whole) {
    return value.isList() && value.items.size() == size && std::ranges::all_of(value.items, [&](const Node& n) {
               const auto d = asDouble(n);
               return d && std::isfinite(*d) && (!whole || asInt(n));
           });
}

Wrong checkDevices(const std::string& key, const Node& value) {
    const Message bad("{} is {}; give a count (2), -1 or auto for all, or a list ([0, 2])", key, toText(value));
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

Wrong checkPrecision(const std::string& key, const Node& value) {
    static const std::vector<std::string> known{
        "16",      "32",      "64",      "bf16",      "16-mixed",           "bf16-mixed",
        "32-true", "64-true", "16-true", "bf16-true", "transformer-engine", "transformer-engine-float16"};
    if (typeOf(value) == Type::Null)
        return {};
    return std::ranges::find(known, value.text) == known.end() ? notOneOf(key, value, known) : Wrong{};
}

Wrong checkBetas(const std::string& key, const Node& value) {
    const bool fits = isNumberList(value, 2, false) && std::ranges::all_of(value.items, [](const Node& n) {
                          return *asDouble(n) >= 0 && *asDouble(n) < 1;
                      });
    return fits ? Wrong{} : Message("{} is {}, must be two numbers from 0 to below 1", key, toText(value));
}

/// Checks for [left, right] and for [left, chunk, right]; checkContradictions() knows which of them the style takes.
Wrong checkAttContext(const std::string& key, const Node& value) {
    const auto isContext = [](const Node& n) { return isNumberList(n, 2, true) || isNumberList(n, 3, true); };
    if (typeOf(value) == Type::Null || isContext(value))
        return {};
    const bool many = value.isList() && !value.items.empty() && std::ranges::all_of(value.items, isContext);
    return many ? Wrong{} : Message("{} is {}, but must be [left, right] in frames, -1 for all", key, toText(value));
}

Wrong checkConvContext(const std::string& key, const Node& value) {
    if (typeOf(value) == Type::Null || value.text == "causal" || isNumberList(value, 2, true))
        return {};
    return Message("{} is {}, must be null, causal, or [left, right]", key, toText(value));
}

Wrong checkConvNorm(const std::string& key, const Node& value) {
    static const std::vector<std::string> known{"batch_norm", "layer_norm", "instance_norm", "fused_batch_norm",
                                                "group_norm8"};
    const std::string& s = value.text;
    const bool group =
        s.starts_with("group_norm") && s.size() > 10 && s.find_first_not_of("0123456789", 10) == std::string::npos;
    return group || std::find(known.begin(), known.end(), s) != known.end() ? Wrong{} : notOneOf(key, value, known);
}

/// Checks a communication hook. Lightning needs a function with a name, so get_method is the only one of Hydra's forms
/// that works: a text stays a text, and the result of _partial_ has no name.
Wrong checkCommHook(const std::string& key, const Node& value) {
    if (typeOf(value) == Type::Null)
        return {};
    const Node* target = value.isMap() ? value.child("_target_") : nullptr;
    const Node* path = value.isMap() ? value.child("path") : nullptr;
    const bool named = target && path && value.entries.size() == 2 && path->isScalar() && !path->text.empty() &&
                       (target->text == "hydra.utils.get_method" || target->text == "hydra.utils.get_object");
    return named ? Wrong{}
                 : Message("{} must be null or {{_target_: hydra.utils.get_method, path: "
                           "torch.distributed.algorithms.ddp_comm_hooks.default_hooks.fp16_compress_hook}}",
                           key);
}

Wrong checkManifest(const std::string& key, const Node& value) {
    const auto isPath = [](const Node& n) { return n.isScalar() && typeOf(n) == Type::String && !n.text.empty(); };
    if (!value.isList())
        return typeOf(value) == Type::Null || isPath(value) ? Wrong{}
                                                            : Message("{} must be a path or a list of paths", key);
    for (const auto& item : value.items) {
        const bool nested = item.isList() && std::ranges::all_of(item.items, isPath);
        if (!isPath(item) && !nested)
            return Message("{} contains {}, but must be a path or a list of paths", key, toText(item));
    }
    return value.items.empty() ? Message("{} is an empty list", key) : Wrong{};
}

Wrong checkCommand(const std::string& key, const Node& value) {
    if (typeOf(value) == Type::Null || (value.isList() && value.items.empty()))
        return {};
    const auto isWord = [](const Node& n) { return n.isScalar() && typeOf(n) != Type::Null; };
    const bool words = value.isList() && std::ranges::all_of(value.items, isWord);
    return words && !value.items.front().text.empty()
               ? Wrong{}
               : Message("{} is {}, must be a program and its arguments, as [notify-send, Rankscope]", key,
                         toText(value));
}

/// Checks a number of batches as Lightning does: up to 1.0 it is a share of the batches, above that a whole number of
/// them.
Wrong checkBatches(const std::string& key, const Node& value) {
    const auto number = asDouble(value);
    return number && *number > 1 && *number != std::floor(*number)
               ? Message("{} is {}, must be a share from 0.0 to 1.0 or a whole number of batches", key, value.text)
               : Wrong{};
}

Wrong checkInterval(const std::string& key, const Node& value) {
    return typeOf(value) == Type::Int && asDouble(value) == 0.0
               ? Message("{} is {}, must be at least {} as a number of batches", key, value.text, 1)
               : checkBatches(key, value);
}

/// Checks for keys whose values have a special form.
constexpr std::pair<std::string_view, Wrong (*)(const std::string& key, const Node&)> kShapes[] = {
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

Wrong checkValue(const std::string& key, const KeySpec& spec, const Node& value) {
    const Type type = typeOf(value);
    if (!typeFits(spec, type))
        return Message("{} must be {}, not {}", key, wanted(spec), described(value));
    if (auto wrong = checkRange(key, spec, value))
        return wrong;
    if (!spec.choices.empty() && type == Type::String &&
        std::ranges::find(spec.choices, value.text) == spec.choices.end())
        return notOneOf(key, value, spec.choices);
    const auto* shape =
        std::find_if(std::begin(kShapes), std::end(kShapes), [&](const auto& s) { return s.first == spec.name; });
    return shape == std::end(kShapes) ? Wrong{} : shape->second(key, value);
}

} // namespace rankscope::config
