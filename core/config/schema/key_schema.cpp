// SPDX-License-Identifier: Apache-2.0
#include "core/config/schema/key_schema.h"

#include "core/config/schema/nemo_version.h"
#include "core/config/yaml/scalar.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>

namespace rankscope::config {
namespace {

using OrderedJson = nlohmann::ordered_json; // the order of NeMo's file and of the constructors matters

std::vector<std::string> split(const std::string& s, char by) {
    std::vector<std::string> out(1);
    for (const char c : s) {
        if (c == by)
            out.emplace_back();
        else
            out.back() += c;
    }
    return out;
}

Node nodeOf(const OrderedJson& json) {
    Node node;
    if (json.is_string()) {
        const auto text = json.get<std::string>();
        // interpolations and ??? keep their meaning, so they are not quoted
        return text.find("${") != std::string::npos || text == "???" ? Node::plain(text) : Node::string(text);
    }
    if (json.is_array()) {
        node.kind = Node::Kind::List;
        for (const auto& item : json)
            node.items.push_back(nodeOf(item));
        return node;
    }
    return json.is_null() ? node : Node::plain(json.dump());
}

KeySpec readKey(const std::string& name, const OrderedJson& json, const std::string& source) {
    KeySpec key;
    key.name = name;
    key.types = split(json.at("type").get<std::string>(), '|');
    key.source = json.value("source", source);
    if (json.contains("default"))
        key.code = toText(nodeOf(json.at("default")));
    if (json.contains("choices"))
        key.choices = json.at("choices").get<std::vector<std::string>>();
    const auto number = [&](const char* bound, std::optional<double>& to) {
        if (json.contains(bound))
            to = json.at(bound).get<double>();
    };
    number("min", key.min);
    number("max", key.max);
    number("above", key.above);
    number("below", key.below);
    key.required = json.value("required", false);
    key.ranks = json.value("ranks", false);
    return key;
}

SectionSpec readSection(const OrderedJson& json) {
    SectionSpec section;
    section.at = json.at("at").get<std::string>();
    if (json.contains("selected_by")) {
        section.selectorKey = json.at("selected_by").at("key").get<std::string>();
        section.selectorValue = json.at("selected_by").at("value").get<std::string>();
    }
    const auto source = json.at("source").get<std::string>();
    for (const auto& [name, key] : json.at("keys").items())
        section.keys.push_back(readKey(name, key, source));
    return section;
}

void addCode(KeySchema& facts, const OrderedJson& json) {
    for (const auto& item : json.at("code")) {
        SectionSpec section = readSection(item);
        section.assumed = !facts.section(section.at);
        facts.sections.push_back(std::move(section));
    }
}

OrderedJson parseFormat(const std::string_view text) {
    OrderedJson json = OrderedJson::parse(text);
    if (json.at("format") != "rankscope-facts" || json.at("version") != 1)
        throw std::runtime_error("not of format rankscope-facts, version 1");
    return json;
}

/// Returns the compiled-in text of a version's facts.
OrderedJson builtinJson(const std::string& nemoVersion) {
    for (const auto text : kNemoFactsJsons)
        if (OrderedJson json = parseFormat(text); json.at("sources").at("nemo") == nemoVersion)
            return json;
    throw std::runtime_error(fmt::format("its base, NeMo {}, is not known", nemoVersion));
}

/// Completes a file that only gives the differences from another version: the new keys of each section, and null for a
/// removed one.
OrderedJson completed(const OrderedJson& json, int depth = 0) {
    if (!json.contains("base"))
        return json;
    if (depth > 8)
        throw std::runtime_error("its base refers back to itself");
    OrderedJson whole = completed(builtinJson(json.at("base").get<std::string>()), depth + 1);
    whole["sources"] = json.at("sources");
    for (const auto& change : json.at("changes")) {
        auto& code = whole.at("code");
        const auto section =
            std::ranges::find_if(code, [&](const OrderedJson& s) { return s.at("at") == change.at("at"); });
        if (section == code.end())
            throw std::runtime_error(fmt::format("changes {}, which its base does not have", change.at("at").dump()));
        for (const auto& [name, key] : change.at("keys").items()) {
            if (key.is_null())
                section->at("keys").erase(name);
            else
                section->at("keys")[name] = key;
        }
    }
    return whole;
}

/// Sets the default of rankscope.nemo to this version if these facts were chosen for recipes that do not name one.
void setOwnVersion(KeySchema& facts) {
    if (!nemoVersionOf(facts.nemoVersion))
        return;
    for (auto& section : facts.sections)
        for (auto& key : section.keys)
            if (section.at == "rankscope" && key.name == "nemo")
                key.code = facts.nemoVersion;
}

KeySchema parseFacts(const std::string_view text) {
    const OrderedJson json = completed(parseFormat(text));
    KeySchema facts;
    facts.nemoVersion = json.at("sources").at("nemo").get<std::string>();
    for (const auto& [key, value] : json.at("recipe").at("values").items())
        facts.yaml.emplace_back(key, toText(nodeOf(value)));
    facts.freeForm = json.at("free_form").get<std::vector<std::string>>();
    addCode(facts, json);
    addCode(facts, OrderedJson::parse(kRankscopeKeysJsons.front()));
    setOwnVersion(facts);
    return facts;
}

} // namespace

bool KeySpec::takes(std::string_view type) const {
    return std::ranges::find(types, type) != types.end();
}

const KeySpec* SectionSpec::find(std::string_view name) const {
    const auto it = std::ranges::find_if(keys, [&](const KeySpec& k) { return k.name == name; });
    return it == keys.end() ? nullptr : &*it;
}

const SectionSpec* KeySchema::section(std::string_view at) const {
    const auto it = std::ranges::find_if(sections, [&](const SectionSpec& s) { return s.at == at; });
    return it == sections.end() ? nullptr : &*it;
}

const KeySpec* KeySchema::key(const std::string& key) const {
    const auto dot = key.rfind('.');
    const std::string at = dot == std::string::npos ? "" : key.substr(0, dot);
    const std::string name = dot == std::string::npos ? key : key.substr(dot + 1);
    for (const auto& s : sections)
        if (const KeySpec* spec = s.at == at ? s.find(name) : nullptr)
            return spec;
    return nullptr;
}

/// These texts are our own; a test proves that they parse.
static const std::vector<KeySchema>& allFacts() {
    static const std::vector<KeySchema> all = [] {
        std::vector<KeySchema> facts;
        for (const auto json : kNemoFactsJsons)
            facts.push_back(parseFacts(json));
        return facts;
    }();
    return all;
}

std::vector<std::string> factsVersions() {
    std::vector<std::string> versions;
    for (const auto& facts : allFacts())
        versions.push_back(facts.nemoVersion);
    return versions;
}

const KeySchema* schemaOf(std::string_view nemoVersion) {
    const auto it =
        std::ranges::find_if(allFacts(), [&](const KeySchema& facts) { return facts.nemoVersion == nemoVersion; });
    return it == allFacts().end() ? nullptr : &*it;
}

std::optional<Problem> factsProblem(const char* chosen) {
    if (!chosen || schemaOf(chosen))
        return std::nullopt;
    const auto versions = factsVersions();
    return errorAt({}, {"RANKSCOPE_NEMO is {}, which is not a supported NeMo version; supported: {}", chosen,
                        allOf({versions.begin(), versions.end()})});
}

const KeySchema& builtinSchema() {
    static const KeySchema& facts = [&]() -> const KeySchema& {
        const char* chosen = std::getenv("RANKSCOPE_NEMO");
        const KeySchema* named = chosen ? schemaOf(chosen) : nullptr;
        return named ? *named : *schemaOf(toText(kUnsaidNemo));
    }();
    return facts;
}

const KeySchema& schemaFor(const Node& root, const KeySchema& facts) {
    if (&facts != &builtinSchema())
        return facts;
    const Node* said = find(root, "rankscope.nemo");
    const KeySchema* named = said && said->isScalar() && !said->unresolved ? schemaOf(said->text) : nullptr;
    return named ? *named : facts;
}

const KeySchema* versionWithKey(const std::string& key, const KeySchema& facts) {
    if (!schemaOf(facts.nemoVersion))
        return nullptr;
    const auto it = std::ranges::find_if(allFacts(), [&](const KeySchema& other) {
        return other.nemoVersion != facts.nemoVersion && other.key(key) != nullptr;
    });
    return it == allFacts().end() ? nullptr : &*it;
}

Result<KeySchema> readFacts(const std::string& json, const std::string& fileName) {
    try {
        return parseFacts(json);
    } catch (const std::exception& e) {
        return fail(Errc::Malformed, {"not a facts file: {}", e.what()}, fileName);
    }
}

} // namespace rankscope::config
