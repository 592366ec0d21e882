// SPDX-License-Identifier: Apache-2.0
// Overrides, one per line, applied to a small recipe.
#include "core/config/effective/effective.h"
#include "core/config/effective/load_recipe.h"
#include "core/config/hydra/override.h"
#include "core/config/yaml/yaml_parser.h"
#include "tests/core/config/edit/same_node.h"
#include "tests/fuzz/target.h"

#include <vector>

namespace rankscope::fuzz {

using namespace config;

namespace {

const std::string kRecipe = "name: fuzz\n"
                            "model:\n"
                            "  encoder: {d_model: 16, n_layers: 1}\n"
                            "  list: [1, {a: b}, [c]]\n"
                            "  text: ${model.encoder.d_model}\n"
                            "trainer:\n"
                            "  devices: 2\n"
                            "  strategy: &s ddp\n"
                            "again: *s\n";

const Node& recipe() {
    static const auto read = parseYaml(kRecipe);
    return *read;
}

void one(const std::string& line, Node& tree) {
    const Node before = tree;
    const auto applied = applyOverride(tree, line, [](const std::string& key) { return key == "model.known"; });
    if (applied) {
        ++taken;
        require(countNodes(tree) <= kMaxNodes + line.size(), "an override made a tree without bounds");
    } else {
        require(!applied.error().empty(), "refused without a reason: " + line);
        require(test::sameNode(before, tree), "refused, but the tree is another one: " + line);
    }
    if (const auto equals = line.find('='); equals != std::string::npos)
        if (const auto value = parseOverrideValue(line.substr(equals + 1)); !value)
            require(!value.error().empty(), "a value was refused without a reason");
}

} // namespace

static void examine(const std::string& bytes) {
    Node tree = recipe();
    std::vector<std::string> lines;
    for (Bytes in(bytes); !in.empty() && lines.size() < 12;)
        lines.emplace_back(in.line());
    for (const auto& line : lines)
        one(line, tree);
    const Loaded loaded = load(kRecipe, lines, builtinSchema());
    for (const Problem& problem : loaded.problems)
        require(!problem.text.empty(), "a problem without words");
}

RANKSCOPE_FUZZ_TARGET(overrides)

} // namespace rankscope::fuzz
