// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/telemetry/format/records.h"

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::trainer {

/// The result of one of the checks before and at start.
struct CheckResult {
    std::string name; ///< "configuration"; at most 23 bytes, see telemetry::CheckRecord
    telemetry::CheckStatus status = telemetry::CheckStatus::Passed;
    bool stops = false; ///< with this fault the ranks would hang or train something other than requested
    std::string text;   ///< what was found; why it failed, or was skipped

    static CheckResult passed(std::string name, std::string text) {
        return {std::move(name), telemetry::CheckStatus::Passed, false, std::move(text)};
    }
    static CheckResult skipped(std::string name, std::string text) {
        return {std::move(name), telemetry::CheckStatus::Skipped, false, std::move(text)};
    }
    static CheckResult failed(std::string name, bool stops, std::string text) {
        return {std::move(name), telemetry::CheckStatus::Failed, stops, std::move(text)};
    }
    bool operator==(const CheckResult&) const = default;
};

/// Returns the first result that stops the run, as the error with which the run ends on every rank.
Result<void> stopReason(const std::vector<CheckResult>& results);

telemetry::CheckRecord recordOf(const CheckResult& result);

/// Encode and decode results between ranks. Decoding checks the sizes and types of another process's text; an error
/// names `who`.
std::string encodeResults(const std::vector<CheckResult>& results);
Result<std::vector<CheckResult>> decodeResults(std::string_view text, const std::string& who);

} // namespace rankscope::trainer
