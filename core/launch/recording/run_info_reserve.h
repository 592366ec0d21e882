// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files/file.h"
#include "core/launch/run/run_folder.h"

#include <string>
#include <string_view>

namespace rankscope::launch {

/// Disk space for the run.json that records a run's end, reserved when the run begins: if the disk is full at the end,
/// the true cause would otherwise be lost with the supervisor.
class RunInfoReserve {
public:
    /// Reserves space for a text of at most `bytes`.
    static Result<RunInfoReserve> make(const RunPaths& run, std::size_t bytes);
    RunInfoReserve(RunInfoReserve&& other) noexcept;
    RunInfoReserve& operator=(RunInfoReserve&&) = delete;
    ~RunInfoReserve(); ///< frees the space

    /// Removes the reserve of a supervisor that was killed.
    static void removeLeftOver(const RunPaths& run);

    /// Turns the reserve into the run's run.json; call it once. Error NotFound: another program removed or replaced the
    /// file.
    Result<void> write(const RunPaths& run, std::string_view text);

private:
    bool isInPlace() const;

    RunInfoReserve(UniqueFd fd, std::string file) : m_fd(std::move(fd)), m_file(std::move(file)) {}
    UniqueFd m_fd;
    std::string m_file; ///< empty: already used
};

} // namespace rankscope::launch
