// SPDX-License-Identifier: Apache-2.0
// RUN/control: one page that the supervisor writes. From it, the ranks learn at which step all of them leave, and
// programs that show the run learn how far its store goes, even while the disk is full. A new page replaces the old
// one; readers keep the page that they opened.
#pragma once

#include "core/base/values/error.h"
#include "core/base/values/hidden_part.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace rankscope::telemetry {

/// How far the store of a live run goes, as reported by its supervisor.
struct StoreProgress {
    std::int64_t atNs = 0;           ///< monotonic; the store has all that the supervisor had seen by then; 0: unknown
    std::int64_t troubleSinceNs = 0; ///< monotonic; when writing to the store began to fail; 0: it works
    std::string trouble;             ///< why writing fails
};

class ControlPage {
public:
    static constexpr std::size_t kMostTroubleBytes = 512; ///< longer texts are cut

    static Result<ControlPage> create(const std::filesystem::path& path); ///< supervisor
    static Result<ControlPage> open(const std::filesystem::path& path);   ///< read-only
    /// Opens a page for writing, so that ranks that have opened it already see what is written; creates it if there is
    /// none.
    static Result<ControlPage> createOrUse(const std::filesystem::path& path);
    static ControlPage detached();

    /// Returns the step before which ranks leave the loop: they begin no step >= this; INT64_MAX: no stop is requested.
    std::int64_t stopAtStep() const;
    /// Returns an error if the page cannot be written. Does nothing if the page was opened for reading.
    Result<void> setStopAtStep(std::int64_t step);

    /// Returns an empty value if the page was truncated, or its supervisor has not reported yet. Trusts nothing in it.
    StoreProgress storedUntil() const;
    /// Both report errors as setStopAtStep() does. An empty `trouble` means that the store works.
    Result<void> publishStored(std::int64_t atNs);
    Result<void> publishStoreError(std::int64_t sinceNs, std::string_view trouble);

private:
    struct Impl;
    explicit ControlPage(HiddenPart<Impl> impl) : m(std::move(impl)) {}
    HiddenPart<Impl> m;
};

} // namespace rankscope::telemetry
