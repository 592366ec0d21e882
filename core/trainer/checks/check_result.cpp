// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/checks/check_result.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace rankscope::trainer {

using nlohmann::json;
using telemetry::CheckStatus;

Result<void> stopReason(const std::vector<CheckResult>& results) {
    const auto found = std::find_if(results.begin(), results.end(),
                                    [](const CheckResult& r) { return r.stops && r.status == CheckStatus::Failed; });
    if (found == results.end())
        return {};
    return fail(Errc::BadInput, found->text, "check " + found->name);
}

telemetry::CheckRecord recordOf(const CheckResult& result) {
    telemetry::CheckRecord record;
    record.status = result.status;
    record.stops = result.stops && result.status == CheckStatus::Failed ? 1 : 0;
    telemetry::putText(record.name, sizeof record.name, result.name);
    telemetry::putText(record.text, sizeof record.text, result.text);
    return record;
}

std::string encodeResults(const std::vector<CheckResult>& results) {
    json all = json::array();
    for (const CheckResult& r : results)
        all.push_back({r.name, static_cast<int>(r.status), r.stops, r.text});
    return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<std::vector<CheckResult>> decodeResults(std::string_view text, const std::string& who) {
    const json all = json::parse(text, nullptr, false);
    const auto damaged = [&] { return fail(Errc::Malformed, "sent results of checks that cannot be read", who); };
    if (!all.is_array())
        return damaged();
    std::vector<CheckResult> results;
    for (const json& r : all) {
        if (!r.is_array() || r.size() != 4 || !r[0].is_string() || !r[1].is_number_unsigned() || !r[2].is_boolean() ||
            !r[3].is_string() || r[1].get<std::uint64_t>() >= static_cast<std::uint64_t>(CheckStatus::Count))
            return damaged();
        results.push_back({r[0], static_cast<CheckStatus>(r[1].get<int>()), r[2], r[3]});
    }
    return results;
}

} // namespace rankscope::trainer
