// SPDX-License-Identifier: Apache-2.0
#include "core/store/report/replay_report.h"

#include <algorithm>

namespace rankscope::store {

using diagnosis::CloseReason;
using diagnosis::DetectorReplay;
using diagnosis::Incident;
using diagnosis::RecordingChunk;

/// Returns whether the incident was open during a gap in the recording.
static bool inGap(const Incident& in, const std::vector<DetectorReplay::Gap>& gaps) {
    return std::any_of(gaps.begin(), gaps.end(), [&](const DetectorReplay::Gap& gap) {
        return in.detectedNs <= gap.endNs && (in.closedNs == 0 || in.closedNs >= gap.beginNs);
    });
}

static std::string replayedText(Incident in, const Incident& stored, bool ended) {
    if (in.closed == CloseReason::Open && !ended && stored.closed == CloseReason::RunEnded) {
        in.closed = stored.closed; // closed when the run was brought up to date, not by the detector
        in.closedNs = stored.closedNs;
    }
    return canonicalText(in);
}

/// Compares a replay with the stored incidents; `stored` is sorted by id.
static ReplayReport compareReplay(const DetectorReplay& replay, const std::vector<Incident>& stored) {
    ReplayReport report;
    report.rounds = replay.rounds();
    report.detectorVersion = replay.detectorVersion();
    report.gaps = replay.gaps();
    report.otherStates = replay.otherStates();
    for (const auto& [id, incident] : replay.incidents())
        report.incidents.push_back(incident);
    for (const Incident& in : stored) {
        const auto at = replay.incidents().find(in.id);
        const bool has = at != replay.incidents().end();
        const std::string was = canonicalText(in);
        const std::string now = has ? replayedText(at->second, in, replay.ended()) : std::string();
        if (was == now)
            ++report.same;
        else if (inGap(in, report.gaps))
            report.unrecorded.push_back(in.id);
        else
            report.differences.push_back({in.id, was, now});
    }
    for (const auto& replayed : replay.incidents())
        if (std::none_of(stored.begin(), stored.end(), [&](const Incident& in) { return in.id == replayed.first; }))
            report.differences.push_back({replayed.first, {}, canonicalText(replayed.second)});
    std::sort(report.differences.begin(), report.differences.end(),
              [](const auto& a, const auto& b) { return a.id < b.id; });
    return report;
}

Result<ReplayReport> replay(RunReader& reader) {
    // while the run continues, incidents and their input must come from the same commit
    RS_TRY_ASSIGN(const auto snapshot, reader.source().snapshot());
    RS_TRY_ASSIGN(const auto stored, reader.incidents());
    DetectorReplay replayed;
    std::int64_t pieces = 0, bytes = 0;
    RS_TRY(reader.detectorInput([&](const RecordingChunk& piece) {
        ++pieces;
        bytes += static_cast<std::int64_t>(piece.bytes.size());
        return replayed.add(piece);
    }));
    if (pieces == 0)
        return fail(Errc::NotFound, "contains no detector recording: it was written by an older Rankscope",
                    reader.source().db().error(0).where);
    ReplayReport report = compareReplay(replayed, stored);
    report.pieces = pieces;
    report.bytes = bytes;
    return report;
}

} // namespace rankscope::store
