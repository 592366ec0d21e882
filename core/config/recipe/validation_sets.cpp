// SPDX-License-Identifier: Apache-2.0
#include "core/config/recipe/validation_sets.h"

#include "core/config/recipe/reader.h"

#include <algorithm>
#include <filesystem>

namespace rankscope::config {

static constexpr const char* kValidationLoss = "val_loss";

static void removeEach(std::string& text, std::string_view part) {
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at))
        text.erase(at, part.size());
}

/// NeMo checks whether such a file exists, which is never true for a list or a pattern.
static bool isOneFile(const Node& item) {
    return item.isScalar() && item.text.find_first_of(",{") == std::string::npos &&
           item.text.find("_OP_") == std::string::npos;
}

static std::string setNameOf(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    removeEach(name, "manifest");
    removeEach(name, "dataset");
    if (!name.empty() && name.back() != '_')
        name += '_';
    return name;
}

std::string validationSetName(const std::string& manifest) {
    return setNameOf(std::filesystem::path(manifest).stem().string());
}

std::vector<std::string> validationSetNames(const Node& section) {
    const Node* manifests = section.child("manifest_filepath");
    const Reader reader(section);
    if (!manifests || !manifests->isList() || manifests->items.size() < 2 || reader.integer("val_dl_idx", 0) < 0 ||
        !std::all_of(manifests->items.begin(), manifests->items.end(), isOneFile))
        return {};
    std::vector<std::string> names;
    for (const std::string& name : reader.texts("name"))
        names.push_back(setNameOf(name));
    if (names.empty())
        for (const Node& manifest : manifests->items)
            names.push_back(validationSetName(manifest.text));
    return names;
}

std::vector<std::string> validationLossNames(const std::vector<std::string>& setNames) {
    std::vector<std::string> names{kValidationLoss};
    for (const std::string& name : setNames)
        names.push_back(name + kValidationLoss);
    return names;
}

std::vector<ValidationSet> validationSets(const Recipe& recipe) {
    std::vector<ValidationSet> sets;
    if (!recipe.validation)
        return sets;
    const DatasetConfig& all = *recipe.validation;
    if (all.setNames.size() < 2 || all.setNames.size() != all.manifests.size())
        return {{kValidationLoss, true, all}};
    for (std::size_t i = 0; i < all.manifests.size(); ++i) {
        ValidationSet set{all.setNames[i] + kValidationLoss, static_cast<int>(i) == recipe.validationIndex, all};
        set.data.manifests = {all.manifests[i]};
        set.data.buckets = {set.data.manifests};
        set.data.setNames.clear();
        sets.push_back(std::move(set));
    }
    return sets;
}

} // namespace rankscope::config
