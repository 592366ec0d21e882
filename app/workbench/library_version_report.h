// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace rankscope::workbench {

/// What --version prints, with the libraries that are loaded.
std::string versionLines();

} // namespace rankscope::workbench
