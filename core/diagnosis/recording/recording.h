// SPDX-License-Identifier: Apache-2.0
// What the detector saw, recorded so that a run can be diagnosed again: byte for byte the same incidents. A recording
// is a row of groups, each of which begins with the detector's state and can be read without those before it; a group
// is a row of pieces, made one per commit. Format: docs/store.md.
#pragma once

#include "core/base/values/error.h"
#include "core/diagnosis/detector/detector.h"
#include "core/diagnosis/recording/observation_codec.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::diagnosis {

inline constexpr int kRecordingVersion = 2;

struct RecordedPiece {
    std::int64_t group = 0;      ///< from 0
    std::int64_t number = 0;     ///< within the group, from 0; the first holds the detector's state
    std::int64_t firstRound = 0; ///< rounds of the run before this piece
    std::int64_t rounds = 0;
    std::int64_t beginNs = 0, endNs = 0; ///< of its first and last round, monotonic
    bool incidents = false;              ///< one was open, opened or closed in it
    std::uint32_t checksum = 0;          ///< CRC-32 of the bytes
    std::string bytes;                   ///< goes on in the group's zlib stream, flushed
};

struct RecordingLimits {
    std::size_t pieceBytes = 64 << 10;      ///< uncompressed; a piece is made when as much has come together
    std::int64_t pieceNs = 2'000'000'000;   ///< or so much time has passed
    std::size_t groupBytes = 4 << 20;       ///< uncompressed; a new group begins, but not before it is worth its state
    std::int64_t groupNs = 600'000'000'000; ///< or after so long
};

class InputRecorder {
public:
    InputRecorder(int worldSize, Settings settings, RecordingLimits limits = {});
    InputRecorder(InputRecorder&&) noexcept;
    InputRecorder& operator=(InputRecorder&&) noexcept;
    ~InputRecorder();

    /// Before the detector advances over the same observation.
    void record(const Observation& observation, const Detector& before);
    /// After it did. A piece when one is due: always with transitions, or at the run's end.
    std::optional<RecordedPiece> take(const std::vector<Transition>& transitions, bool incidentsOpen, bool end);
    /// Pieces that were taken are lost: what comes next begins a group of its own.
    void interrupted();

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

/// Diagnoses a recording again.
class Replay {
public:
    Replay();
    Replay(Replay&&) noexcept;
    Replay& operator=(Replay&&) noexcept;
    ~Replay();

    /// Pieces in order; groups may be missing. An error names group and piece; what was read before it stays.
    Result<void> add(const RecordedPiece& piece);

    /// As the detector left them, by id.
    const std::map<std::int64_t, Incident>& incidents() const;
    std::int64_t rounds() const;
    /// Stretches between groups that were not there, and the first group when it is not the run's first.
    struct Gap {
        std::int64_t afterRound = 0, rounds = 0;
        std::int64_t beginNs = 0, endNs = 0; ///< monotonic; begin 0: the run's
    };
    const std::vector<Gap>& gaps() const;
    /// Groups that followed the one before, and began with another state than this detector had: it concludes
    /// otherwise.
    int otherStates() const;
    bool ended() const;          ///< the run's end was recorded
    int detectorVersion() const; ///< that recorded it

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace rankscope::diagnosis
