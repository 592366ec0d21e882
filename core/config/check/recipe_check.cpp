// SPDX-License-Identifier: Apache-2.0
#include "core/config/check/recipe_check.h"

#include "core/base/text/unit_format.h"
#include "core/config/check/cross_key_check.h"
#include "core/config/check/trainer_support.h"
#include "core/config/recipe/fault_spec.h"
#include "core/config/schema/key_lookup.h"
#include "core/config/schema/value_check.h"
#include "core/config/yaml/scalar.h"

#include <algorithm>

namespace rankscope::config {
namespace {

/// Sections without which NeMo cannot build the model.
const std::vector<std::string> kModelSections{"model.preprocessor", "model.masking", "model.quantizer", "model.encoder",
                                              "model.decoder",      "model.loss",    "model.optim"};

class Checker {
public:
    Checker(Loaded& loaded, const KeySchema& facts)
        : m_loaded(loaded), m_facts(facts), m_foreign(isForeignModel(loaded.resolved, facts)) {}

    void run() {
        for (const auto& entry : m_loaded.resolved.entries)
            if (!entry.mergeKey)
                topLevel(entry);
        required();
        checkContradictions(m_loaded.resolved, m_facts, m_loaded.problems);
    }

private:
    void report(Problem::Severity severity, const std::string& key, Position at, Message text) {
        m_loaded.problems.push_back({severity, key, at, std::move(text)});
    }
    void wrong(const std::string& key, Position at, Message text) {
        report(Problem::Severity::Error, key, at, std::move(text));
    }

    void topLevel(const Entry& entry) {
        static const std::vector<std::string> sections{"model", "trainer", "exp_manager", "rankscope"};
        const std::string& name = entry.key.text;
        if (std::ranges::find(sections, name) != sections.end()) {
            visitSection(name, entry.value);
        } else if (name == "name") {
            const Type type = typeOf(entry.value);
            if (type == Type::List || type == Type::Map)
                wrong(name, entry.value.at, {"{} must be a string", name});
        } else if (name == "init_strict") {
            initStrict(entry.value);
        } else if (!isFreeForm(name, m_facts)) {
            const std::string near = entry.value.isMap() ? nearSection(name, sections) : "";
            report(
                near.empty() ? Problem::Severity::Info : Problem::Severity::Warning, name, entry.key.at,
                near.empty()
                    ? Message("{} is an unknown top-level key: it is kept and can be used in interpolations, but NeMo "
                              "ignores it",
                              name)
                    : suggesting({"{} is not a section that NeMo reads", name}, near));
        }
    }

    void initStrict(const Node& value) {
        KeySpec spec;
        spec.types = {"bool"};
        if (auto text = value.unresolved ? std::nullopt : checkValue("init_strict", spec, value))
            return wrong("init_strict", value.at, std::move(*text));
        report(
            Problem::Severity::Info, "init_strict", value.at,
            "init_strict controls how NeMo loads a .nemo into that file's own model; here tensors are matched by name, "
            "and those without a match on either side are reported");
    }

    static std::string nearSection(const std::string& name, const std::vector<std::string>& sections) {
        for (const auto& s : sections)
            if (editDistance(name, s) <= 2)
                return s;
        return {};
    }

    void visitSection(const std::string& at, const Node& node) {
        if (typeOf(node) == Type::Null || isMissing(node) || node.unresolved)
            return;
        if (!node.isMap())
            return wrong(at, node.at, {"{} is a section, not {}", at, toText(node)});
        const SectionSpec* spec = selectedSpec(m_facts, at, node);
        for (const auto& entry : node.entries)
            if (!entry.mergeKey)
                visitKey(at, spec, entry);
    }

    void visitKey(const std::string& at, const SectionSpec* spec, const Entry& entry) {
        const std::string key = joinKey(at, entry.key.text);
        const KeySpec* keySpec = spec ? spec->find(entry.key.text) : nullptr;
        const bool section = m_facts.section(key) != nullptr;
        if (isFreeForm(key, m_facts))
            return;
        if (section && (entry.value.isMap() || !keySpec))
            return visitSection(key, entry.value);
        if (keySpec)
            return visitValue(key, *keySpec, entry);
        if (isParent(key))
            return visitSection(key, entry.value);
        if (spec || at.starts_with("rankscope") || at == "model")
            unknown(at, key, entry, spec);
    }

    /// Returns whether the key contains known sections; it need not have keys itself.
    bool isParent(const std::string& key) const {
        return std::ranges::any_of(m_facts.sections, [&](const SectionSpec& s) { return s.at.starts_with(key + "."); });
    }

    void unknown(const std::string& at, const std::string& key, const Entry& entry, const SectionSpec* spec) {
        if (isReportedBySupport(key))
            return;
        // other sections of another NeMo model are not checked
        const bool mild = m_foreign && (at == "model" || entry.value.isMap());
        if (const KeySpec* other = spec ? m_facts.key(key) : nullptr)
            return wrong(key, entry.key.at,
                         {"{} is not an argument of {}, but of {}", key, spec->keys.front().source, other->source});
        const KeySchema* other = versionWithKey(key, m_facts);
        if (other && isDefaultOfSomeVersions(key, entry.value))
            return report(Problem::Severity::Info, key, entry.key.at,
                          {"{} is not a key in NeMo {} and has no effect: it has the default of NeMo {}", key,
                           m_facts.nemoVersion, other->nemoVersion});
        if (other)
            return report(mild ? Problem::Severity::Warning : Problem::Severity::Error, key, entry.key.at,
                          {"{0} is not a key in NeMo {1}, but NeMo {2} takes it (rankscope.nemo: {2})", key,
                           m_facts.nemoVersion, other->nemoVersion});
        std::vector<std::string> names;
        if (spec)
            for (const auto& k : spec->keys)
                names.push_back(k.name);
        for (const auto& s : m_facts.sections)
            if (s.at.starts_with(at + ".") && s.at.find('.', at.size() + 1) == std::string::npos)
                names.push_back(s.at.substr(at.size() + 1));
        std::string near = nearestWord(entry.key.text, names);
        near = near.empty() ? elsewhere(entry.key.text) : joinKey(at, near);
        report(mild ? Problem::Severity::Warning : Problem::Severity::Error, key, entry.key.at,
               suggesting({"unknown key {}", key}, near));
    }

    /// Returns a known key of that name in another section: the name is probably in the wrong place.
    std::string elsewhere(const std::string& name) const {
        for (const auto& s : m_facts.sections)
            if (s.at.find('[') == std::string::npos && s.find(name) && name != "_target_" && name != "name")
                return joinKey(s.at, name);
        return {};
    }

    void visitValue(const std::string& key, const KeySpec& spec, const Entry& entry) {
        if (entry.value.unresolved)
            return;
        if (isMissing(entry.value))
            return missing(key, entry.value.at);
        if (key == "model.preprocessor.pad_to" && entry.value.text == "max")
            return wrong(
                key, entry.value.at,
                {"{} is max, which makes NeMo's own front end fail when it is built; give a number of frames", key});
        if (auto text = checkValue(key, spec, entry.value)) {
            const std::string other = otherVersionTaking(key, entry.value);
            return wrong(key, entry.value.at,
                         other.empty()
                             ? std::move(*text)
                             : Message("{0}; NeMo {1} takes it (rankscope.nemo: {1})", std::move(*text), other));
        }
        if (key == "rankscope.faults")
            for (const auto& item : entry.value.items)
                fault(item);
    }

    /// Returns another version of NeMo that accepts the value; empty if there is none.
    std::string otherVersionTaking(const std::string& key, const Node& value) const {
        const KeySchema* other = versionWithKey(key, m_facts);
        const KeySpec* spec = other ? other->key(key) : nullptr;
        return spec && !checkValue(key, *spec, value) ? other->nemoVersion : std::string();
    }

    void missing(const std::string& key, Position at) {
        const bool needed = key == "model.train_ds.manifest_filepath";
        const bool validation = key == "model.validation_ds.manifest_filepath";
        report(needed ? Problem::Severity::Error : Problem::Severity::Warning, key, at,
               {"{} is ???: {}", key,
                needed       ? Message("give the path of a manifest (JSON lines)")
                : validation ? Message("validation is off until it is set")
                             : Message("it must be given before it is used")});
    }

    void fault(const Node& item) {
        const SectionSpec* spec = m_facts.section("rankscope.faults[]");
        if (!item.isMap())
            return wrong("rankscope.faults", item.at,
                         {"{} contains {}, but must contain sections with a kind", "rankscope.faults", toText(item)});
        const auto& kinds = spec->find("kind")->choices;
        if (!item.child("kind"))
            wrong("rankscope.faults", item.at,
                  {"{} needs a kind: {}", "rankscope.faults", allOf({kinds.begin(), kinds.end()})});
        std::vector<std::string> names;
        for (const auto& k : spec->keys)
            names.push_back(k.name);
        for (const auto& e : item.entries) {
            const KeySpec* keySpec = spec->find(e.key.text);
            const std::string key = "rankscope.faults." + e.key.text;
            if (e.mergeKey)
                continue;
            if (!keySpec)
                report(Problem::Severity::Error, key, e.key.at,
                       suggesting({"unknown key {}", key}, nearestWord(e.key.text, names)));
            else if (auto text = e.value.unresolved ? std::nullopt : faultValue(key, item, *keySpec, e.value))
                wrong(key, e.value.at, std::move(*text));
        }
        if (item.child("kind") && item.child("kind")->text == "other_settings" && !item.child("set"))
            wrong("rankscope.faults.set", item.at,
                  {"{} is missing; an other_settings fault needs it: key=value", "rankscope.faults.set"});
    }

    static std::optional<Message> faultValue(const std::string& key, const Node& item, const KeySpec& spec,
                                             const Node& value) {
        if (auto wrong = checkValue(key, spec, value))
            return wrong;
        const Node* name = item.child("kind");
        const FaultKind* kind = name ? faultKind(name->text) : nullptr;
        return kind ? faultMisfit(*kind, key, value.text) : std::nullopt;
    }

    void required() {
        const Node* model = m_loaded.resolved.child("model");
        if (!model || !model->isMap()) {
            if (!model)
                report(Problem::Severity::Error, "model", {1, 1}, "there is no model section");
            return;
        }
        if (m_foreign)
            return;
        for (const auto& at : kModelSections) {
            const Node* section = find(m_loaded.resolved, at);
            const Position where = section ? section->at : model->at;
            if (!section || typeOf(*section) == Type::Null)
                wrong(at, where, {"{} is missing; the model cannot be built without it", at});
        }
        const Node* train = model->child("train_ds");
        if (!m_loaded.modelOnly && (!train || typeOf(*train) == Type::Null))
            report(Problem::Severity::Warning, "model.train_ds", train ? train->at : model->at,
                   "model.train_ds is missing: there is nothing to train on");
        for (const auto& spec : m_facts.sections)
            if (const Node* section =
                    isSectionActive(spec, m_loaded.resolved) ? find(m_loaded.resolved, spec.at) : nullptr)
                for (const auto& key : spec.keys)
                    if (key.required && section->isMap() && !section->child(key.name))
                        wrong(joinKey(spec.at, key.name), section->at,
                              {"{} is missing; {} requires it", joinKey(spec.at, key.name), key.source});
    }

    Loaded& m_loaded;
    const KeySchema& m_facts;
    bool m_foreign;
};

} // namespace

void check(Loaded& loaded, const KeySchema& facts) {
    Checker(loaded, facts).run();
}

} // namespace rankscope::config
