// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files/file.h"
#include "core/launch/run/run_folder.h"

#include <string>
#include <string_view>

namespace rankscope::launch {

/// Room on the disk for the run.json that tells a run's end, taken while the run begins: on a disk that is full by
/// then, the true cause would be lost with its supervisor.
class VerdictReserve {
public:
    /// For a text of at most `bytes`.
    static Result<VerdictReserve> make(const RunPaths& run, std::size_t bytes);
    VerdictReserve(VerdictReserve&& other) noexcept;
    VerdictReserve& operator=(VerdictReserve&&) = delete;
    ~VerdictReserve(); ///< gives the room back

    /// That of a supervisor that was killed.
    static void removeLeftOver(const RunPaths& run);

    /// Makes this the run's run.json. Once. Error NotFound: another program removed or replaced the file.
    Result<void> spend(const RunPaths& run, std::string_view text);

private:
    bool isInPlace() const;

    VerdictReserve(UniqueFd fd, std::string file) : m_fd(std::move(fd)), m_file(std::move(file)) {}
    UniqueFd m_fd;
    std::string m_file; ///< empty: spent
};

} // namespace rankscope::launch
