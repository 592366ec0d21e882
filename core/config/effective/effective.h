// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/config/effective/key_table.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::config {

class Document;

struct Effective {
    std::string name;
    std::string nemoVersion;       ///< whose keys and defaults count: rankscope.nemo
    std::vector<KeyRow> rows;      ///< yours in file order, then code defaults that act
    std::vector<Problem> problems; ///< errors first
    std::string text;              ///< effective.yaml: resolved, commented with origins where not yours
    bool ok() const;
    const KeyRow* find(const std::string& key) const;
};

/// Evaluates a recipe with overrides in Hydra's form: a.b=1, +a.b=1, ~a.b. Never throws; errors are in `problems`.
Effective evaluate(const std::string& yamlText, const std::string& fileName,
                   const std::vector<std::string>& overrides = {}, const Facts& facts = builtinFacts());

/// Evaluates the text of a document, which is not parsed again. `withText`: Effective::text too, which only a launch
/// needs.
Effective evaluate(const Document& document, const std::vector<std::string>& overrides = {},
                   const Facts& facts = builtinFacts(), bool withText = true);

/// evaluate() of a file; an Error only when it cannot be read.
Result<Effective> evaluateFile(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});
/// Of a file in a run's folder.
Result<Effective> evaluateRunFile(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// Writes a tree that withCodeDefaults() has completed as YAML, one line per value; `comments`: where a value that is
/// not yours comes from.
std::string effectiveYaml(const Node& tree, const Facts& facts, bool comments);

/// The first error as one message: "file:12:5: unknown key model.encoder.n_layer; did you mean n_layers".
std::optional<Error> firstError(const Effective& effective, const std::string& fileName);

/// As firstError(), and what the file may say but the trainer cannot do yet: nothing is ever ignored silently.
std::optional<Error> launchError(const std::vector<Problem>& problems, const std::string& fileName);
inline std::optional<Error> launchError(const Effective& effective, const std::string& fileName) {
    return launchError(effective.problems, fileName);
}

/// An error that begins with a key, with the place in the file where that key stands: "file:12:5: trainer.max_steps".
Error located(Error error, const Effective& effective, const std::string& fileName);

} // namespace rankscope::config
