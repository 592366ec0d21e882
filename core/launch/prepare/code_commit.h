// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace rankscope::launch {

/// Returns the commit of the Git checkout that contains the folder, as 40 or 64 hexadecimal digits; empty: it is in
/// none, or the commit cannot be read. Git is not started, because the settings of a checkout can name commands that
/// Git runs. So it is not known whether files differ from the commit.
std::string codeCommit(const std::filesystem::path& folder);

} // namespace rankscope::launch
