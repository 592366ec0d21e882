// SPDX-License-Identifier: Apache-2.0
// Native stacks as JSON between the process that takes them and who asked for them, and as text for people.
#pragma once

#include "core/launch/stacks/native_stack.h"
#include "core/store/tables/stack_and_usage_rows.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace rankscope::launch {

nlohmann::json threadsJson(const std::vector<NativeThread>& threads);
nlohmann::json toJson(const NativeStacks& stacks);
/// What another process wrote: checked, bounded by `limits`.
Result<NativeStacks> stacksFromJson(const std::string& text, const StackLimits& limits = {});

/// Threads under headlines, indented; idle threads with the same frames are told once.
std::string stacksText(const std::vector<NativeThread>& threads, int leftOut, const std::string& indent);

/// Rows of a store as threads again.
std::vector<NativeThread> threadsOf(const std::vector<store::StackRow>& rows);

} // namespace rankscope::launch
