// SPDX-License-Identifier: Apache-2.0
// From text to a resolved tree with everything that is wrong with it: what evaluate() and readRecipe() share.
#pragma once

#include "core/config/yaml/node.h"

#include <memory>
#include <string>
#include <vector>

namespace rankscope::config {

struct Loaded {
    /// As in the file; under `model` when the file is only NeMo's model section. And after the overrides: the same
    /// tree when there are none.
    std::shared_ptr<const Node> written = std::make_shared<const Node>(), changed = written;
    Node resolved; ///< after interpolation
    bool modelOnly = false;
    bool broken = false;          ///< no tree could be made: only `problems` counts
    const Facts* facts = nullptr; ///< what it was checked with: the recipe may name a version of NeMo
    std::vector<Problem> problems;
};

Loaded load(const std::string& text, const std::vector<std::string>& overrides, const Facts& facts);
/// The same of a text that was read already.
Loaded load(std::shared_ptr<const Node> root, const std::vector<std::string>& overrides, const Facts& facts);

/// The class that the file names for a section is the one that the facts describe.
bool isSelected(const SectionSpec& spec, const Node& section);
/// Of the classes that the facts know at this place, the one that the section names; null: another one, or none known.
const SectionSpec* selectedSpec(const Facts& facts, std::string_view at, const Node& section);
/// What is known of a key in this file: where several classes are known for its section, of the one that is named.
const KeySpec* keySpec(const Node& root, const std::string& key, const Facts& facts);
/// Code defaults of the section act on a run of this file.
bool acts(const SectionSpec& spec, const Node& root);
/// Not a NEST recipe: another model class of NeMo, whose other sections nobody here knows.
bool isForeignModel(const Node& root, const Facts& facts);
bool isFreeForm(const std::string& key, const Facts& facts);
/// What stands at `key`, or the code's default; none when there is neither.
std::optional<Node> effectiveNode(const Node& root, const std::string& key, const Facts& facts);
Node nodeOfText(const ValueText& text);

} // namespace rankscope::config
