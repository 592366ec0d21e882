// SPDX-License-Identifier: Apache-2.0
// Sets of utterances as decorators over a two-method interface: all rows of the manifests, those that pass the duration
// filter, those that one rank sees in one epoch.
#pragma once

#include "core/base/values/error.h"
#include "core/plan/data/manifest.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::trainer {

using plan::DurationKey;

struct Utterance {
    std::string path;                         ///< absolute, or relative to the working folder
    double offset = 0;                        ///< seconds into the file
    double duration = 0;                      ///< seconds; 0: to the end of the file
    std::int64_t row = -1;                    ///< in the joined manifest, before any filter
    std::shared_ptr<const std::string> shard; ///< the tar file; `path` is then the member's name. Null: a separate file
    std::int64_t shardAt = 0, bytes = 0;      ///< the member's header in the shard, its size

    /// Returns the name used in messages: the path, or shard and member.
    std::string place() const { return shard ? *shard + ": " + path : path; }
};

/// Reads the rows of the manifests, joined in their order. An error names file and line. Empty lines are skipped; a
/// file without any row is an error.
Result<std::vector<Utterance>> readManifests(const std::vector<std::string>& files, DurationKey duration);

class UtteranceSet {
public:
    virtual ~UtteranceSet() = default;
    virtual std::int64_t size() const = 0;
    virtual const Utterance& get(std::int64_t i) const = 0; ///< 0 <= i < size()
};

/// All rows of one or more manifests, joined in the order of the files.
class ManifestSet final : public UtteranceSet {
public:
    explicit ManifestSet(std::vector<Utterance> rows) : m_rows(std::move(rows)) {}
    std::int64_t size() const override { return static_cast<std::int64_t>(m_rows.size()); }
    const Utterance& get(std::int64_t i) const override { return m_rows[static_cast<std::size_t>(i)]; }

private:
    std::vector<Utterance> m_rows;
};

/// The rows with min <= duration <= max; a limit of 0 does not apply.
class DurationFilter final : public UtteranceSet {
public:
    DurationFilter(std::shared_ptr<const UtteranceSet> source, double minSeconds, double maxSeconds);
    std::int64_t size() const override { return static_cast<std::int64_t>(m_kept.size()); }
    const Utterance& get(std::int64_t i) const override { return m_source->get(m_kept[static_cast<std::size_t>(i)]); }

    std::int64_t tooShort() const { return m_tooShort; }
    std::int64_t tooLong() const { return m_tooLong; }

private:
    std::shared_ptr<const UtteranceSet> m_source;
    std::vector<std::int64_t> m_kept;
    std::int64_t m_tooShort = 0, m_tooLong = 0;
};

/// The source in another order, which may repeat rows: a rank's share of an epoch.
class OrderedSet final : public UtteranceSet {
public:
    OrderedSet(std::shared_ptr<const UtteranceSet> source, std::vector<std::int64_t> order)
        : m_source(std::move(source)), m_order(std::move(order)) {}
    std::int64_t size() const override { return static_cast<std::int64_t>(m_order.size()); }
    const Utterance& get(std::int64_t i) const override { return m_source->get(m_order[static_cast<std::size_t>(i)]); }

private:
    std::shared_ptr<const UtteranceSet> m_source;
    std::vector<std::int64_t> m_order;
};

} // namespace rankscope::trainer
