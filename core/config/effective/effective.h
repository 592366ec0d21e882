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
    std::string nemoVersion;       ///< version whose keys and defaults apply: rankscope.nemo
    std::vector<KeyRow> rows;      ///< yours in file order, then the code defaults that apply
    std::vector<Problem> problems; ///< errors first
    /// effective.yaml: resolved, with comments on the origin of values that are not yours
    std::string text;
    bool ok() const;
    const KeyRow* find(const std::string& key) const;
};

/// Evaluates a recipe with overrides in Hydra's form: a.b=1, +a.b=1, ~a.b. Never throws; errors are in `problems`.
Effective evaluate(const std::string& yamlText, const std::string& fileName,
                   const std::vector<std::string>& overrides = {}, const KeySchema& facts = builtinSchema());

/// Evaluates a document without parsing its text again. `withText`: also fills Effective::text, which only a launch
/// needs.
Effective evaluate(const Document& document, const std::vector<std::string>& overrides = {},
                   const KeySchema& facts = builtinSchema(), bool withText = true);

/// Evaluates a file; returns an Error only if it cannot be read.
Result<Effective> evaluateFile(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});
/// Does the same for a file in a run's folder.
Result<Effective> evaluateRunFile(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// Writes a tree that withCodeDefaults() has completed, in YAML with one line per value; `comments`: adds the origin of
/// values that are not yours.
std::string effectiveYaml(const Node& tree, const KeySchema& facts, bool comments);

/// Returns the first error as one message: "file:12:5: unknown key model.encoder.n_layer; did you mean n_layers".
std::optional<Error> firstError(const Effective& effective, const std::string& fileName);

/// Returns the first error, or else the first setting that the trainer does not support yet: nothing is ever ignored
/// silently.
std::optional<Error> launchError(const std::vector<Problem>& problems, const std::string& fileName);
inline std::optional<Error> launchError(const Effective& effective, const std::string& fileName) {
    return launchError(effective.problems, fileName);
}

/// Adds the key's position in the file to an error that begins with a key: "file:12:5: trainer.max_steps".
Error located(Error error, const Effective& effective, const std::string& fileName);

} // namespace rankscope::config
