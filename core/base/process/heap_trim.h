// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rankscope {

/// Makes the C library keep freed memory instead of returning it to the system and faulting it in again page by page.
/// For a process that allocates and frees the same large blocks over and over, as every training step does. Call it
/// before the first large allocation. Does nothing if the C library has no such setting.
void disableTrim();

/// Gives memory that any thread has freed back to the system; the C library itself does so only at the end of a
/// heap. For a process that runs for days. Takes milliseconds, during which other threads may wait to allocate.
void trimHeap();

} // namespace rankscope
