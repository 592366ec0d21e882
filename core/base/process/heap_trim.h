// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rankscope {

/// For a process that allocates and frees the same large blocks over and over, as every training step does: the C
/// library keeps what was freed instead of giving it back to the system and faulting it in again page by page. Call
/// before the first large allocation. Does nothing where the C library has no such setting.
void keepFreedMemory();

/// For a process that runs for days: what all threads freed goes back to the system, which the C library does by itself
/// only at the end of a heap. Takes milliseconds, in which other threads may wait to allocate.
void giveBackFreedMemory();

} // namespace rankscope
