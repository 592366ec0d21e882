// SPDX-License-Identifier: Apache-2.0
// Four values of every key: yours, the NeMo YAML's, the code's default, and the effective one with its origin.
#pragma once

#include "core/base/values/error.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::config {

struct Position {
    int line = 0, column = 0; ///< from 1; 0: unknown
};

struct Problem {
    enum class Severity : std::uint8_t { Error, Warning, Info } severity = Severity::Error;
    std::string key; ///< dotted
    Position at;
    std::string text;          ///< with the nearest known key where one is near
    bool blocksLaunch = false; ///< a warning that only editing can live with: Rankscope's trainer cannot do it yet
};

/// A scalar or list of scalars as YAML text in one line ("null", "[-1, -1]", "???", "${model.sample_rate}").
using ValueText = std::string;

enum class Origin : std::uint8_t { Yours, Override, NemoYaml, Code, Unset };
std::string_view originName(Origin origin); ///< "your file", "override", "NeMo YAML", "NeMo code", …

struct KeySpec;

struct KeyRow {
    std::string key;                ///< "model.encoder.sync_max_audio_length"
    std::optional<ValueText> yours; ///< as written in the file
    std::optional<ValueText> nemoYaml;
    std::optional<ValueText> code; ///< default in NeMo's or Lightning's code
    std::string codeSource;        ///< "NeMo ConformerEncoder", "Lightning Trainer", "torch DistributedDataParallel"
    std::optional<ValueText> effective; ///< interpolation resolved; none: "???" or required and absent
    Origin origin = Origin::Unset;
    Position at;                      ///< in your file
    bool differs = false;             ///< effective differs from the effective value of NeMo's YAML with code defaults
    bool affectsRanks = false;        ///< it acts on collectives, batches per rank, or process layout
    std::string risk;                 ///< one line; empty: none
    std::string type;                 ///< "bool", "int", "float", "string", "list", "null"
    std::vector<std::string> choices; ///< where the values are a closed set
    const KeySpec* spec = nullptr;    ///< what the key takes, of the facts that evaluated it; null: nobody lists it
};

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
    std::string nemoVersion, lightningVersion, torchVersion, yamlName;
    std::vector<std::pair<std::string, ValueText>> yaml;           ///< in the file's order
    std::map<std::string, std::pair<ValueText, std::string>> code; ///< full key -> default, source
    std::vector<SectionSpec> sections;
    std::vector<std::string> freeForm; ///< sections whose keys nobody lists

    const SectionSpec* section(std::string_view at) const; ///< the first at this place
    const KeySpec* key(const std::string& key) const;      ///< the full, dotted key, of any section at this place
};
const Facts& builtinFacts();
/// Another version's facts, in the format of configs/nemo/*.json.
Result<Facts> readFacts(const std::string& json, const std::string& fileName);

struct Effective {
    std::string name;
    std::string nemoVersion;       ///< whose keys and defaults count: rankscope.nemo
    std::vector<KeyRow> rows;      ///< yours in file order, then code defaults that act
    std::vector<Problem> problems; ///< errors first
    std::string text;              ///< effective.yaml: resolved, commented with origins where not yours
    bool ok() const;
    const KeyRow* find(const std::string& key) const;
};

/// Overrides as Hydra writes them: a.b=1, +a.b=1, ~a.b. Never throws; what is wrong stands in `problems`.
Effective evaluate(const std::string& yamlText, const std::string& fileName,
                   const std::vector<std::string>& overrides = {}, const Facts& facts = builtinFacts());

/// evaluate() of a file; an Error only when it cannot be read.
Result<Effective> evaluateFile(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});
/// Of a file in a run's folder.
Result<Effective> evaluateRunFile(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// The first error as one message: "file:12:5: unknown key model.encoder.n_layer; did you mean n_layers".
std::optional<Error> firstError(const Effective& effective, const std::string& fileName);

/// As firstError(), and what the file may say but the trainer cannot do yet: nothing is ever ignored silently.
std::optional<Error> launchError(const Effective& effective, const std::string& fileName);

/// An error that begins with a key, with the place in the file where that key stands: "file:12:5: trainer.max_steps".
Error located(Error error, const Effective& effective, const std::string& fileName);

/// The table that `rankscopectl compare` prints. `other`: null compares with NeMo's YAML and code.
std::string compareTable(const Effective& mine, const Effective* other, bool onlyDifferent, int width);
nlohmann::json compareJson(const Effective& mine, const Effective* other, bool onlyDifferent);
bool differs(const Effective& mine, const Effective* other);

} // namespace rankscope::config
