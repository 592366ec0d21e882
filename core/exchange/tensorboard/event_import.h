// SPDX-License-Identifier: Apache-2.0
// Imports event files into a run's store, value by value: memory does not grow with their size.
#pragma once

#include "core/exchange/tensorboard/event.h"
#include "core/exchange/tensorboard/import_sources.h"
#include "core/exchange/tensorboard/tfrecord.h"
#include "core/store/write/run_writer.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rankscope::exchange {

/// Header of an event file.
struct EventFileHead {
    std::int64_t realtimeNs = 0; ///< when the file was created, wall clock
    std::string writer;          ///< the program; may be empty
};
/// Reads the header, or returns an error that says why this is not an event file and names file and offset.
Result<EventFileHead> readHead(const std::filesystem::path& path);

class EventImport {
public:
    EventImport(store::RunWriter& store, std::int64_t startRealtimeNs) : m_store(store), m_start(startRealtimeNs) {}

    /// Imports the readable part of a file. Returns an error only on a system failure; damage is added to remarks().
    Result<void> read(const EventSource& source);
    /// Stores the values that are still pending.
    Result<void> flush();

    struct SeriesFound {
        std::string storedAs; ///< "loss", "validation"; empty: kept under its tag
        std::int64_t points = 0;
    };
    const std::map<std::string, SeriesFound>& series() const { return m_series; } ///< by tag
    std::int64_t points() const { return m_points; }
    std::int64_t lastNs() const { return m_lastNs; } ///< of the newest value, since the run's start
    const std::vector<Message>& remarks() const { return m_remarks; }

private:
    struct SeriesMeaning {
        store::ImportedValue::ImportedKind kind = store::ImportedValue::ImportedKind::Other;
        store::Metric metric = store::Metric::Loss;
        double scale = 1;
        SeriesFound* found = nullptr;
    };
    SeriesMeaning* meaningOf(const std::string& tag, bool own);
    Result<void> take(const Event& event, const EventSource& source);
    void remarkOn(const RecordReader& reader);

    store::RunWriter& m_store;
    std::int64_t m_start, m_points = 0, m_lastNs = 0;
    std::map<std::string, SeriesFound> m_series;
    std::map<std::string, SeriesMeaning> m_meanings;
    std::set<std::string> m_claimed; ///< store names that are already taken by a tag
    std::vector<store::ImportedValue> m_pending;
    std::vector<Message> m_remarks;
    // of one file
    std::int64_t m_otherValues = 0, m_implausible = 0, m_tooManyTags = 0, m_noEvents = 0;
    std::uint64_t m_firstNoEvent = 0;
};

} // namespace rankscope::exchange
