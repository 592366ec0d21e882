// SPDX-License-Identifier: Apache-2.0
// RUN/control: one page from the supervisor to the ranks, so that all leave after the same step. A new page replaces an
// old one; a rank goes on reading the page that it opened.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace rankscope::telemetry {

class ControlPage {
public:
    static Result<ControlPage> create(const std::filesystem::path& path); ///< supervisor
    static Result<ControlPage> open(const std::filesystem::path& path);   ///< rank, read-only
    static ControlPage detached();
    ControlPage(ControlPage&&) noexcept;
    ControlPage& operator=(ControlPage&&) noexcept;
    ~ControlPage();

    /// Ranks leave the loop when they are about to begin a step >= this; INT64_MAX: go on.
    std::int64_t stopAtStep() const;
    /// An error: the page cannot be written. Nothing is done to one that was opened for reading.
    Result<void> setStopAtStep(std::int64_t step);

private:
    struct Impl;
    explicit ControlPage(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

} // namespace rankscope::telemetry
