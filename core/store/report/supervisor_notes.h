// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/read/fact_reader.h"

#include <initializer_list>
#include <string_view>
#include <vector>

namespace rankscope::store {

class OpenStore;

/// Returns the supervisor's notes that begin in one of these ways, in order.
Result<std::vector<Note>> supervisorNotes(OpenStore& store, std::initializer_list<std::string_view> beginnings);

/// Returns the supervisor's notes on calls of the command for incidents, in order. A call that failed is a warning.
Result<std::vector<Note>> alertNotes(OpenStore& store);

} // namespace rankscope::store
