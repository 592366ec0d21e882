// SPDX-License-Identifier: Apache-2.0
#include "core/config/edit/document.h"

#include "core/config/yaml/yaml_parser.h"

namespace rankscope::config {

Document::Document() : m_root(std::make_shared<const Node>()) {}

Document::Document(std::string text, std::string fileName, tl::expected<Node, Problem> parsed)
    : m_text(std::move(text)), m_fileName(std::move(fileName)) {
    if (parsed)
        m_root = std::make_shared<const Node>(std::move(*parsed));
    else
        m_parseError = std::move(parsed.error());
}

Document Document::fromText(std::string text, std::string fileName) {
    auto parsed = parseYaml(text);
    return {std::move(text), std::move(fileName), std::move(parsed)};
}

} // namespace rankscope::config
