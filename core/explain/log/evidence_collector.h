// SPDX-License-Identifier: Apache-2.0
// Gathers what the records of all logs say into one HangEvidence: limits the number of facts, joins what one failure
// wrote in several lines, and finds out whether launchers' numbers of processes are their ranks.
#pragma once

#include "core/explain/line/log_prefix.h"
#include "core/explain/messages/log_facts.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace rankscope::explain {

/// A list of bounded length: the first and the last items of any number.
template <class T> class FirstAndLast {
public:
    explicit FirstAndLast(std::size_t each = 64) : m_each(each) {}

    void add(T item) {
        if (m_first.size() < m_each)
            return m_first.push_back(std::move(item));
        if (m_last.size() < m_each)
            return m_last.push_back(std::move(item));
        m_last[m_next] = std::move(item);
        m_next = (m_next + 1) % m_each;
        ++m_leftOut;
    }
    /// Returns the latest item for which `is` returns true; null: none.
    template <class Is> T* latest(Is&& is) {
        for (std::size_t i = m_last.size(); i-- > 0;)
            if (T& item = m_last[(m_next + i) % m_last.size()]; is(item))
                return &item;
        for (std::size_t i = m_first.size(); i-- > 0;)
            if (is(m_first[i]))
                return &m_first[i];
        return nullptr;
    }
    std::vector<T> take() {
        std::rotate(m_last.begin(), m_last.begin() + static_cast<std::ptrdiff_t>(m_next), m_last.end());
        std::vector<T> all = std::move(m_first);
        all.insert(all.end(), std::make_move_iterator(m_last.begin()), std::make_move_iterator(m_last.end()));
        return all;
    }
    std::int64_t leftOut() const { return m_leftOut; }

private:
    std::size_t m_each, m_next = 0;
    std::int64_t m_leftOut = 0;
    std::vector<T> m_first, m_last;
};

class EvidenceCollector {
public:
    static constexpr std::int64_t kStartLines = 12; ///< at the beginning of a file

    EvidenceCollector();

    /// Begins a file. What is added next is of it.
    void beginFile(InputFile file);
    InputFile& file() { return m_files.back(); }

    /// Adds facts whose places have their lines already.
    void add(LogFacts facts, const LogPrefix& prefix);
    void addException(RankEnd end, const LogPrefix& prefix, bool replacesLast);
    void addProgress(Progress progress, const LogPrefix& prefix);
    /// A row of the rank is in the file; both may be -1.
    void sawRank(int rank, int launcherRank);
    /// A bar of validation is in the file.
    void sawValidation(std::int64_t line) { m_notes.back().validation = std::max(m_notes.back().validation, line); }
    void sawTorchrun() { m_torchrun = true; }

    /// Returns all that was found and leaves the collector empty.
    HangEvidence finish();

private:
    /// A fact and the number of the process that wrote it, which may turn out to be its rank.
    template <class T> struct Noted {
        T fact;
        std::optional<int> launcherRank;
        std::size_t file = 0;
    };
    struct NotedEnd {
        ProcessEnd end;
        std::optional<int> launcherRank;
        std::size_t file = 0;
        std::int64_t epoch = -1, batch = -1; ///< how far the process had come
        int process = -1;                    ///< whose progress that is
    };
    struct FileNotes {
        std::set<int> ranks, launcherRanks;
        std::optional<int> nameRank; ///< by the file's name
        bool nameRankIsWrong = false;
        bool hasStart = false;       ///< the lines of a start are at its beginning
        std::int64_t reports = 0;    ///< records of a timeout
        std::int64_t validation = 0; ///< line of its last bar
    };

    template <class T> Noted<T> note(T fact, const LogPrefix& prefix);
    void addTimeout(CollectiveTimeout timeout, const LogPrefix& prefix);
    void addCounts(WatchdogCounts counts, const LogPrefix& prefix);
    void addMonitor(MonitorReport report, const LogPrefix& prefix);
    void addDumpNotice(DumpNotice notice, const LogPrefix& prefix);
    void addEnd(ProcessEnd end, const LogPrefix& prefix);
    void sawMessageRank(std::optional<int> rank, const LogPrefix& prefix);
    bool launcherRanksAreRanks() const;
    std::optional<int> rankOf(std::optional<int> rank, std::optional<int> launcherRank, std::size_t file) const;
    bool isKnown(const ProcessEnd& end, std::optional<int> launcherRank);
    void finishTimeouts(HangEvidence& out);
    void finishEnds(HangEvidence& out);
    void finishValidation(HangEvidence& out) const;
    void finishFiles(HangEvidence& out);

    std::vector<InputFile> m_files;
    std::vector<FileNotes> m_notes;
    std::map<int, FirstAndLast<Noted<CollectiveTimeout>>> m_timeouts; ///< by rank, -1: not said
    std::size_t m_timeoutCount = 0;
    FirstAndLast<Noted<CollectiveMismatch>> m_mismatches;
    FirstAndLast<Noted<RanksMissing>> m_missing;
    FirstAndLast<Noted<ConnectionLost>> m_connections;
    FirstAndLast<NotedEnd> m_ends;
    std::unordered_set<std::string> m_knownEnds; ///< as keys, at most kMostKnownEnds
    FirstAndLast<Noted<MonitorReport>> m_monitors;
    FirstAndLast<Noted<DumpNotice>> m_dumpNotices;
    std::map<std::pair<std::size_t, int>, Noted<Progress>> m_progress; ///< by file and process
    std::optional<int> m_worldSize;
    Place m_worldSizePlace;
    bool m_worldSizeIsOfRun = false;
    std::string m_backend;
    std::int64_t m_leftOut = 0;
    bool m_torchrun = false;
    int m_highestLauncherRank = -1;
    bool m_contradicted = false, m_confirmed = false; ///< that launchers' numbers are ranks
};

} // namespace rankscope::explain
