// SPDX-License-Identifier: Apache-2.0
// What a process that failed said last, in its end record or in the last lines of its log. These are texts of PyTorch,
// its libraries and Python; a text that none of the functions knows means nothing.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::diagnosis {

/// Returns true if a collective broke because another rank ended, did not come, or made another call.
bool mentionsAnotherRank(std::string_view text);
/// Returns true if a DataLoader lost one of its worker processes.
bool mentionsLoaderWorker(std::string_view text);
/// Returns true if an allocation failed.
bool mentionsMemory(std::string_view text);
/// Returns true if shared memory is used up, through which workers hand over their batches.
bool mentionsSharedMemory(std::string_view text);
/// Returns true if a file could not be written because the disk, or the user's quota of it, is full.
bool mentionsFullDisk(std::string_view text);

/// Returns the exception that ends the last traceback of Python, with the innermost place of the user's program:
/// "ValueError: message (train.py:88)". Empty: there is none.
std::string pythonException(std::string_view lines);

} // namespace rankscope::diagnosis
