// SPDX-License-Identifier: Apache-2.0
#include "core/store/write/ingest_batch.h"

#include <algorithm>
#include <cmath>

namespace rankscope::store {

static constexpr std::uint64_t bitOf(Metric metric) {
    return std::uint64_t{1} << static_cast<int>(metric);
}

bool isAdditive(Metric metric) {
    return metric >= Metric::WaitTotal;
}

void StepUpdate::set(Metric metric, double value) {
    present |= bitOf(metric);
    values[static_cast<std::size_t>(metric)] = value;
    if (!std::isfinite(value))
        markNotFinite(metric);
}

void StepUpdate::add(Metric metric, double value) {
    const double before = present & bitOf(metric) ? values[static_cast<std::size_t>(metric)] : 0;
    set(metric, before + value);
}

void StepUpdate::markNotFinite(Metric metric) {
    notFinite |= bitOf(metric);
}

void StepUpdate::spans(std::int64_t fromNs, std::int64_t toNs) {
    beginNs = timed ? std::min(beginNs, fromNs) : fromNs;
    endNs = timed ? std::max(endNs, toNs) : toNs;
    timed = true;
}

int TagTable::id(std::string_view text) {
    if (const auto at = m_ids.find(text); at != m_ids.end())
        return at->second;
    const int id = m_next;
    know(id, std::string(text));
    return id;
}

void TagTable::know(int id, std::string text) {
    m_next = std::max(m_next, id + 1);
    m_texts[id] = text;
    m_ids[std::move(text)] = id;
}

const std::string& TagTable::text(int id) const {
    static const std::string kNone;
    const auto at = m_texts.find(id);
    return at == m_texts.end() ? kNone : at->second;
}

} // namespace rankscope::store
