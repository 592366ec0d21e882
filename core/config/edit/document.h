// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/yaml/node.h"

#include <tl/expected.hpp>

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

} // namespace rankscope::config
