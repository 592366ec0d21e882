// SPDX-License-Identifier: Apache-2.0
#include "core/config/schema/key_lookup.h"

#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"

#include <algorithm>

namespace rankscope::config {

bool isSelected(const SectionSpec& spec, const Node& section) {
    const Node* selector = spec.selectorKey.empty() ? nullptr : section.child(spec.selectorKey);
    if (!selector || selector->unresolved || isMissing(*selector) || !selector->isScalar())
        return spec.assumed;
    const std::string& value = selector->text;
    const auto dot = spec.selectorKey == "_target_" ? value.rfind('.') : std::string::npos;
    return (dot == std::string::npos ? value : value.substr(dot + 1)) == spec.selectorValue;
}

const SectionSpec* selectedSpec(const Facts& facts, std::string_view at, const Node& section) {
    const auto it = std::find_if(facts.sections.begin(), facts.sections.end(),
                                 [&](const SectionSpec& s) { return s.at == at && isSelected(s, section); });
    return it == facts.sections.end() ? nullptr : &*it;
}

const KeySpec* keySpec(const Node& root, const std::string& key, const Facts& facts) {
    const auto dot = key.rfind('.');
    const std::string at = dot == std::string::npos ? "" : key.substr(0, dot);
    const auto here = [&](const SectionSpec& s) { return s.at == at; };
    if (std::count_if(facts.sections.begin(), facts.sections.end(), here) < 2)
        return facts.key(key);
    const Node* section = find(root, at);
    const SectionSpec* spec = section && section->isMap() ? selectedSpec(facts, at, *section) : facts.section(at);
    return spec ? spec->find(key.substr(dot + 1)) : nullptr;
}

bool acts(const SectionSpec& spec, const Node& root) {
    if (spec.at.find('[') != std::string::npos)
        return false;
    const Node* section = find(root, spec.at);
    if (spec.at == "rankscope.ddp") { // DDP's arguments stand here, or in a strategy that is a section
        const Node* strategy = find(root, "trainer.strategy");
        return !strategy || !strategy->isMap();
    }
    if (spec.at == "trainer" || spec.at.starts_with("rankscope"))
        return !section || typeOf(*section) == Type::Null || section->isMap();
    return section && section->isMap() && isSelected(spec, *section);
}

bool isForeignModel(const Node& root, const Facts& facts) {
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

bool isFreeForm(const std::string& key, const Facts& facts) {
    return std::any_of(facts.freeForm.begin(), facts.freeForm.end(), [&](const std::string& free) {
        return key == free || (key.starts_with(free) && key[free.size()] == '.');
    });
}

std::optional<Node> effectiveNode(const Node& root, const std::string& key, const Facts& facts) {
    if (const Node* node = find(root, key))
        return *node;
    const auto dot = key.rfind('.');
    const std::string at = key.substr(0, dot == std::string::npos ? 0 : dot);
    const KeySpec* spec = keySpec(root, key, facts);
    const bool acting = std::any_of(facts.sections.begin(), facts.sections.end(),
                                    [&](const SectionSpec& s) { return s.at == at && acts(s, root); });
    if (!spec || !spec->code || !acting)
        return std::nullopt;
    return nodeOfText(*spec->code);
}

} // namespace rankscope::config
