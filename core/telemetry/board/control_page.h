// SPDX-License-Identifier: Apache-2.0
// RUN/control: one page that the supervisor writes. The ranks read from it after which step all leave; whoever shows
// the run reads how far the store goes, also while the disk is full. A new page replaces an old one; a reader goes on
// with the page that it opened.
#pragma once

#include "core/base/values/error.h"
#include "core/base/values/hidden_part.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace rankscope::telemetry {

/// How far the store of a live run goes, as its supervisor says.
struct StoredUntil {
    std::int64_t atNs = 0;           ///< monotonic: what the supervisor had seen by then is in the store; 0: not told
    std::int64_t troubleSinceNs = 0; ///< monotonic; 0: the store takes what it is given
    std::string trouble;             ///< why it does not
};

class ControlPage {
public:
    static constexpr std::size_t kMostTroubleBytes = 512; ///< longer texts are cut

    static Result<ControlPage> create(const std::filesystem::path& path); ///< supervisor
    static Result<ControlPage> open(const std::filesystem::path& path);   ///< read-only
    static ControlPage detached();

    /// Ranks leave the loop when they are about to begin a step >= this; INT64_MAX: go on.
    std::int64_t stopAtStep() const;
    /// An error: the page cannot be written. Nothing is done to one that was opened for reading.
    Result<void> setStopAtStep(std::int64_t step);

    /// Nothing in it is trusted: a page that was cut short or never told it is an empty answer.
    StoredUntil storedUntil() const;
    /// As setStopAtStep(). An empty `trouble`: there is none.
    Result<void> tellStored(std::int64_t atNs);
    Result<void> tellTrouble(std::int64_t sinceNs, std::string_view trouble);

private:
    struct Impl;
    explicit ControlPage(HiddenPart<Impl> impl) : m(std::move(impl)) {}
    HiddenPart<Impl> m;
};

} // namespace rankscope::telemetry
