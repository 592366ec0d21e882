// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/tensorboard/event_import.h"

#include "core/base/text/html_text.h"
#include "core/base/values/result.h"
#include "core/exchange/tensorboard/series_tags.h"
#include "core/store/tables/pyramid.h"
#include "core/telemetry/format/limits.h"

#include <cmath>

namespace rankscope::exchange {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kValuesAtOnce = 20'000, kMostTags = 10'000, kLongestTag = 1024;
constexpr int kLookedAt = 100; ///< records to search for the run's start time
constexpr double kLatest = static_cast<double>(telemetry::kLatestRealtimeNs) * 1e-9; ///< seconds since 1970

/// Returns the time since the run's start; 0 if the wall clock was set back to before it.
std::int64_t sinceStart(double wallTime, std::int64_t startRealtimeNs) {
    return std::max<std::int64_t>(std::llround(wallTime * 1e6) * 1000 - startRealtimeNs, 0);
}

Message at(const fs::path& path, std::uint64_t offset) {
    return {"{}: offset {}", path, offset};
}

} // namespace

Result<EventFileHead> readHead(const fs::path& path) {
    RS_TRY_ASSIGN(auto reader, RecordReader::open(path));
    if (reader.bytes() == 0)
        return fail(Errc::Malformed, "is empty", path.string());
    auto record = reader.next();
    if (!record)
        return tl::unexpected(record.error());
    if (!*record)
        return fail(Errc::Malformed,
                    {"is not a TensorBoard event file: {}",
                     reader.damage() ? reader.damage()->what : Message("its first record has a wrong checksum")},
                    at(path, reader.damage() ? reader.damage()->offset : reader.firstSkipped()).english());
    const auto event = readEvent(**record);
    if (!event || !event->fileVersion.starts_with(kFileVersion))
        return fail(Errc::Malformed, "contains records, but not TensorBoard events: the first one has no version",
                    at(path, reader.offset()).english());
    if (!(event->wallTime >= 0 && event->wallTime < kLatest))
        return fail(Errc::Malformed, {"claims a start time of {} s since 1970", event->wallTime},
                    at(path, reader.offset()).english());
    EventFileHead head{std::llround(event->wallTime * 1e6) * 1000, event->writer};
    // values may have times before the file was created, because they are written after they were measured
    for (int i = 0; i < kLookedAt; ++i) {
        record = reader.next();
        if (!record || !*record)
            break; // the import reports what is wrong with the file
        const auto next = readEvent(**record);
        if (next && next->wallTime > 0 && next->wallTime < event->wallTime && !next->scalars.empty())
            head.realtimeNs = std::min<std::int64_t>(head.realtimeNs, std::llround(next->wallTime * 1e6) * 1000);
    }
    return head;
}

/// Returns the meaning of a tag; null if there are too many tags.
EventImport::SeriesMeaning* EventImport::meaningOf(const std::string& tag, bool own) {
    if (const auto known = m_meanings.find(tag); known != m_meanings.end())
        return &known->second;
    if (m_meanings.size() >= kMostTags || tag.size() > kLongestTag)
        return nullptr;
    SeriesMeaning meaning;
    std::string storedAs;
    if (const auto known = own ? knownTag(tag) : std::nullopt) {
        using In = KnownTag::TagMeaning;
        meaning.kind = known->meaning == In::Metric  ? store::ImportedValue::ImportedKind::Metric
                       : known->meaning == In::Epoch ? store::ImportedValue::ImportedKind::Epoch
                                                     : store::ImportedValue::ImportedKind::Validation;
        meaning.metric = known->metric;
        meaning.scale = known->scale;
        storedAs = meaning.kind == store::ImportedValue::ImportedKind::Metric  ? store::info(known->metric).column
                   : meaning.kind == store::ImportedValue::ImportedKind::Epoch ? "epoch"
                                                                               : "validation";
        if (!m_claimed.insert(storedAs).second) { // another tag has this meaning already; do not mix them
            meaning = {};
            storedAs.clear();
        }
    }
    meaning.found = &m_series.try_emplace(tag, SeriesFound{storedAs, 0}).first->second;
    return &m_meanings.emplace(tag, meaning).first->second;
}

Result<void> EventImport::take(const Event& event, const EventSource& source) {
    m_otherValues += event.otherValues;
    const bool plausible = event.step >= 0 && event.step <= store::kMaxStep && event.wallTime >= 0 &&
                           event.wallTime < kLatest && sinceStart(event.wallTime, m_start) <= store::kMostNs;
    for (const Scalar& scalar : event.scalars) {
        SeriesMeaning* meaning =
            plausible ? meaningOf(source.prefix + cleanText(scalar.tag), source.prefix.empty()) : nullptr;
        if (!meaning) {
            ++(plausible ? m_tooManyTags : m_implausible);
            continue;
        }
        store::ImportedValue value;
        value.kind = meaning->kind;
        value.metric = meaning->metric;
        value.rank = source.rank;
        value.step = event.step;
        value.timeNs = sinceStart(event.wallTime, m_start);
        value.value = scalar.value * meaning->scale;
        if (meaning->kind == store::ImportedValue::ImportedKind::Metric && meaning->scale != 1)
            value.value = std::round(value.value); // whole ns
        value.tag =
            meaning->kind == store::ImportedValue::ImportedKind::Other ? source.prefix + cleanText(scalar.tag) : "";
        m_lastNs = std::max(m_lastNs, value.timeNs);
        m_pending.push_back(std::move(value));
        ++meaning->found->points;
        ++m_points;
    }
    return m_pending.size() >= kValuesAtOnce ? flush() : Result<void>();
}

Result<void> EventImport::flush() {
    auto stored = m_pending.empty() ? Result<void>() : m_store.import(m_pending);
    m_pending.clear();
    return stored;
}

void EventImport::remarkOn(const RecordReader& reader) {
    const std::string path = reader.path().string();
    if (const auto& damage = reader.damage())
        m_remarks.emplace_back(Message("{}: {}; {} of {} bytes were not read.", at(reader.path(), damage->offset),
                                       damage->what, Count{static_cast<std::int64_t>(damage->lostBytes)},
                                       Count{static_cast<std::int64_t>(reader.bytes())}));
    if (reader.skipped() > 0)
        m_remarks.emplace_back(
            Message("{}: skipped {} records, the first of them here: they have a wrong checksum, or are "
                    "larger than any record with scalars.",
                    at(reader.path(), reader.firstSkipped()), reader.skipped()));
    if (m_noEvents > 0)
        m_remarks.emplace_back(Message("{}: skipped {} records, the first of them here: they are not events.",
                                       at(reader.path(), m_firstNoEvent), m_noEvents));
    if (m_implausible > 0)
        m_remarks.emplace_back(Message("{}: skipped {} values with an impossible step or time.", path, m_implausible));
    if (m_tooManyTags > 0)
        m_remarks.emplace_back(
            Message("{}: skipped {} values: there are more than {} tags, or a tag is longer than {} bytes.", path,
                    m_tooManyTags, kMostTags, kLongestTag));
    if (m_otherValues > 0)
        m_remarks.emplace_back(
            Message("{}: skipped {} non-scalar values (text, images, histograms).", path, m_otherValues));
}

Result<void> EventImport::read(const EventSource& source) {
    if (auto head = readHead(source.path); !head) {
        if (head.error().code != Errc::Malformed)
            return tl::unexpected(head.error());
        m_remarks.emplace_back(Message("{}; none of it was read.", head.error().asMessage()));
        return {};
    }
    RS_TRY_ASSIGN(auto reader, RecordReader::open(source.path));
    m_otherValues = m_implausible = m_tooManyTags = m_noEvents = 0;
    for (;;) {
        RS_TRY_ASSIGN(auto record, reader.next());
        if (!record)
            break;
        if (const auto event = readEvent(*record)) {
            RS_TRY(take(*event, source));
        } else {
            m_firstNoEvent = m_noEvents++ == 0 ? reader.offset() : m_firstNoEvent;
        }
    }
    remarkOn(reader);
    return {};
}

} // namespace rankscope::exchange
