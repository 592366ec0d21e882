// SPDX-License-Identifier: Apache-2.0
#include "core/config/check/dataset_check.h"

#include "core/config/hydra/brace_expansion.h"
#include "core/config/recipe/recipe_reader.h"
#include "core/config/yaml/scalar.h"
#include "core/config/recipe/validation_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace rankscope::config {
namespace {

bool unresolved(const Node& node) {
    return node.unresolved || std::any_of(node.items.begin(), node.items.end(), unresolved);
}

/// Every item an integer of at least 1 that an int holds.
bool positiveIntegers(const Node& list) {
    return std::all_of(list.items.begin(), list.items.end(), [](const Node& item) {
        const auto value = asInt(item);
        return value && *value >= 1 && *value <= std::numeric_limits<int>::max();
    });
}

class DatasetCheck {
public:
    DatasetCheck(std::string at, const Node& section, std::vector<Problem>& problems)
        : m_at(std::move(at)), m_section(section), m_reader(section), m_problems(problems) {}

    void run() {
        for (const auto& entry : m_section.entries)
            if (unresolved(entry.value))
                return; // told elsewhere, and nothing can be counted
        mixedList("manifest_filepath");
        const std::size_t manifests = m_reader.pathLists("manifest_filepath").size();
        if (manifests == 0)
            return;
        if (m_at == "model.validation_ds")
            validationSets();
        if (m_reader.boolean("is_tarred", false))
            tarred(manifests);
        weights(manifests);
        if (manifests > 1)
            batchSizes(manifests);
    }

private:
    void report(const std::string& name, const std::string& why,
                Problem::Severity severity = Problem::Severity::Error) {
        const Node* node = m_section.child(name);
        const std::string key = joinKey(m_at, name);
        m_problems.push_back({severity, key, node ? node->at : m_section.at, key + " " + why});
    }

    void mixedList(const char* name) {
        const Node* node = m_reader.child(name);
        if (!node || !node->isList())
            return;
        const auto lists =
            std::count_if(node->items.begin(), node->items.end(), [](const Node& n) { return n.isList(); });
        if (lists > 0 && lists < static_cast<std::ptrdiff_t>(node->items.size()))
            report(name, "mixes paths and lists: write a list of paths, or a list of lists (a bucket each)");
    }

    void validationSets() {
        const auto names = validationSetNames(m_section);
        const std::int64_t count = std::ssize(m_reader.paths("manifest_filepath")),
                           index = m_reader.integer64("val_dl_idx", 0);
        if (names.empty() ? index > 0 : index >= count)
            report("val_dl_idx", names.empty() || count == 1
                                     ? fmt::format("is {}, but there is one validation set (numbered from 0)", index)
                                     : fmt::format("is {}, but there are {} sets (numbered from 0)", index, count));
        if (!names.empty() && std::ssize(names) != count)
            report("name", fmt::format("has {} items, manifest_filepath has {} manifests", names.size(), count));
        for (const std::string& name : names)
            if (name.empty())
                return report(m_reader.child("name") ? "name" : "manifest_filepath",
                              "leaves no name for a validation set: NeMo names it by the file, without \"manifest\" "
                              "and \"dataset\"");
            else if (std::count(names.begin(), names.end(), name) > 1)
                return report(m_reader.child("name") ? "name" : "manifest_filepath",
                              fmt::format("gives two validation sets the name {}: of both only the later one's loss is "
                                          "kept under it, as in NeMo",
                                          name),
                              Problem::Severity::Warning);
    }

    void tarred(std::size_t manifests) {
        mixedList("tarred_audio_filepaths");
        const PathLists shards = m_reader.pathLists("tarred_audio_filepaths");
        if (shards.empty())
            return report("tarred_audio_filepaths", "is empty, but is_tarred is true: name the tar files");
        if (shards.size() != manifests)
            report("tarred_audio_filepaths", fmt::format("has {} buckets, manifest_filepath has {}: each bucket needs "
                                                         "its manifests and its tar files",
                                                         shards.size(), manifests));
        for (const char* name : {"manifest_filepath", "tarred_audio_filepaths"})
            for (const std::string& pattern : m_reader.paths(name))
                if (const auto names = expandBraces(pattern); !names)
                    report(name, fmt::format("{}: {}", names.error().what, names.error().where));
    }

    void weights(std::size_t manifests) {
        const Node* node = m_reader.child("bucketing_weights");
        if (!node || !node->isList())
            return;
        if (!positiveIntegers(*node))
            report("bucketing_weights", "must be integers of 1 or more");
        else if (node->items.size() != manifests)
            report("bucketing_weights",
                   fmt::format("has {} items, manifest_filepath has {} buckets", node->items.size(), manifests));
    }

    void batchSizes(std::size_t manifests) {
        const Node* node = m_reader.child("bucketing_batch_size");
        if (!node)
            return;
        if (m_reader.integer("batch_size", 1) != 1)
            report("bucketing_batch_size", fmt::format("sets the batch sizes, then batch_size must be 1, it is {}",
                                                       m_reader.integer("batch_size", 1)));
        if (!node->isList()) {
            if (asInt(*node).value_or(0) < 1)
                report("bucketing_batch_size", fmt::format("is {}, expected 1 or more", toText(*node)));
        } else if (!positiveIntegers(*node)) {
            report("bucketing_batch_size", "must hold integers of 1 or more");
        } else if (node->items.size() != manifests) {
            report("bucketing_batch_size",
                   fmt::format("has {} items, manifest_filepath has {} buckets", node->items.size(), manifests));
        }
    }

    std::string m_at;
    const Node& m_section;
    Reader m_reader;
    std::vector<Problem>& m_problems;
};

} // namespace

void checkDatasets(const Node& root, std::vector<Problem>& problems) {
    for (const char* at : {"model.train_ds", "model.validation_ds"})
        if (const Node* section = find(root, at); section && section->isMap())
            DatasetCheck(at, *section, problems).run();
}

} // namespace rankscope::config
