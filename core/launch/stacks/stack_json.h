// SPDX-License-Identifier: Apache-2.0
// Native stacks as JSON, between the process that takes them and the one that asked for them, and as text for people.
#pragma once

#include "core/launch/stacks/native_stack.h"
#include "core/store/tables/stack_and_usage_rows.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace rankscope::launch {

/// Returns the threads as an array.
nlohmann::json threadsJson(const std::vector<NativeThread>& threads);
/// Returns what stacksFromJson() reads.
nlohmann::json toJson(const NativeStacks& stacks);
/// Parses what another process wrote. The result is checked and bounded by `limits`.
Result<NativeStacks> stacksFromJson(const std::string& text, const StackLimits& limits = {});

/// Formats threads under headlines, indented; idle threads with the same frames are listed once.
std::string stacksText(const std::vector<NativeThread>& threads, int leftOut, const std::string& indent);

/// Turns rows of a store back into threads.
std::vector<NativeThread> threadsOf(const std::vector<store::StackRow>& rows);

} // namespace rankscope::launch
