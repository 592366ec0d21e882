// SPDX-License-Identifier: Apache-2.0
#include "core/config/schema/key_lookup.h"

#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rankscope::config {
namespace {

Node* sectionAt(Node& root, const std::string& at) {
    Node* node = &root;
    for (const auto& part : splitKey(at)) {
        if (typeOf(*node) == Type::Null)
            *node = Node::map();
        if (!node->isMap())
            return nullptr;
        node = &node->childOrNew(part);
    }
    if (typeOf(*node) == Type::Null)
        *node = Node::map();
    return node->isMap() ? node : nullptr;
}

/// The keys that some of the known versions of NeMo have and others do not, with their defaults.
const std::unordered_map<std::string, std::vector<const ValueText*>>& defaultsOfSomeVersions() {
    static const auto defaults = [] {
        std::unordered_map<std::string, std::vector<const ValueText*>> some;
        const auto versions = factsVersions();
        const auto add = [&](const std::string& key) {
            std::vector<const ValueText*> codes;
            bool everyVersion = true;
            for (const std::string& version : versions) {
                const KeySpec* spec = schemaOf(version)->key(key);
                everyVersion &= spec != nullptr;
                if (spec && spec->code)
                    codes.push_back(&*spec->code);
            }
            if (!everyVersion)
                some.emplace(key, std::move(codes));
        };
        for (const std::string& version : versions)
            for (const SectionSpec& section : schemaOf(version)->sections)
                for (const KeySpec& spec : section.keys)
                    add(joinKey(section.at, spec.name));
        return some;
    }();
    return defaults;
}

/// Cached: the same few texts would otherwise be parsed again for each evaluation.
const Node& defaultNode(const ValueText& text) {
    static thread_local std::unordered_map<std::string, Node> nodes;
    const auto it = nodes.find(text);
    return it != nodes.end() ? it->second : nodes.emplace(text, parseValue(text)).first->second;
}

bool isGiven(const Node* node) {
    return node && !node->unresolved && typeOf(*node) != Type::Null && !isMissing(*node);
}

void addFromCode(Node& section, const std::string& name, Node value) {
    Entry entry{Node::plain(name), std::move(value)};
    entry.value.at = {};
    entry.value.origin = Origin::Code;
    section.entries.push_back(std::move(entry));
}

void injectSampleRate(Node& model, const char* set) {
    Node* section = model.child(set);
    const Node* rate = model.child("sample_rate");
    if (!section || !section->isMap() || !isGiven(rate))
        return;
    Node* own = section->child("sample_rate");
    if (!own)
        addFromCode(*section, "sample_rate", Node(*rate));
    else if (typeOf(*own) == Type::Null)
        own->kind = rate->kind, own->text = rate->text;
}

void injectOptimizer(Node& model) {
    Node* optim = model.child("optim");
    if (!optim || !optim->isMap() || optim->child("name"))
        return;
    const Node* target = optim->child("_target_");
    const std::string known = isGiven(target) ? optimizerOfClass(target->text) : "adam";
    // the name of an unknown class stays as it is
    addFromCode(*optim, "name", Node::string(known.empty() ? target->text : known));
}

} // namespace

bool isSelected(const SectionSpec& spec, const Node& section) {
    const Node* selector = spec.selectorKey.empty() ? nullptr : section.child(spec.selectorKey);
    if (!selector || selector->unresolved || isMissing(*selector) || !selector->isScalar())
        return spec.assumed;
    const std::string& value = selector->text;
    const auto dot = spec.selectorKey == "_target_" ? value.rfind('.') : std::string::npos;
    return (dot == std::string::npos ? value : value.substr(dot + 1)) == spec.selectorValue;
}

const SectionSpec* selectedSpec(const KeySchema& facts, std::string_view at, const Node& section) {
    const auto it = std::find_if(facts.sections.begin(), facts.sections.end(),
                                 [&](const SectionSpec& s) { return s.at == at && isSelected(s, section); });
    return it == facts.sections.end() ? nullptr : &*it;
}

const KeySpec* keySpec(const Node& root, const std::string& key, const KeySchema& facts) {
    const auto dot = key.rfind('.');
    const std::string at = dot == std::string::npos ? "" : key.substr(0, dot);
    const auto here = [&](const SectionSpec& s) { return s.at == at; };
    if (std::count_if(facts.sections.begin(), facts.sections.end(), here) < 2)
        return facts.key(key);
    const Node* section = find(root, at);
    const SectionSpec* spec = section && section->isMap() ? selectedSpec(facts, at, *section) : facts.section(at);
    return spec ? spec->find(key.substr(dot + 1)) : nullptr;
}

bool isSectionActive(const SectionSpec& spec, const Node& root) {
    if (spec.at.find('[') != std::string::npos)
        return false;
    const Node* section = find(root, spec.at);
    if (spec.at == "rankscope.ddp") { // DDP's arguments are written here, or in a strategy that is a section
        const Node* strategy = find(root, "trainer.strategy");
        return !strategy || !strategy->isMap();
    }
    if (spec.at == "trainer" || spec.at.starts_with("rankscope"))
        return !section || typeOf(*section) == Type::Null || section->isMap();
    return section && section->isMap() && isSelected(spec, *section);
}

bool isForeignModel(const Node& root, const KeySchema& facts) {
    for (const char* at : {"model.quantizer", "model.masking"})
        if (!find(root, at))
            return !find(root, "model.quantizer") && !find(root, "model.masking");
    for (const auto& spec : facts.sections) {
        const Node* section = spec.selectorKey == "_target_" ? find(root, spec.at) : nullptr;
        if (section && section->isMap() && !isSelected(spec, *section))
            return true;
    }
    return false;
}

bool isFreeForm(const std::string& key, const KeySchema& facts) {
    return std::any_of(facts.freeForm.begin(), facts.freeForm.end(), [&](const std::string& free) {
        return key == free || (key.starts_with(free) && key[free.size()] == '.');
    });
}

bool isDefaultOfSomeVersions(const std::string& key, const Node& value) {
    const auto& some = defaultsOfSomeVersions();
    const auto it = some.find(key);
    return it != some.end() &&
           std::ranges::any_of(it->second, [&](const ValueText* code) { return sameValue(value, defaultNode(*code)); });
}

std::optional<Node> effectiveNode(const Node& root, const std::string& key, const KeySchema& facts) {
    if (const Node* node = find(root, key))
        return *node;
    const auto dot = key.rfind('.');
    const std::string at = key.substr(0, dot == std::string::npos ? 0 : dot);
    const KeySpec* spec = keySpec(root, key, facts);
    const bool acting = std::any_of(facts.sections.begin(), facts.sections.end(),
                                    [&](const SectionSpec& s) { return s.at == at && isSectionActive(s, root); });
    if (!spec || !spec->code || !acting)
        return std::nullopt;
    return parseValue(*spec->code);
}

Node knownSections(const Node& tree, const KeySchema& facts) {
    Node known = Node::map();
    for (const auto& e : tree.entries) {
        const std::string& name = e.key.text;
        const auto here = [&](const SectionSpec& s) {
            return s.at.starts_with(name) && (s.at.size() == name.size() || s.at[name.size()] == '.');
        };
        if (!e.mergeKey && std::any_of(facts.sections.begin(), facts.sections.end(), here))
            known.entries.push_back(e);
    }
    return known;
}

Node withCodeDefaults(Node root, const Node& resolved, const KeySchema& facts) {
    for (const auto& spec : facts.sections) {
        Node* section = isSectionActive(spec, resolved) ? sectionAt(root, spec.at) : nullptr;
        for (const auto& key : spec.keys)
            if (section && key.code && !section->child(key.name))
                addFromCode(*section, key.name, defaultNode(*key.code));
    }
    return root;
}

std::string optimizerOfClass(const std::string& target) {
    constexpr std::pair<const char*, const char*> kOptimizers[]{{"Adam", "adam"}, {"AdamW", "adamw"}, {"SGD", "sgd"}};
    for (const auto& [type, name] : kOptimizers)
        for (const char* const module : {"", "adam.", "adamw.", "sgd."})
            if (target == std::string("torch.optim.") + module + type)
                return name;
    return {};
}

void applyNemoDerivedValues(Node& root) {
    Node* model = root.child("model");
    if (!model || !model->isMap())
        return;
    injectOptimizer(*model);
    injectSampleRate(*model, "train_ds");
    injectSampleRate(*model, "validation_ds");
}

} // namespace rankscope::config
