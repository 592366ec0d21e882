// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/recording/run_info_reserve.h"

#include <optional>

namespace rankscope::launch {

/// The run.json of a run that is supervised. The text that records the run's end goes into space that was reserved when
/// the run began.
class RunInfoFile {
public:
    /// Uses the reference as long as it lives.
    explicit RunInfoFile(const RunPaths& run) : m_run(run) {}

    /// Reserves space for the run's end and writes the file for the first time.
    Result<void> begin(const RunInfo& info);
    /// Writes the file. Returns an error if it still has the text of an earlier call.
    Result<void> write(const RunInfo& info);
    /// Returns whether the last call of write() has failed.
    bool isStale() const { return m_stale; }

private:
    Result<void> writeEnd(const RunInfo& info);

    const RunPaths& m_run;
    std::optional<RunInfoReserve> m_reserve; ///< none: begin() was not called, or the end was written
    bool m_stale = false;
};

} // namespace rankscope::launch
