// SPDX-License-Identifier: Apache-2.0
#include "core/explain/log/evidence_collector.h"

#include "core/explain/line/log_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <tuple>

namespace rankscope::explain {

namespace {

constexpr std::size_t kTimeoutsOfARank = 64; ///< first ones, and last ones
constexpr std::size_t kMostTimeouts = 16'384;
constexpr std::size_t kMostOfAKind = 512; ///< first ones, and last ones
constexpr std::size_t kMostProgress = 16'384;
constexpr std::size_t kMostKnownEnds = 65'536;
constexpr std::int64_t kLinesOfReport = 6; ///< of a report that a terminal wrapped; one with a stack trace has 30

/// A process of a file whose rank may not be known: the rank, or a launcher's number below all ranks.
int processOf(const LogPrefix& prefix, std::optional<int> rank = std::nullopt) {
    if (!rank)
        rank = prefix.rank;
    return rank ? *rank : prefix.launcherRank ? -2 - *prefix.launcherRank : -1;
}

bool sameCall(const CollectiveCall& a, const CollectiveCall& b) {
    return std::tie(a.sequence, a.op, a.elementsIn, a.dtype) == std::tie(b.sequence, b.op, b.elementsIn, b.dtype);
}

bool sameSides(const CollectiveMismatch& a, const CollectiveMismatch& b) {
    return std::equal(a.sides.begin(), a.sides.end(), b.sides.begin(), b.sides.end(), [](const auto& x, const auto& y) {
        return x.rank == y.rank && x.shape == y.shape && sameCall(x.call, y.call);
    });
}

/// Adds a call's fields that another line about the same collective said.
void complete(CollectiveTimeout& known, const CollectiveTimeout& more) {
    if (known.call.writtenOp.empty()) {
        const std::string group = known.call.group;
        known.call = more.call;
        known.call.group = group;
    }
    known.timeoutMs = known.timeoutMs == 0 ? more.timeoutMs : known.timeoutMs;
    known.waitedMs = known.waitedMs == 0 ? more.waitedMs : known.waitedMs;
}

} // namespace

EvidenceCollector::EvidenceCollector()
    : m_mismatches(kMostOfAKind), m_missing(kMostOfAKind), m_connections(kMostOfAKind), m_ends(kMostOfAKind),
      m_monitors(kMostOfAKind), m_dumpNotices(kMostOfAKind) {}

void EvidenceCollector::beginFile(InputFile file) {
    FileNotes notes;
    if (file.ranks.size() == 1)
        notes.nameRank = file.ranks.front();
    file.ranks.clear();
    m_files.push_back(std::move(file));
    m_notes.push_back(std::move(notes));
}

template <class T> EvidenceCollector::Noted<T> EvidenceCollector::note(T fact, const LogPrefix& prefix) {
    fact.place.file = file().name;
    if (fact.place.line <= kStartLines)
        file().startsLate = true;
    return {std::move(fact), prefix.launcherRank, m_files.size() - 1};
}

void EvidenceCollector::sawRank(int rank, int launcherRank) {
    FileNotes& notes = m_notes.back();
    if (rank >= 0)
        notes.ranks.insert(rank);
    if (launcherRank >= 0) {
        notes.launcherRanks.insert(launcherRank);
        m_highestLauncherRank = std::max(m_highestLauncherRank, launcherRank);
    }
    if (rank >= 0 && launcherRank >= 0)
        (rank == launcherRank ? m_confirmed : m_contradicted) = true;
    if (rank >= 0 && notes.nameRank && *notes.nameRank != rank)
        notes.nameRankIsWrong = true;
}

void EvidenceCollector::sawMessageRank(std::optional<int> rank, const LogPrefix& prefix) {
    if (rank && !prefix.rank)
        sawRank(*rank, prefix.launcherRank.value_or(-1));
}

void EvidenceCollector::addTimeout(CollectiveTimeout timeout, const LogPrefix& prefix) {
    timeout.globalRank = prefix.rank;
    sawMessageRank(timeout.rank, prefix);
    if (!timeout.rank)
        timeout.rank = prefix.rank;
    auto& known = m_timeouts.try_emplace(timeout.rank.value_or(-1), kTimeoutsOfARank).first->second;
    const auto repeats = [&](const Noted<CollectiveTimeout>& other) {
        const CollectiveTimeout& fact = other.fact;
        return timeout.rank && other.file + 1 == m_files.size() && fact.call.sequence == timeout.call.sequence &&
               fact.countsOnly == timeout.countsOnly &&
               (fact.call.op == timeout.call.op || fact.call.writtenOp.empty() || timeout.call.writtenOp.empty()) &&
               (fact.waitedMs == timeout.waitedMs || fact.waitedMs == 0 || timeout.waitedMs == 0);
    };
    if (Noted<CollectiveTimeout>* same = known.latest(repeats))
        return complete(same->fact, timeout);
    const std::int64_t before = known.leftOut();
    if (m_timeoutCount >= kMostTimeouts) {
        ++m_leftOut;
        return;
    }
    known.add(note(std::move(timeout), prefix));
    m_timeoutCount += known.leftOut() == before ? 1 : 0;
}

void EvidenceCollector::addCounts(WatchdogCounts counts, const LogPrefix& prefix) {
    CollectiveTimeout timeout;
    timeout.rank = counts.rank;
    timeout.call.group = counts.group;
    timeout.call.sequence = counts.sequence;
    timeout.lastEnqueued = counts.lastEnqueued;
    timeout.lastCompleted = counts.lastCompleted;
    timeout.countsOnly = !counts.sequence;
    timeout.place = counts.place;
    const int rank = counts.rank ? *counts.rank : prefix.rank.value_or(-1);
    if (const auto known = m_timeouts.find(rank); known != m_timeouts.end()) {
        Noted<CollectiveTimeout>* same = known->second.latest([&](const Noted<CollectiveTimeout>& other) {
            const CollectiveTimeout& fact = other.fact;
            const bool ofIt = counts.sequence ? fact.call.sequence == counts.sequence && !fact.countsOnly
                                              : fact.countsOnly && fact.call.group == counts.group;
            return rank >= 0 && other.file + 1 == m_files.size() && ofIt &&
                   (!fact.lastCompleted || fact.call.group == counts.group);
        });
        if (same) {
            same->fact.call.group = counts.group;
            same->fact.lastEnqueued = counts.lastEnqueued;
            same->fact.lastCompleted = counts.lastCompleted;
            return;
        }
    }
    addTimeout(std::move(timeout), prefix);
}

void EvidenceCollector::addMonitor(MonitorReport report, const LogPrefix& prefix) {
    sawMessageRank(report.rank, prefix);
    report.rank = prefix.rank ? prefix.rank : report.rank;
    const auto same = [&](const auto& other) {
        return other.fact.kind == report.kind && other.fact.rank == report.rank && other.file + 1 == m_files.size() &&
               other.launcherRank == prefix.launcherRank && (report.rank || prefix.launcherRank);
    };
    if (auto* known = m_monitors.latest(same)) // each group of a rank has a monitor, and two lines say the same
        known->fact.seconds = std::max(known->fact.seconds, report.seconds);
    else
        m_monitors.add(note(std::move(report), prefix));
}

void EvidenceCollector::addDumpNotice(DumpNotice notice, const LogPrefix& prefix) {
    sawMessageRank(notice.rank, prefix);
    notice.rank = prefix.rank ? prefix.rank : notice.rank;
    const auto same = [&](const auto& other) {
        return other.fact.isOff == notice.isOff && other.fact.rank == notice.rank && other.fact.path == notice.path &&
               other.file + 1 == m_files.size();
    };
    if (!m_dumpNotices.latest(same))
        m_dumpNotices.add(note(std::move(notice), prefix));
}

/// Returns whether the input has said this before: launchers repeat what they report, for thousands of ranks.
bool EvidenceCollector::isKnown(const ProcessEnd& end, std::optional<int> launcherRank) {
    const RankEnd& e = end.end;
    if (!e.rank && end.pid <= 0)
        return false;
    if (m_knownEnds.size() >= kMostKnownEnds)
        m_knownEnds.clear();
    return !m_knownEnds
                .insert(fmt::format("{} {} {} {} {} {}", static_cast<int>(e.kind), e.code, e.rank.value_or(-1), end.pid,
                                    launcherRank.value_or(-1), e.text))
                .second;
}

void EvidenceCollector::addEnd(ProcessEnd end, const LogPrefix& prefix) {
    NotedEnd noted;
    if (end.ofPrefix)
        noted.launcherRank = prefix.anyRank();
    if (end.ofPrefix && !end.end.rank)
        end.end.rank = prefix.rank;
    else
        noted.launcherRank = end.localRank;
    if (noted.launcherRank)
        m_highestLauncherRank = std::max(m_highestLauncherRank, *noted.launcherRank);
    end.end.place.file = file().name;
    noted.file = m_files.size() - 1;
    const bool known = isKnown(end, noted.launcherRank);
    noted.end = std::move(end);
    if (!known)
        m_ends.add(std::move(noted));
}

void EvidenceCollector::add(LogFacts facts, const LogPrefix& prefix) {
    m_notes.back().reports += facts.timeouts.empty() && facts.counts.empty() ? 0 : 1;
    for (CollectiveTimeout& timeout : facts.timeouts)
        addTimeout(std::move(timeout), prefix);
    for (WatchdogCounts& counts : facts.counts)
        addCounts(std::move(counts), prefix);
    for (CollectiveMismatch& mismatch : facts.mismatches) {
        sawMessageRank(mismatch.sides.front().rank, prefix);
        if (!m_mismatches.latest([&](const auto& other) { return sameSides(other.fact, mismatch); }))
            m_mismatches.add(note(std::move(mismatch), prefix));
    }
    for (RanksMissing& missing : facts.missing) {
        sawMessageRank(missing.rank, prefix);
        if (!missing.rank)
            missing.rank = prefix.rank;
        const auto same = [&](const auto& other) {
            const RanksMissing& known = other.fact;
            return std::tie(known.where, known.rank, known.missing, known.joined, known.key) ==
                       std::tie(missing.where, missing.rank, missing.missing, missing.joined, missing.key) &&
                   other.launcherRank == prefix.launcherRank;
        };
        if (!m_missing.latest(same))
            m_missing.add(note(std::move(missing), prefix));
    }
    for (ConnectionLost& connection : facts.connections) {
        connection.rank = prefix.rank;
        const auto same = [&](const auto& other) {
            return other.fact.rank == connection.rank && other.fact.peer == connection.peer &&
                   other.launcherRank == prefix.launcherRank && (connection.rank || !connection.peer.empty());
        };
        if (!m_connections.latest(same))
            m_connections.add(note(std::move(connection), prefix));
    }
    for (MonitorReport& report : facts.monitors)
        addMonitor(std::move(report), prefix);
    for (DumpNotice& notice : facts.dumpNotices)
        addDumpNotice(std::move(notice), prefix);
    for (ProcessEnd& end : facts.ends)
        addEnd(std::move(end), prefix);
    if (facts.globalRank)
        sawRank(*facts.globalRank, prefix.launcherRank.value_or(-1));
    if ((facts.worldSizeIsOfRun || facts.globalRank) && facts.worldSizePlace.line <= kStartLines)
        m_notes.back().hasStart = true;
    if (facts.worldSize && (!m_worldSize || (facts.worldSizeIsOfRun && !m_worldSizeIsOfRun))) {
        m_worldSize = facts.worldSize;
        m_worldSizeIsOfRun = facts.worldSizeIsOfRun;
        m_worldSizePlace = {file().name, facts.worldSizePlace.line};
    }
    if (m_backend.empty())
        m_backend = facts.backend;
}

void EvidenceCollector::addException(RankEnd end, const LogPrefix& prefix, bool replacesLast) {
    NotedEnd noted;
    noted.process = processOf(prefix);
    noted.launcherRank = prefix.launcherRank;
    noted.file = m_files.size() - 1;
    end.rank = prefix.rank;
    end.place.file = file().name;
    if (const auto progress = m_progress.find({noted.file, noted.process}); progress != m_progress.end()) {
        noted.epoch = progress->second.fact.epoch;
        noted.batch = progress->second.fact.batch;
    }
    NotedEnd* last = m_ends.latest([&](const NotedEnd& other) {
        return other.file == noted.file && other.process == noted.process && !other.end.end.text.empty();
    });
    noted.end.end = std::move(end);
    const bool isCleanUp = last && noted.end.end.ofCollective && !last->end.end.ofCollective; // after its own failure
    if (last && replacesLast && last->end.end.kind != RankEnd::Kind::OutOfMemory && !isCleanUp)
        *last = std::move(noted);
    else if (!last || last->end.end.text != noted.end.end.text || noted.process == -1)
        m_ends.add(std::move(noted));
}

void EvidenceCollector::addProgress(Progress progress, const LogPrefix& prefix) {
    sawMessageRank(progress.rank, prefix);
    if (!progress.rank)
        progress.rank = prefix.rank;
    const std::pair key{m_files.size() - 1, processOf(prefix, progress.rank)};
    const bool isFirst = !m_progress.contains(key);
    if (isFirst && progress.place.line <= kStartLines && (progress.epoch > 0 || progress.batch > 1))
        file().startsLate = true;
    if (m_progress.size() >= kMostProgress && !m_progress.contains(key)) {
        ++m_leftOut;
        return;
    }
    progress.place.file = file().name;
    m_progress[key] = {std::move(progress), prefix.launcherRank, m_files.size() - 1};
}

bool EvidenceCollector::launcherRanksAreRanks() const {
    if (m_contradicted)
        return false;
    return m_confirmed || (m_worldSize ? m_highestLauncherRank + 1 >= *m_worldSize : !m_torchrun);
}

std::optional<int> EvidenceCollector::rankOf(std::optional<int> rank, std::optional<int> launcherRank,
                                             std::size_t file) const {
    if (rank)
        return rank;
    if (launcherRank)
        return launcherRanksAreRanks() ? launcherRank : std::nullopt;
    return m_notes[file].nameRankIsWrong ? std::nullopt : m_notes[file].nameRank;
}

void EvidenceCollector::finishTimeouts(HangEvidence& out) {
    std::vector<Noted<CollectiveTimeout>> all;
    for (auto& [rank, list] : m_timeouts) {
        m_leftOut += list.leftOut();
        for (auto& noted : list.take())
            all.push_back(std::move(noted));
    }
    for (const auto& noted : all) {
        const CollectiveTimeout& fact = noted.fact;
        const bool alsoItsOwn = fact.countsOnly && std::any_of(all.begin(), all.end(), [&](const auto& other) {
                                    return !other.fact.countsOnly && other.fact.rank == fact.rank &&
                                           other.fact.call.group == fact.call.group;
                                });
        if (alsoItsOwn)
            continue;
        out.timeouts.push_back(fact);
        out.timeouts.back().rank = rankOf(fact.rank, noted.launcherRank, noted.file);
        if (!fact.globalRank)
            out.timeouts.back().globalRank = rankOf({}, noted.launcherRank, noted.file);
    }
}

void EvidenceCollector::finishEnds(HangEvidence& out) {
    std::vector<NotedEnd> ends = m_ends.take();
    std::map<std::int64_t, int> ranksByPid;
    for (const NotedEnd& noted : ends)
        if (noted.end.pid > 0 && noted.end.end.rank)
            ranksByPid.emplace(noted.end.pid, *noted.end.end.rank);
    for (NotedEnd& noted : ends) {
        RankEnd& end = noted.end.end;
        const auto byPid = ranksByPid.find(noted.end.pid);
        if (!end.rank && byPid != ranksByPid.end()) {
            if (end.kind != RankEnd::Kind::OutOfMemory)
                continue; // the table says the same
            end.rank = byPid->second;
        }
        if (const auto progress = m_progress.find({noted.file, noted.process});
            !end.text.empty() && !noted.end.ofPrefix && progress != m_progress.end() &&
            progress->second.fact.place.line > end.place.line) {
            const Progress& later = progress->second.fact;
            const std::int64_t needed = noted.process == -1 ? 100 : 1; // others go on for a moment
            if (later.epoch > noted.epoch || later.batch >= noted.batch + needed)
                continue; // the process went on: it was caught
        }
        end.rank = noted.end.ofPrefix || noted.end.localRank || noted.launcherRank
                       ? rankOf(end.rank, noted.launcherRank, noted.file)
                   : end.text.empty() ? end.rank
                                      : rankOf(end.rank, {}, noted.file);
        out.ends.push_back(std::move(end));
    }
    // what ended a process because of the stall is no cause of it
    for (RankEnd& end : out.ends) {
        const auto isOfRank = [&](const auto& other) { return end.rank && other.rank == end.rank; };
        if (end.kind == RankEnd::Kind::Signal && end.code == SIGABRT)
            end.ofCollective = std::any_of(out.timeouts.begin(), out.timeouts.end(),
                                           [&](const auto& other) { return isOfRank(other) && !other.countsOnly; }) ||
                               std::any_of(out.ends.begin(), out.ends.end(),
                                           [&](const RankEnd& other) { return isOfRank(other) && other.ofCollective; });
        if (end.kind == RankEnd::Kind::ExitCode) {
            const auto raised = [&](const RankEnd& other) { return isOfRank(other) && !other.text.empty(); };
            end.ofCollective = std::any_of(out.ends.begin(), out.ends.end(), raised) &&
                               std::all_of(out.ends.begin(), out.ends.end(),
                                           [&](const RankEnd& other) { return !raised(other) || other.ofCollective; });
        }
    }
}

void EvidenceCollector::finishValidation(HangEvidence& out) const {
    for (std::size_t i = 0; i < m_files.size(); ++i) {
        const std::int64_t line = m_notes[i].validation;
        const bool isLast = line > 0 && std::none_of(m_progress.begin(), m_progress.end(), [&](const auto& one) {
                                return one.first.first == i && one.second.fact.place.line > line;
                            });
        if (isLast)
            out.inValidation = Place{m_files[i].name, line};
    }
}

void EvidenceCollector::finishFiles(HangEvidence& out) {
    for (std::size_t i = 0; i < m_files.size(); ++i) {
        std::set<int> ranks = m_notes[i].ranks;
        if (launcherRanksAreRanks())
            ranks.insert(m_notes[i].launcherRanks.begin(), m_notes[i].launcherRanks.end());
        if (ranks.empty() && m_notes[i].nameRank)
            ranks.insert(*m_notes[i].nameRank);
        m_files[i].ranks.assign(ranks.begin(), ranks.end());
        m_files[i].startsLate = m_files[i].startsLate && !m_notes[i].hasStart;
        m_files[i].isExcerpt = m_notes[i].reports > 0 && m_notes[i].reports * kLinesOfReport >= m_files[i].lines;
        out.files.push_back(std::move(m_files[i]));
    }
}

HangEvidence EvidenceCollector::finish() {
    HangEvidence out;
    finishTimeouts(out);
    for (auto& noted : m_mismatches.take())
        out.mismatches.push_back(std::move(noted.fact));
    for (auto& noted : m_missing.take()) {
        noted.fact.rank = rankOf(noted.fact.rank, noted.launcherRank, noted.file);
        out.missing.push_back(std::move(noted.fact));
    }
    for (auto& noted : m_connections.take()) {
        noted.fact.rank = rankOf(noted.fact.rank, noted.launcherRank, noted.file);
        out.connections.push_back(std::move(noted.fact));
    }
    for (auto& noted : m_monitors.take()) {
        noted.fact.rank = rankOf(noted.fact.rank, noted.launcherRank, noted.file);
        out.monitors.push_back(std::move(noted.fact));
    }
    for (auto& noted : m_dumpNotices.take()) {
        noted.fact.rank = rankOf(noted.fact.rank, noted.launcherRank, noted.file);
        out.dumpNotices.push_back(std::move(noted.fact));
    }
    m_leftOut += m_mismatches.leftOut() + m_missing.leftOut() + m_connections.leftOut() + m_ends.leftOut() +
                 m_monitors.leftOut();
    finishEnds(out);
    for (auto& [key, noted] : m_progress) {
        noted.fact.rank = rankOf(noted.fact.rank, noted.launcherRank, noted.file);
        out.progress.push_back(std::move(noted.fact));
    }
    finishValidation(out);
    finishFiles(out);
    int highest = -1;
    for (const InputFile& file : out.files)
        highest = file.ranks.empty() ? highest : std::max(highest, file.ranks.back());
    if (m_worldSize && (m_worldSizeIsOfRun || highest < *m_worldSize)) {
        out.worldSize = m_worldSize;
        out.worldSizePlace = m_worldSizePlace;
    }
    out.backend = m_backend;
    out.leftOut = m_leftOut;
    *this = EvidenceCollector();
    return out;
}

} // namespace rankscope::explain
