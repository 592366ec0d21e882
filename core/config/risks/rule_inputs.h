// SPDX-License-Identifier: Apache-2.0
// What a rule looks at, and the tables of rules: core/config/risks/risk_rules.h shows them to others.
#pragma once

#include "core/config/risks/risk_rules.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::config {

class RuleValues {
public:
    /// None: the key is neither in the file nor has it a default that acts.
    using Lookup = std::function<std::optional<Node>(const std::string& key)>;

    /// `rows` may be null: then nobody knows what was written.
    RuleValues(Lookup lookup, const Surroundings& surroundings, const std::vector<KeyRow>* rows)
        : m_lookup(std::move(lookup)), m_surroundings(surroundings), m_rows(rows) {}

    std::optional<Node> node(const std::string& key) const; ///< none also where the value is not known
    bool isOpen(const std::string& key) const;              ///< ???: whoever launches will say it
    bool isTrue(const std::string& key) const;
    bool isFalse(const std::string& key) const; ///< said so, or by default
    bool isNull(const std::string& key) const;  ///< there, and null
    double number(const std::string& key, double otherwise) const;
    std::string text(const std::string& key) const; ///< of a scalar; else empty

    /// The rank count is surely 1.
    bool oneRank() const;
    int ranks() const;     ///< 0: not known
    int ranksHere() const; ///< on one node
    bool normalisesBatches() const { return text("model.encoder.conv_norm_type") == "batch_norm"; }

    const Surroundings& around() const { return m_surroundings; }
    bool onCpu() const { return m_surroundings.device == "cpu" || text("trainer.accelerator") == "cpu"; }
    const std::vector<KeyRow>& rows() const;

private:
    Lookup m_lookup;
    const Surroundings& m_surroundings;
    const std::vector<KeyRow>* m_rows;
};

struct Fired {
    std::string reason;
    std::optional<RiskRemedy> set = std::nullopt;
    std::string key = {}; ///< where the mark stands; empty: at each of the rule's keys
    std::vector<RiskRemedy> also = {};
};

struct RuleEntry {
    RiskRule rule;
    std::optional<Fired> (*check)(const RuleValues&);
};

std::vector<RuleEntry> lengthSyncRules(); ///< length sync, SyncBN
std::vector<RuleEntry> strategyRules();   ///< DDP, devices
std::vector<RuleEntry> dataRules();
std::vector<RuleEntry> manifestRules(); ///< of what the manifests hold
std::vector<RuleEntry> optimRules();    ///< precision, learning rate, memory
std::vector<RuleEntry> runRules();      ///< validation, checkpoints, seeds, timeouts, faults

} // namespace rankscope::config
