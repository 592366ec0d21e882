// SPDX-License-Identifier: Apache-2.0
#include "core/launch/recording/journal_drain.h"

#include "core/base/files/guarded_folder.h"
#include "core/base/values/result.h"
#include "core/telemetry/journal/journal_segment.h"

#include <algorithm>
#include <iterator>

namespace rankscope::launch {

/// Per rank and round: bounds the memory of a round and the time of a transaction.
static constexpr std::size_t kRecordsPerRead = 8192;
/// Limit for the detector's input while the store cannot be written: the run continues, the recording gets a gap.
static constexpr std::size_t kInputBacklog = 8 << 20;

Result<Drain> Drain::open(const RunPaths& run, store::RunWriter store) {
    Drain drain(run, std::move(store));
    for (int r = 0; r < drain.m_store.meta().worldSize; ++r) {
        RS_TRY_ASSIGN(const auto from, drain.m_store.position(r));
        drain.m_sources.push_back({telemetry::JournalReader(run.rank(r), from), {}, {}});
    }
    return drain;
}

bool Drain::read(const std::vector<bool>& gone) {
    m_fresh = false;
    if (m_pending)
        return true;
    bool more = false;
    for (std::size_t r = 0; r < m_sources.size(); ++r) {
        JournalSource& s = m_sources[r];
        s.records.clear();
        const bool ended = r >= gone.size() || gone[r]; // the store may know of more ranks than run.json
        more |= s.reader.read(s.records, kRecordsPerRead, ended) == kRecordsPerRead;
        m_pending |= !s.records.empty() || s.reader.counters() != s.stored;
    }
    m_fresh = true;
    return more;
}

std::span<const telemetry::AnyRecord> Drain::newRecords(int rank) const {
    if (!m_fresh)
        return {};
    return m_sources[static_cast<std::size_t>(rank)].records;
}

void Drain::defer(std::vector<diagnosis::Transition> transitions) {
    m_transitions.insert(m_transitions.end(), std::make_move_iterator(transitions.begin()),
                         std::make_move_iterator(transitions.end()));
    m_fresh = false;
}

bool Drain::deferRecording(diagnosis::RecordingChunk piece) {
    std::size_t bytes = piece.bytes.size();
    for (const auto& p : m_input)
        bytes += p.bytes.size();
    if (bytes > kInputBacklog) {
        m_input.clear();
        return false;
    }
    m_input.push_back(std::move(piece));
    return true;
}

Result<void> Drain::commit(std::vector<diagnosis::Transition> transitions) {
    defer(std::move(transitions));
    RS_TRY(m_store.checkInPlace());
    if (!pending())
        return {};
    std::vector<store::RunWriter::Chunk> chunks;
    for (std::size_t r = 0; r < m_sources.size(); ++r) {
        const JournalSource& s = m_sources[r];
        if (m_pending && (!s.records.empty() || s.reader.counters() != s.stored))
            chunks.push_back({static_cast<int>(r), s.records, s.reader.position(), s.reader.counters()});
    }
    RS_TRY(m_store.commit(chunks, m_transitions, m_input));
    // checked again before the journals are released: the store may have been removed in between
    RS_TRY(m_store.checkInPlace());
    m_transitions.clear();
    m_input.clear();
    m_pending = false;
    for (JournalSource& s : m_sources) {
        s.stored = s.reader.counters();
        s.records.clear();
        s.reader.removeBefore(s.reader.position());
    }
    return {};
}

/// Calls `use(folder, name)` for each journal segment. Files and folders with other names are not Rankscope's.
template <class Use> static void eachSegment(const RunPaths& run, Use&& use) {
    std::error_code ec;
    for (const GuardedFolder& rank : rankFolders(run))
        for (const std::string& name : rank.names(ec))
            if (telemetry::segmentNumber(name) && rank.hasFile(name))
                use(rank, name);
}

void Drain::removeJournals() {
    eachSegment(m_run, [](const GuardedFolder& rank, const std::string& name) { rank.removeFile(name); });
}

bool hasJournals(const RunPaths& run) {
    bool any = false;
    eachSegment(run, [&](const GuardedFolder&, const std::string&) { any = true; });
    return any;
}

} // namespace rankscope::launch
