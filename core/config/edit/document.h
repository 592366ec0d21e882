// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/yaml/node_extent.h"

#include <tl/expected.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace rankscope::config {

/// A YAML file that is edited without being rewritten (document_edit.h): its bytes, and their tree if they are YAML.
class Document {
public:
    Document(); ///< empty
    /// `parsed`: the result of parseYaml() for `text`.
    Document(std::string text, std::string fileName, tl::expected<Node, Problem> parsed);
    /// Accepts any bytes; text that is not YAML is kept and has a parseError.
    static Document fromText(std::string text, std::string fileName = {});

    const std::string& text() const { return m_text; }
    const std::string& fileName() const { return m_fileName; }
    const std::optional<Problem>& parseError() const { return m_parseError; }

    /// Returns the tree; null if the text is not YAML. Valid as long as this document.
    const Node* root() const { return m_root.get(); }
    std::shared_ptr<const Node> sharedRoot() const { return m_root; }

private:
    std::string m_text, m_fileName;
    std::optional<Problem> m_parseError;
    std::shared_ptr<const Node> m_root;
};

/// Returns the document of `text`, which differs from the previous text only in the bytes that replaced its range
/// `changed`. Parses only the key of the innermost section around them if that is sure to give the same result as
/// parsing the whole text; otherwise the whole text.
Document reparsed(const Document& before, std::string text, ByteRange changed);

/// Does the same if at most `most` bytes have to be parsed, for callers that cannot wait for a whole text. Returns
/// nothing if it takes more, or if the result is not sure to be the same.
std::optional<Document> reparsedPart(const Document& before, std::string text, ByteRange changed, std::size_t most);

} // namespace rankscope::config
