// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/config/yaml/node.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::config {

/// What one key takes.
struct KeySpec {
    std::string name;
    std::vector<std::string>
        types; ///< "bool", "int", "float", "string", "list", "map", "null", "any"; an int is a float
    std::optional<ValueText> code; ///< the default in the code; none: required, or looked up only when given
    std::string source;            ///< "NeMo ConformerEncoder"
    std::vector<std::string> choices;
    std::optional<double> min, max, above, below; ///< inclusive, inclusive, exclusive, exclusive
    bool required = false, ranks = false;

    bool takes(std::string_view type) const;
};

/// The arguments of one class, at the place in the file where they are written.
struct SectionSpec {
    std::string at;                         ///< "model.encoder"
    std::string selectorKey, selectorValue; ///< acts when the key's last dotted part is the value
    bool assumed = true; ///< acts also when the selector is absent: the first of the sections at this place
    std::vector<KeySpec> keys;

    const KeySpec* find(std::string_view name) const;
};

/// NeMo's, Lightning's and torch's facts (configs/nemo/*.json, compiled in; another version can be loaded), and what
/// Rankscope's own keys take.
struct Facts {
    std::string nemoVersion;
    std::vector<std::pair<std::string, ValueText>> yaml; ///< NeMo's recipe, in the file's order
    std::vector<SectionSpec> sections;
    std::vector<std::string> freeForm; ///< sections that accept any key

    const SectionSpec* section(std::string_view at) const; ///< the first at this place
    const KeySpec* key(const std::string& key) const;      ///< the full, dotted key, of any section at this place
};
const Facts& builtinFacts();
/// Another version's facts, in the format of configs/nemo/*.json.
Result<Facts> readFacts(const std::string& json, const std::string& fileName);

// configs/nemo/*.json, the newest first, and rankscope_keys.json, compiled in: no file is needed at run time.
extern const std::vector<std::string_view> kNemoFactsJsons;
extern const std::string_view kRankscopeKeysJson;

/// The versions of NeMo whose facts are compiled in, newest first. builtinFacts() are those of a recipe that does not
/// say rankscope.nemo: 2.7.3's, or those of the version that the environment's RANKSCOPE_NEMO names.
std::vector<std::string> factsVersions();
/// Null: not known here.
const Facts* factsOf(std::string_view nemoVersion);
/// The facts of the version that the tree's rankscope.nemo names; `facts` where it names none that is known, and where
/// they are others than builtinFacts(): those are meant as they were given.
const Facts& factsFor(const Node& root, const Facts& facts);
/// Another version that is known here and has this key; null: none.
const Facts* otherVersionWith(const std::string& key, const Facts& facts);
/// RANKSCOPE_NEMO names a version that is not known here: every recipe has this problem then.
std::optional<Problem> factsProblem(const char* chosen);

} // namespace rankscope::config
