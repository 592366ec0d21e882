// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/read/fact_reader.h"

#include <initializer_list>
#include <string_view>
#include <vector>

namespace rankscope::store {

class OpenStore;

/// Number of the supervisor's notes that are examined: a run has fewer, but a damaged file may have any number.
inline constexpr int kMostSupervisorNotes = 100'000;

/// Returns the supervisor's notes that begin in one of these ways, in order. Examines its first `limit` notes.
Result<std::vector<Note>> supervisorNotes(OpenStore& store, std::initializer_list<std::string_view> beginnings,
                                          int limit = kMostSupervisorNotes);

/// Returns the supervisor's notes on calls of the command for incidents, in order. A call that failed is a warning.
Result<std::vector<Note>> alertNotes(OpenStore& store);

} // namespace rankscope::store
