// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/yaml/node.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::config {

enum class RiskSeverity : std::uint8_t {
    Info,    ///< what the setting does to the ranks; nothing is wrong
    Caution, ///< costs time or figures
    Danger,  ///< ranks may hang, or the run fails or trains nothing
};
/// "info", "caution" or "danger".
constexpr std::string_view riskSeverityName(RiskSeverity severity) {
    return severity == RiskSeverity::Danger ? "danger" : severity == RiskSeverity::Caution ? "caution" : "info";
}

/// A setting that cures it: applied with one click.
struct RiskRemedy {
    std::string key;
    ValueText value; ///< empty: the key is to be removed
};

struct RiskRule {
    std::string id;                ///< "length-sync-blocks"
    std::vector<std::string> keys; ///< it concerns these, and its mark stands there; empty: it may be any key
    RiskSeverity severity = RiskSeverity::Info;
    std::string explanation; ///< two or three sentences: why, and when it does not matter
    std::string remedy;      ///< what to do, a sentence; empty: nothing is to be done
    std::string prevents;    ///< the diagnosis' cause ("data_loading"), or a heading of docs/diagnosis.md ("#memory")
};

/// A rule that applies.
struct Risk {
    const RiskRule* rule = nullptr; ///< lives for ever
    std::string key;                ///< where its mark stands
    std::string reason;             ///< one line, with the recipe's own figures
    std::optional<RiskRemedy> set;  ///< where the remedy is a setting
    std::vector<RiskRemedy> also;   ///< what has to be set with it, or the remedy is only half of one
};

} // namespace rankscope::config
