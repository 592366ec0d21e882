// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rankscope::config::test {

/// Reads, evaluates and edits arbitrary bytes. A line "%%" separates the YAML from commands, one per line: "change KEY
/// VALUE", "add PARENT INDEX NAME VALUE", "remove KEY", "move KEY PARENT INDEX NAME" ("." is the document, INDEX -1 the
/// end); anything else is an override. Returns what is wrong with the results; empty: nothing.
std::string checkInput(const std::string& bytes);

} // namespace rankscope::config::test
