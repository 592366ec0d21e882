// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/yaml/node_extent.h"

#include <tl/expected.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace rankscope::config {

/// A YAML file that is edited without being rewritten (document_edit.h): its bytes, and their tree where they are YAML.
class Document {
public:
    Document(); ///< empty
    /// `parsed`: what parseYaml() gives for `text`.
    Document(std::string text, std::string fileName, tl::expected<Node, Problem> parsed);
    /// Takes any bytes; text that is no YAML is kept and has a parseError.
    static Document fromText(std::string text, std::string fileName = {});

    const std::string& text() const { return m_text; }
    const std::string& fileName() const { return m_fileName; }
    const std::optional<Problem>& parseError() const { return m_parseError; }

    /// The tree; null where the text is no YAML. Valid as long as this document is.
    const Node* root() const { return m_root.get(); }
    std::shared_ptr<const Node> sharedRoot() const { return m_root; }

private:
    std::string m_text, m_fileName;
    std::optional<Problem> m_parseError;
    std::shared_ptr<const Node> m_root;
};

/// Returns the document of `text`, which differs from the one before only in what bytes `changed` of that became. Only
/// the smallest section's key around them is read, where that is sure to give what reading the whole text gives; the
/// whole text otherwise.
Document reparsed(const Document& before, std::string text, ByteRange changed);

/// The same where at most `most` bytes have to be read for it, for callers that cannot wait for a whole text. Returns
/// nothing where it takes more, or where the result is not sure to be the same.
std::optional<Document> reparsedPart(const Document& before, std::string text, ByteRange changed, std::size_t most);

} // namespace rankscope::config
