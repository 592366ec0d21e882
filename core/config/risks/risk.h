// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/text/message.h"
#include "core/config/yaml/node.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::config {

enum class RiskSeverity : std::uint8_t {
    Info,    ///< the setting's effect on the ranks; nothing is wrong
    Caution, ///< costs time or measured values
    Danger,  ///< ranks may hang, or the run fails or does not train
};
/// "info", "caution" or "danger".
constexpr std::string_view riskSeverityName(RiskSeverity severity) {
    return severity == RiskSeverity::Danger ? "danger" : severity == RiskSeverity::Caution ? "caution" : "info";
}

/// A setting that removes the risk: applied with one click.
struct RiskRemedy {
    std::string key;
    ValueText value; ///< empty: remove the key
};

struct RiskRule {
    std::string id;                ///< "length-sync-blocks"
    std::vector<std::string> keys; ///< the keys it concerns, where its mark is shown; empty: it may be any key
    RiskSeverity severity = RiskSeverity::Info;
    Message explanation; ///< two or three sentences: why, and when it does not matter
    Message remedy;      ///< what to do, a sentence; empty: no action is needed
    /// The cause in the diagnosis ("data_loading"), or a heading of docs/diagnosis.md ("#memory").
    std::string prevents;
};

/// A rule that applies.
struct Risk {
    const RiskRule* rule = nullptr; ///< valid until the program ends
    std::string key;                ///< where its mark is shown
    Message reason;                 ///< one line, with the recipe's own figures
    std::optional<RiskRemedy> set;  ///< if the remedy is a setting
    std::vector<RiskRemedy> also;   ///< other settings that the remedy needs to be complete
};

} // namespace rankscope::config
