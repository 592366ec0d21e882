// SPDX-License-Identifier: Apache-2.0
// A YAML file that is edited without being rewritten: only the bytes of the changed value change. Comments, order,
// quoting, indentation, line ends and unknown parts survive.
#pragma once

#include "core/base/values/error.h"
#include "core/config/effective/effective.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::config {

struct Node;
struct ByteRange;

class Document {
public:
    Document(); ///< empty
    /// Any bytes; a broken YAML is kept as text and has a parseError.
    static Document fromText(std::string text, std::string fileName = {});

    const std::string& text() const { return m_text; }
    const std::string& fileName() const { return m_fileName; }
    const std::optional<Problem>& parseError() const { return m_parseError; }

    std::optional<ValueText> value(const std::string& key) const;
    Position position(const std::string& key) const;
    std::vector<std::string> keys() const; ///< leaves, dotted, in file order

    /// The tree; null: broken. Valid as long as this document is.
    const Node* root() const { return m_root.get(); }
    std::shared_ptr<const Node> sharedRoot() const { return m_root; }

    /// Replaces the value, or adds the key (and missing parents) at the end of its section. `value` is YAML in one
    /// line. Refused when the value is no YAML, when a parent is no section, and when the change would alter anything
    /// else (a value that others take over by an alias): the text is then as it was.
    Result<void> set(const std::string& key, const ValueText& value);
    /// Removes the key with its lines and the comments that belong to it (document_edit.h).
    Result<void> remove(const std::string& key);

private:
    friend Document reparsed(const Document& before, std::string text, ByteRange changed);
    friend std::optional<Document> reparsedPart(const Document& before, std::string text, ByteRange changed,
                                                std::size_t most);
    Document(std::string text, std::string fileName, tl::expected<Node, Problem> parsed);

    std::string m_text, m_fileName;
    std::optional<Problem> m_parseError;
    std::shared_ptr<const Node> m_root; ///< null: broken
};

/// evaluate() of a document's text, which is not read again. `withText`: Effective::text too, which only a launch
/// needs.
Effective evaluate(const Document& document, const std::vector<std::string>& overrides = {},
                   const Facts& facts = builtinFacts(), bool withText = true);

} // namespace rankscope::config
