// SPDX-License-Identifier: Apache-2.0
// hparams.yaml of an imported run: it becomes a recipe and gives the run's name.
#include "core/config/edit/document.h"
#include "core/config/effective/load_recipe.h"
#include "core/exchange/import/run_import.h"
#include "tests/fuzz/target.h"

namespace rankscope::fuzz {

static void examine(const std::string& bytes) {
    const std::string recipe = exchange::recipeOfHparams(bytes);
    require(recipe == bytes || recipe.size() == bytes.size() + 2, "more than a key was changed");
    const auto document = config::Document::fromText(recipe, "hparams.yaml");
    require(document.text() == recipe, "the text is another one");
    if (!document.root())
        return require(!document.parseError()->text.empty(), "broken, but not told");
    ++taken;
    const auto loaded = config::load(document, {}, config::builtinSchema());
    for (const auto& problem : loaded.problems)
        require(!problem.text.empty(), "a problem without words");
}

RANKSCOPE_FUZZ_TARGET(hparams)

} // namespace rankscope::fuzz
