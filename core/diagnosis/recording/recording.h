// SPDX-License-Identifier: Apache-2.0
// What the detector saw, recorded so that a run can be diagnosed again with byte-identical incidents. A recording is a
// series of groups, each of which begins with the detector's state and can be read without the groups before it; a
// group is a series of pieces, one per commit. Format: docs/dev/store.md.
#pragma once

#include "core/base/values/error.h"
#include "core/diagnosis/detector/detector.h"
#include "core/diagnosis/recording/observation_codec.h"
#include "core/diagnosis/recording/zlib_stream.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::diagnosis {

inline constexpr int kRecordingVersion = 3;
/// The oldest version that can be read. It has no records of groups and ends.
inline constexpr int kOldestRecordingVersion = 2;

struct RecordingChunk {
    std::int64_t group = 0;      ///< from 0
    std::int64_t number = 0;     ///< within the group, from 0; the first holds the detector's state
    std::int64_t firstRound = 0; ///< rounds of the run before this piece
    std::int64_t rounds = 0;
    std::int64_t beginNs = 0, endNs = 0; ///< of its first and last round, monotonic
    bool incidents = false;              ///< an incident was open, opened or closed in it
    std::uint32_t checksum = 0;          ///< CRC-32 of the bytes
    std::string bytes;                   ///< the next part of the group's zlib stream, flushed
};

struct RecordingLimits {
    std::size_t pieceBytes = 64 << 10;    ///< uncompressed; a piece is finished when it has this size
    std::int64_t pieceNs = 2'000'000'000; ///< or lasts this long
    std::size_t groupBytes = 4 << 20;     ///< uncompressed; a new group begins after this size and at least four states
    std::int64_t groupNs = 600'000'000'000; ///< or after this time
};

class InputRecorder {
public:
    InputRecorder(int worldSize, const Settings& settings, RecordingLimits limits = {})
        : m_world(worldSize), m_settings(settings), m_limits(limits) {}

    /// Call it before the detector advances over the same observation.
    void record(const Observation& observation, const Detector& before);
    /// Call it afterwards. Returns a piece if one is due; always with transitions and at the run's end.
    std::optional<RecordingChunk> take(const std::vector<Transition>& transitions, bool incidentsOpen, bool end);
    /// Call it if pieces that were taken are lost: the next round begins a new group.
    void interrupted();
    /// Begins a new group with other settings, as the detector has got them. Call it when nothing is left to take.
    void use(const Settings& settings);

private:
    void beginGroup(const Observation& observation, const Detector& detector);

    int m_world;
    Settings m_settings;
    RecordingLimits m_limits;
    std::optional<ObservationEncoder> m_encoder; ///< none: the next round begins a group
    std::optional<Deflater> m_stream;
    ByteEncoder m_raw;
    RecordingChunk m_piece;
    std::int64_t m_rounds = 0, m_groupBeganNs = 0;
    std::size_t m_groupBytes = 0, m_stateBytes = 0;
};

/// Runs the detector over a recording.
class DetectorReplay {
public:
    /// Adds pieces in order; groups may be missing. An error names group and piece; the results so far remain.
    Result<void> add(const RecordingChunk& piece);

    /// Returns the incidents as the detector left them, by id.
    const std::map<std::int64_t, Incident>& incidents() const { return m_incidents; }
    std::int64_t rounds() const { return m_rounds; }
    /// An interval that was not recorded, between two groups or before the first one.
    struct Gap {
        std::int64_t afterRound = 0, rounds = 0;
        std::int64_t beginNs = 0, endNs = 0; ///< monotonic; begin 0: the run's
    };
    const std::vector<Gap>& gaps() const { return m_gaps; }
    /// Returns the number of groups that followed the previous one without a gap and began with a state other than this
    /// detector's: its conclusions differ.
    int otherStates() const { return m_otherStates; }
    bool ended() const { return m_ended; }            ///< the run's end was recorded
    int detectorVersion() const { return m_version; } ///< version of the detector that recorded it

private:
    Result<void> beginGroup(ByteDecoder& in, const RecordingChunk& piece, const std::string& where);
    Result<void> play(ByteDecoder& in, const RecordingChunk& piece, const std::string& where);

    std::optional<Detector> m_detector;
    std::optional<ObservationDecoder> m_decoder;
    Inflater m_stream;
    std::map<std::int64_t, Incident> m_incidents;
    std::vector<Gap> m_gaps;
    std::int64_t m_group = -1, m_nextPiece = 0, m_nextRound = 0, m_rounds = 0, m_lastNs = 0;
    int m_world = 0, m_otherStates = 0, m_version = 0;
    bool m_ended = false;
};

} // namespace rankscope::diagnosis
