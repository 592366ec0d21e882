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

/// The values that one key accepts.
struct KeySpec {
    std::string name;
    std::vector<std::string>
        types; ///< "bool", "int", "float", "string", "list", "map", "null", "any"; "float" accepts an int
    std::optional<ValueText> code; ///< the default in the code; none: required, or only read if given
    std::string source;            ///< "NeMo ConformerEncoder"
    std::vector<std::string> choices;
    std::optional<double> min, max, above, below; ///< inclusive, inclusive, exclusive, exclusive
    bool required = false, ranks = false;

    bool takes(std::string_view type) const;
};

/// The arguments of one class, at the place in the file where they are written.
struct SectionSpec {
    std::string at;                         ///< "model.encoder"
    std::string selectorKey, selectorValue; ///< the section applies if the key's last dotted part is this value
    bool assumed = true; ///< it also applies if the selector is absent: the first of the sections at this place
    std::vector<KeySpec> keys;

    const KeySpec* find(std::string_view name) const;
};

/// The facts about NeMo, Lightning and torch (configs/nemo/*.json, compiled in; another version can be loaded), and the
/// values that Rankscope's own keys accept.
struct KeySchema {
    std::string nemoVersion;
    std::vector<std::pair<std::string, ValueText>> yaml; ///< NeMo's recipe, in the file's order
    std::vector<SectionSpec> sections;
    std::vector<std::string> freeForm; ///< sections that accept any key

    const SectionSpec* section(std::string_view at) const; ///< the first at this place
    const KeySpec* key(const std::string& key) const;      ///< the full, dotted key, of any section at this place
};
const KeySchema& builtinSchema();
/// Reads another version's facts, in the format of configs/nemo/*.json.
Result<KeySchema> readFacts(const std::string& json, const std::string& fileName);

// configs/nemo/*.json, newest first, and rankscope_keys.json, compiled in: no file is needed at run time.
extern const std::vector<std::string_view> kNemoFactsJsons;
extern const std::vector<std::string_view> kRankscopeKeysJsons;

/// Returns the versions of NeMo whose facts are compiled in, newest first. For recipes without rankscope.nemo,
/// builtinSchema() has the facts of 2.7.3, or of the version that the environment variable RANKSCOPE_NEMO names.
std::vector<std::string> factsVersions();
/// Returns null if the version is not known.
const KeySchema* schemaOf(std::string_view nemoVersion);
/// Returns the facts of the version that the tree's rankscope.nemo names. Returns `facts` if it does not name a known
/// one, or if `facts` are not builtinSchema(): the caller then means exactly those.
const KeySchema& schemaFor(const Node& root, const KeySchema& facts);
/// Returns the facts of another known version that has this key; null if there is none.
const KeySchema* versionWithKey(const std::string& key, const KeySchema& facts);
/// Returns a problem if RANKSCOPE_NEMO names an unknown version; every recipe then has this problem.
std::optional<Problem> factsProblem(const char* chosen);

} // namespace rankscope::config
