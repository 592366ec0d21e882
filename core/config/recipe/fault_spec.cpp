// SPDX-License-Identifier: Apache-2.0
#include "core/config/recipe/fault_spec.h"

#include "core/base/text/unit_format.h"
#include "core/base/values/result.h"
#include "core/config/recipe/recipe_reader.h"
#include "core/config/schema/value_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace rankscope::config {
namespace {

using SpecWords = std::vector<std::string_view>;

const SpecWords kAnyPhase{"forward", "data_wait", "to_device", "preprocess",
                          "augment", "loss",      "backward",  "optimizer"};

const std::vector<FaultKind> kKinds{
    {"data_loading", "the loader sleeps before it makes the batch of that step", {"step", "steps", "seconds"}},
    {"slow_reader", "every file of the batches of these steps takes longer to read", {"step", "steps", "seconds"}},
    {"preprocessing",
     "computing features takes longer",
     {"step", "steps", "seconds", "phase"},
     {"preprocess", "augment", "to_device"}},
    {"long_batch", "the batch is lengthened to `seconds` of audio", {"step", "steps", "seconds"}},
    {"uneven_batches", "the rank has no batch from that step on, and ends its epochs", {"step"}},
    {"no_length_sync", "the rank leaves out the length all-reduce that the others enter", {"step", "steps"}},
    {"other_settings", "the rank trains with another value of a key", {"set"}},
    {"never_joined", "the rank sleeps before it joins the rendezvous", {"seconds"}},
    {"stopped", "the rank is stopped by SIGSTOP and continued later", {"step", "seconds", "phase"}, kAnyPhase},
    {"dead",
     "the rank is killed by a signal or exits with a code",
     {"step", "signal", "exit_code", "phase"},
     kAnyPhase},
    {"out_of_memory", "the rank allocates memory until an allocation fails", {"step", "megabytes", "phase"}, kAnyPhase},
    {"slow_compute",
     "computing takes longer: a busy loop",
     {"step", "steps", "seconds", "phase", "place", "layer"},
     {"forward", "loss", "backward", "optimizer"}},
    {"slow_rank", "forward and backward take `factor` times as long", {"step", "steps", "factor"}},
    {"checkpoint", "rank 0's checkpoints take longer to write", {"step", "steps", "seconds"}},
    {"nan_input", "the audio of the batch contains NaN", {"step", "steps"}},
    {"inf_loss", "the loss is infinite", {"step", "steps"}},
    {"empty_batch", "no frame of the batch is masked", {"step", "steps"}},
    {"stuck_collective",
     "the rank enters a collective and does not take part in it",
     {"step", "seconds", "collective"}},
};

/// Returns the text to write after a key; quoted if the grammar requires it, empty if the key is left out.
std::string valueText(const FaultConfig& f, std::string_view key) {
    const auto word = [](const std::string& s) { return s.empty() ? s : fmt::format("'{}'", s); };
    const std::pair<std::string_view, std::string> values[] = {
        {"step", std::to_string(f.step)},
        {"steps", f.steps == kToTheEnd ? "" : std::to_string(f.steps)},
        {"seconds", fmt::format("{}", f.seconds)},
        {"factor", fmt::format("{}", f.factor)},
        {"phase", f.phase},
        {"place", f.place},
        {"layer", f.layer < 0 ? "" : std::to_string(f.layer)},
        {"collective", word(f.collective)},
        {"signal", f.signal},
        {"exit_code", f.signal.empty() ? std::to_string(f.exitCode) : ""},
        {"megabytes", std::to_string(f.megabytes)},
        {"set", word(f.set)},
    };
    const auto* found = std::ranges::find_if(values, [&](const auto& value) { return value.first == key; });
    return found == std::end(values) ? "" : found->second;
}

tl::unexpected<Error> wrong(const std::string& text, Message what) {
    return fail(Errc::BadInput, std::move(what), fmt::format("--fault {}", text));
}

MessageList listed(const SpecWords& words) {
    std::vector<Message> all;
    for (const std::string_view word : words)
        all.emplace_back(std::string(word));
    return allOf(std::move(all));
}

std::vector<std::string> namesOf(std::span<const FaultKind> kinds) {
    std::vector<std::string> names;
    for (const auto& kind : kinds)
        names.emplace_back(kind.name);
    return names;
}

/// Parses "key=value", with the same checks as for this key in rankscope.faults[].
Result<Entry> parsePart(const std::string& text, const std::string& part, const FaultKind& kind) {
    const SectionSpec& spec = *builtinSchema().section("rankscope.faults[]");
    const auto equals = part.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == part.size())
        return wrong(text, {"\"{}\" must be key=value", part});
    const std::string key = part.substr(0, equals), value = part.substr(equals + 1);
    std::vector<std::string> keys{"rank"};
    keys.insert(keys.end(), kind.keys.begin(), kind.keys.end());
    if (std::ranges::find(keys, key) == keys.end())
        return wrong(text,
                     suggesting({"{} does not take {}; it takes {}", kind.name, key, allOf({keys.begin(), keys.end()})},
                                nearestWord(key, keys)));
    Entry entry{Node::string(key), Node::plain(value)};
    const KeySpec& keySpec = *spec.find(key);
    if (keySpec.takes("string"))
        entry.value = Node::string(value);
    if (auto bad = checkValue(key, keySpec, entry.value))
        return wrong(text, std::move(*bad));
    if (auto bad = faultMisfit(kind, key, value))
        return wrong(text, std::move(*bad));
    return entry;
}

} // namespace

std::span<const FaultKind> faultKinds() {
    return kKinds;
}

const FaultKind* faultKind(std::string_view name) {
    const auto found = std::ranges::find_if(kKinds, [&](const auto& kind) { return kind.name == name; });
    return found == kKinds.end() ? nullptr : &*found;
}

std::optional<Message> faultMisfit(const FaultKind& kind, const std::string& key, const std::string& value) {
    const std::string name = key.substr(key.rfind('.') + 1);
    if (name == "kind" || name == "rank")
        return std::nullopt;
    if (std::ranges::find(kind.keys, name) == kind.keys.end())
        return Message("{} is not a key of a {} fault; it takes rank, {}", key, kind.name, listed(kind.keys));
    const bool known = value.empty() || std::ranges::find(kind.phases, value) != kind.phases.end();
    if (name == "phase" && !known)
        return Message("{} is {}, but a {} fault takes {}", key, value, kind.name, listed(kind.phases));
    if ((name == "set" || name == "collective") && value.find_first_of("'\\\n") != std::string::npos)
        return Message("{} is {}, but must not contain quotes or \\", key, value);
    if (const auto equals = value.find('='); name == "set" && (equals == std::string::npos || equals == 0))
        return Message("{} is {}, must be key=value", key, value);
    return std::nullopt;
}

Result<FaultConfig> parseFault(const std::string& text) {
    const auto colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const FaultKind* kind = faultKind(name);
    if (!kind) {
        const auto names = namesOf(kKinds);
        return wrong(text, suggesting({"\"{}\" is not a kind of fault; the kinds are {}", name,
                                       allOf({names.begin(), names.end()})},
                                      nearestWord(name, names)));
    }
    Node item = Node::map();
    item.entries.push_back({Node::string("kind"), Node::string(name)});
    std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
    while (!rest.empty()) {
        const auto comma = rest.find(',');
        RS_TRY_ASSIGN(auto entry, parsePart(text, rest.substr(0, comma), *kind));
        if (item.child(entry.key.text))
            return wrong(text, {"{} is given twice", entry.key.text});
        item.entries.push_back(std::move(entry));
        rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
        if (comma != std::string::npos && rest.empty())
            return wrong(text, "ends with a comma");
    }
    if (name == "other_settings" && !item.child("set"))
        return wrong(text, "needs set=KEY=VALUE: the key that differs on the rank");
    return readFault(item);
}

std::string faultYaml(const FaultConfig& fault) {
    std::string text = fmt::format("{{kind: {}, rank: {}", fault.kind, fault.rank);
    if (const FaultKind* kind = faultKind(fault.kind))
        for (const auto key : kind->keys)
            if (const std::string value = valueText(fault, key); !value.empty())
                text += fmt::format(", {}: {}", key, value);
    return text + "}";
}

std::string faultSpecText(const FaultConfig& fault) {
    std::string text = fmt::format("{} on rank {}", fault.kind, fault.rank);
    const FaultKind* kind = faultKind(fault.kind);
    if (!kind)
        return text;
    const auto has = [&](std::string_view key) { return std::ranges::find(kind->keys, key) != kind->keys.end(); };
    if (has("step"))
        text += fmt::format(" at step {}", fault.step);
    if (has("steps") && fault.steps == kToTheEnd)
        text += " and all that follow";
    else if (has("steps") && fault.steps > 1)
        text += fmt::format(" to {}", fault.step + fault.steps - 1);
    for (const auto key : kind->keys) {
        const std::string value = valueText(fault, key);
        if (key == "seconds")
            text += fmt::format(", {:g} s", fault.seconds);
        else if (key != "step" && key != "steps" && !value.empty())
            text += fmt::format(", {} {}", key, value);
    }
    return text;
}

} // namespace rankscope::config
