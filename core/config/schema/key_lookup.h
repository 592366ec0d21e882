// SPDX-License-Identifier: Apache-2.0
// What the facts say of a key in a given recipe: several classes may be known for one section, of which the recipe
// names one. And what NeMo's code adds to a recipe.
#pragma once

#include "core/config/schema/key_schema.h"

#include <optional>
#include <string>
#include <string_view>

namespace rankscope::config {

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
/// The value is the default of a key that not every known version of NeMo has: leaving the key out changes nothing, and
/// a version that does not have it can read the rest.
bool isDefaultOfSomeVersions(const std::string& key, const Node& value);
/// What stands at `key`, or the code's default; none when there is neither.
std::optional<Node> effectiveNode(const Node& root, const std::string& key, const Facts& facts);

/// `tree` with the code's defaults that act, each marked Origin::Code, at the end of their sections. `resolved`: the
/// same tree, of which only the sections count that the facts know.
Node withCodeDefaults(Node tree, const Node& resolved, const Facts& facts);
inline Node withCodeDefaults(const Node& resolved, const Facts& facts) {
    return withCodeDefaults(resolved, resolved, facts);
}
/// A copy of only those sections.
Node knownSections(const Node& tree, const Facts& facts);

/// What NeMo's model puts into its own configuration before anything reads it: a data set without a sample_rate gets
/// the model's, an optimizer without a name is the class that its _target_ names, or adam. `root`: a resolved tree.
void injectAsNemo(Node& root);

/// "adamw" of "torch.optim.AdamW"; empty: a class that is not known here.
std::string optimizerOfClass(const std::string& target);

} // namespace rankscope::config
