// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/key_table.h"

#include "core/config/check/loaded_recipe.h"
#include "core/config/hydra/interpolation.h"
#include "core/config/schema/key_lookup.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

namespace rankscope::config {
namespace {

/// NeMo's YAML, as written and as a resolved tree: `differs` compares with it.
struct NemoReference {
    Node resolved = Node::map();
    std::unordered_map<std::string, ValueText> written;

    explicit NemoReference(const KeySchema& facts) : written(facts.yaml.begin(), facts.yaml.end()) {
        Node root = Node::map();
        for (const auto& [key, value] : facts.yaml)
            put(root, splitKey(key), parseValue(value));
        std::vector<Problem> none;
        resolved = resolveAll(root, {}, none);
    }

    static void put(Node& root, const Path& path, Node value) {
        Node* node = &root;
        for (const auto& part : path) {
            if (!node->isMap())
                *node = Node::map();
            node = &node->childOrNew(part);
        }
        *node = std::move(value);
    }

    static std::shared_ptr<const NemoReference> of(const KeySchema& facts) {
        static const auto known = [] {
            std::unordered_map<const KeySchema*, std::shared_ptr<const NemoReference>> all;
            for (const auto& version : factsVersions())
                all.emplace(schemaOf(version), std::make_shared<const NemoReference>(*schemaOf(version)));
            return all;
        }();
        const auto it = known.find(&facts);
        return it != known.end() ? it->second : std::make_shared<const NemoReference>(facts);
    }
};

/// Looks up a map's children for a caller that asks in roughly the map's order; any other order falls back to hashing.
class OrderedLookup {
public:
    explicit OrderedLookup(const Node* map) : m_map(map && map->isMap() ? map : nullptr) {}

    const Node* find(const std::string& name) {
        if (!m_map)
            return nullptr;
        for (std::size_t i = m_next; i < std::min(m_next + 2, m_map->entries.size()); ++i)
            if (const Entry& e = m_map->entries[i]; !e.mergeKey && e.key.text == name) {
                m_next = i + 1;
                return &e.value;
            }
        if (!m_index)
            m_index.emplace(m_map);
        return m_index->find(name);
    }

private:
    const Node* m_map;
    std::size_t m_next = 0;
    std::optional<ChildIndex> m_index;
};

std::size_t countKeys(const Node& map) {
    std::size_t n = map.entries.size();
    for (const auto& e : map.entries)
        n += countKeys(e.value);
    return n;
}

/// One section of the effective tree, together with the same section in the other trees.
struct Section {
    std::string at;
    mutable OrderedLookup written, changed, reference;
    bool inReference = false;                                    ///< NeMo's YAML has this section
    std::size_t specs = 0;                                       ///< number of specs that the facts have for it
    const SectionSpec *spec = nullptr, *referenceSpec = nullptr; ///< the one of them that applies
    bool referenceActs = false;
};

class KeyTableBuilder {
public:
    KeyTableBuilder(const Loaded& loaded, const KeySchema& facts)
        : m_loaded(loaded), m_facts(facts), m_reference(NemoReference::of(facts)) {}

    std::vector<KeyRow> rows(const Node& full) {
        m_rows.reserve(countKeys(full));
        walk(full, "", m_loaded.written.get(), m_loaded.changed.get(), &m_reference->resolved);
        if (m_loaded.changed != m_loaded.written)
            removed(*m_loaded.written, "", m_loaded.changed.get(), &m_reference->resolved, full);
        std::move(m_defaults.begin(), m_defaults.end(), std::back_inserter(m_rows));
        requiredAndAbsent();
        return std::move(m_rows);
    }

private:
    Section section(const std::string& at, const Node* written, const Node* changed, const Node* reference) const {
        Section s{at, OrderedLookup(written), OrderedLookup(changed), OrderedLookup(reference)};
        s.inReference = reference && reference->isMap();
        const auto here = [&](const SectionSpec& spec) { return spec.at == at; };
        s.specs = static_cast<std::size_t>(std::ranges::count_if(m_facts.sections, here));
        if (s.specs == 0)
            return s;
        s.spec = s.specs < 2 ? nullptr : specOf(m_loaded.resolved, at);
        s.referenceSpec = s.specs < 2 ? nullptr : specOf(m_reference->resolved, at);
        s.referenceActs = std::ranges::any_of(m_facts.sections, [&](const SectionSpec& spec) {
            return here(spec) && isSectionActive(spec, m_reference->resolved);
        });
        return s;
    }

    const SectionSpec* specOf(const Node& root, const std::string& at) const {
        const Node* node = config::find(root, at);
        return node && node->isMap() ? selectedSpec(m_facts, at, *node) : m_facts.section(at);
    }

    void walk(const Node& map, const std::string& at, const Node* written, const Node* changed, const Node* reference) {
        const Section here = section(at, written, changed, reference);
        for (const auto& e : map.entries) {
            if (e.mergeKey)
                continue;
            const std::string& name = e.key.text;
            const Node* mine = here.written.find(name);
            if (e.value.isMap() && !e.value.entries.empty())
                walk(e.value, joinKey(at, name), mine, here.changed.find(name), here.reference.find(name));
            else if (e.value.origin != Origin::Code)
                m_rows.push_back(row(here, name, &e.value));
            else if (!mine)
                m_defaults.push_back(row(here, name, &e.value));
        }
    }

    /// Adds rows for the keys that an override removed from the file.
    void removed(const Node& map, const std::string& at, const Node* changed, const Node* reference, const Node& full) {
        const Section here = section(at, &map, changed, reference);
        for (const auto& e : map.entries) {
            if (e.mergeKey)
                continue;
            const Node* still = here.changed.find(e.key.text);
            const std::string key = joinKey(at, e.key.text);
            if (e.value.isMap() && !e.value.entries.empty())
                removed(e.value, key, still, here.reference.find(e.key.text), full);
            else if (!still)
                m_rows.push_back(row(here, e.key.text, config::find(full, key)));
        }
    }

    void requiredAndAbsent() {
        for (const auto& spec : m_facts.sections) {
            const Node* node = config::find(m_loaded.resolved, spec.at);
            if (!node || !isSectionActive(spec, m_loaded.resolved))
                continue;
            const Section here =
                section(spec.at, config::find(*m_loaded.written, spec.at), config::find(*m_loaded.changed, spec.at),
                        config::find(m_reference->resolved, spec.at));
            for (const auto& key : spec.keys)
                if (key.required && !node->child(key.name))
                    m_rows.push_back(row(here, key.name, nullptr));
        }
    }

    const KeySpec* specIn(const Section& here, const SectionSpec* selected, const std::string& key,
                          const std::string& name) const {
        if (here.specs < 2)
            return here.specs == 0 ? nullptr : m_facts.key(key);
        return selected ? selected->find(name) : nullptr;
    }

    KeyRow row(const Section& here, const std::string& name, const Node* node) const {
        KeyRow r;
        r.key = joinKey(here.at, name);
        if (const Node* written = here.written.find(name)) {
            r.yours = toText(*written);
            r.at = written->at;
        }
        if (const auto it = here.inReference ? m_reference->written.find(r.key) : m_reference->written.end();
            it != m_reference->written.end())
            r.nemoYaml = it->second;
        const KeySpec* spec = specIn(here, here.spec, r.key, name);
        if (spec && spec->code) {
            r.code = spec->code;
            r.codeSource = spec->source;
        }
        if (node) {
            r.origin = node->origin;
            r.isOpen = !node->unresolved && isMissing(*node);
            if (!node->unresolved && !r.isOpen)
                r.effective = toText(*node);
        }
        r.differs = isDifferent(here, r.key, name, node);
        describe(r, spec, node);
        return r;
    }

    bool isDifferent(const Section& here, const std::string& key, const std::string& name, const Node* node) const {
        if (const Node* reference = here.reference.find(name))
            return !node || !sameValue(*node, *reference);
        const KeySpec* spec = specIn(here, here.referenceSpec, key, name);
        const bool acting = spec && spec->code && here.referenceActs;
        if (!spec && node && isDefaultOfSomeVersions(key, *node))
            return false;
        if (!node || !acting)
            return (node != nullptr) != acting;
        return !sameValue(*node, parseValue(*spec->code));
    }

    static void describe(KeyRow& r, const KeySpec* spec, const Node* node) {
        std::string valueType = node ? std::string(typeName(typeOf(*node))) : "null";
        if (!spec) {
            r.type = valueType;
            return;
        }
        r.spec = spec;
        r.affectsRanks = spec->ranks;
        r.choices = spec->choices;
        const bool fits = valueType != "null" && spec->takes(valueType == "section" ? "map" : valueType);
        r.type = fits || spec->takes("any") ? valueType : spec->types.front();
        if (r.type == "map")
            r.type = "section";
    }

    const Loaded& m_loaded;
    const KeySchema& m_facts;
    const std::shared_ptr<const NemoReference> m_reference;
    std::vector<KeyRow> m_rows, m_defaults;
};

} // namespace

std::vector<KeyRow> buildKeyTable(const Loaded& loaded, const Node& full, const KeySchema& facts) {
    return KeyTableBuilder(loaded, facts).rows(full);
}

} // namespace rankscope::config
