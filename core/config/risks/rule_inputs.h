// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/effective/effective.h"
#include "core/config/risks/risk.h"
#include "core/config/risks/risk_context.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rankscope::config {

/// The inputs of a rule: the effective values of a recipe and the facts about its surroundings. Keeps references to
/// both.
class RuleValues {
public:
    RuleValues(const std::vector<KeyRow>& rows, const RiskContext& surroundings);

    std::optional<Node> node(const std::string& key) const; ///< none also if the value is not known
    bool isOpen(const std::string& key) const;              ///< ???: only given at launch
    bool isTrue(const std::string& key) const;
    bool isFalse(const std::string& key) const; ///< explicitly or by default
    bool isNull(const std::string& key) const;  ///< present, and null
    double number(const std::string& key, double fallback) const;
    std::string text(const std::string& key) const; ///< of a scalar; otherwise empty
    bool hasKey(std::string_view key) const { return m_byKey.contains(key); }

    /// Returns whether the rank count is certainly 1.
    bool oneRank() const;
    int ranks() const;     ///< 0: not known
    int ranksHere() const; ///< on one node
    bool normalisesBatches() const { return text("model.encoder.conv_norm_type") == "batch_norm"; }

    const RiskContext& context() const { return m_context; }
    bool onCpu() const { return m_context.device == "cpu" || text("trainer.accelerator") == "cpu"; }
    const std::vector<KeyRow>& rows() const { return m_rows; }

private:
    /// Returns none if the key is not in the file and has no default that applies.
    std::optional<Node> written(const std::string& key) const;

    const std::vector<KeyRow>& m_rows;
    const RiskContext& m_context;
    std::unordered_map<std::string_view, const KeyRow*> m_byKey;
};

/// The result of a rule that applies.
struct RuleHit {
    Message reason;
    std::optional<RiskRemedy> set = std::nullopt;
    std::string key = {}; ///< where the mark is shown; empty: at each of the rule's keys
    std::vector<RiskRemedy> also = {};
};

/// Returns none if the rule does not apply.
std::optional<RuleHit> firedIf(bool applies, Message reason, std::optional<RiskRemedy> set = std::nullopt,
                               std::string key = {});

struct RuleEntry {
    RiskRule rule;
    std::optional<RuleHit> (*check)(const RuleValues&); ///< none: the rule does not apply
};

} // namespace rankscope::config
