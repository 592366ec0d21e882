// SPDX-License-Identifier: Apache-2.0
// Looks up the facts about a key in a given recipe: several classes may be known for one section, and the recipe names
// one of them. Also adds the defaults that NeMo's code adds to a recipe.
#pragma once

#include "core/config/schema/key_schema.h"

#include <optional>
#include <string>
#include <string_view>

namespace rankscope::config {

/// Returns whether the class that the file names for a section is the one that `spec` describes.
bool isSelected(const SectionSpec& spec, const Node& section);
/// Returns the spec of the class that the section names, of those known at this place; null if it names another one, or
/// if none is known.
const SectionSpec* selectedSpec(const KeySchema& facts, std::string_view at, const Node& section);
/// Returns the spec of a key in this file: if several classes are known for its section, that of the named class.
const KeySpec* keySpec(const Node& root, const std::string& key, const KeySchema& facts);
/// Returns whether the section's code defaults apply to a run of this file.
bool isSectionActive(const SectionSpec& spec, const Node& root);
/// Returns whether this is another model class of NeMo, not NEST, whose other sections are not known here.
bool isForeignModel(const Node& root, const KeySchema& facts);
bool isFreeForm(const std::string& key, const KeySchema& facts);
/// Returns whether the value is the default of a key that not every known version of NeMo has: leaving the key out
/// changes nothing, and a version without the key can then read the rest.
bool isDefaultOfSomeVersions(const std::string& key, const Node& value);
/// Returns the value at `key`, or the code's default; none if there is neither.
std::optional<Node> effectiveNode(const Node& root, const std::string& key, const KeySchema& facts);

/// Returns `tree` with the code defaults that apply, each marked Origin::Code, at the end of their sections.
/// `resolved`: the same tree, resolved; only the sections that the facts know matter.
Node withCodeDefaults(Node tree, const Node& resolved, const KeySchema& facts);
inline Node withCodeDefaults(const Node& resolved, const KeySchema& facts) {
    return withCodeDefaults(resolved, resolved, facts);
}
/// Returns a copy of only the sections that the facts know.
Node knownSections(const Node& tree, const KeySchema& facts);

/// Makes the changes that NeMo's model makes to its own configuration before anything reads it: a dataset without a
/// sample_rate gets the model's; an optimizer without a name gets the class that its _target_ names, or adam. `root`: a
/// resolved tree.
void applyNemoDerivedValues(Node& root);

/// Returns "adamw" for "torch.optim.AdamW"; empty if the class is not known.
std::string optimizerOfClass(const std::string& target);

} // namespace rankscope::config
