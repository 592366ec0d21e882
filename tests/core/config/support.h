// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files/file.h"
#include "core/config/effective/effective.h"

#include <QTest>

#include <algorithm>
#include <string>

namespace rankscope::config::test {

inline std::filesystem::path sourceDir() {
    return qEnvironmentVariable("RANKSCOPE_SOURCE_DIR").toStdString();
}

/// Returns the text of a file of this project; fails the test if the file does not exist.
inline std::string sourceText(const std::string& path) {
    auto text = readFile(sourceDir() / path);
    if (!text)
        qFatal("%s", text.error().message().c_str());
    return *text;
}

inline std::string dataText(const std::string& name) {
    return sourceText("tests/core/config/data/" + name);
}

inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    if (at == std::string::npos)
        qFatal("the text does not hold \"%s\"", what.c_str());
    return text.replace(at, what.size(), by);
}

/// Returns a recipe without errors that names the version of NeMo it was written for.
inline std::string newRecipe() {
    return replaced(sourceText("configs/nest_medium.yaml"), "manifest_filepath: ???", "manifest_filepath: train.json");
}

/// Returns the same recipe without the section `rankscope`, as recipes were before they could name a version.
inline std::string goodRecipe() {
    const std::string text = newRecipe();
    return text.substr(0, text.find("\nrankscope:") + 1);
}

/// Returns the dotted keys of all values, in file order.
inline std::vector<std::string> leafKeys(const Node& root) {
    auto keys = allKeys(root);
    std::erase_if(keys, [&](const std::string& key) {
        const Node* node = find(root, key);
        return node && !node->entries.empty();
    });
    return keys;
}

inline const Problem* problemOf(const Effective& effective, const std::string& key) {
    const auto it = std::find_if(effective.problems.begin(), effective.problems.end(),
                                 [&](const Problem& p) { return p.key == key; });
    return it == effective.problems.end() ? nullptr : &*it;
}

inline int errorCount(const Effective& effective) {
    return static_cast<int>(std::count_if(effective.problems.begin(), effective.problems.end(),
                                          [](const Problem& p) { return p.severity == Problem::Severity::Error; }));
}

} // namespace rankscope::config::test

/// QCOMPARE for std::string that shows both texts.
#define COMPARE_TEXT(actual, expected) QCOMPARE(QString::fromStdString(actual), QString::fromStdString(expected))
