// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace rankscope {

/// What lies in a folder, in no order. Never throws, as a loop over a directory_iterator does when a step of it fails
/// (a file server that is gone): `ec` is set then, and what was read so far comes back.
std::vector<std::filesystem::directory_entry> entriesOf(const std::filesystem::path& folder, std::error_code& ec);

} // namespace rankscope
