// SPDX-License-Identifier: Apache-2.0
// The changed text of an edit; document_edit.cpp proves that nothing else changed before it hands it out.
#pragma once

#include "core/base/error.h"
#include "core/config/node.h"

#include <string>

namespace rankscope::config {

Result<std::string> editSet(const std::string& text, const Node& root, const Path& path, const std::string& value);
Result<std::string> editRemove(const std::string& text, const Node& root, const Path& path);

} // namespace rankscope::config
