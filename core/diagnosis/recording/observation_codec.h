// SPDX-License-Identifier: Apache-2.0
// Encodes observations as differences from the previous one, with only the records that the detector reads, and
// decodes them. Format: docs/dev/store.md. An encoder and a decoder that saw the same observations hold the same state.
#pragma once

#include "core/base/values/byte_codec.h"
#include "core/diagnosis/model/observation.h"
#include "core/diagnosis/model/settings.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rankscope::diagnosis {

inline constexpr std::size_t kBoardNumbers = 61, kBoardTexts = 6;

/// A board as numbers and texts, the ones that change most often first. The input's shape is left out, since no cause
/// depends on it.
struct FlatBoard {
    std::array<std::int64_t, kBoardNumbers> numbers{};
    std::array<std::string, kBoardTexts> texts;
    std::int64_t stepsPerEpoch = 0; ///< not in recordings of version 2
};
FlatBoard flatten(const telemetry::BoardSnapshot& board);
/// Converts back. Numbers that are not a value of their enumeration become its first value.
telemetry::BoardSnapshot unflatten(const FlatBoard& flat);

void saveSettings(ByteEncoder& out, const Settings& settings);
Settings loadSettings(ByteDecoder& in);

/// The state that encoder and decoder keep between two observations.
struct ObservationCodecState {
    struct CodedRank {
        bool hasBoard = false, hasResources = false;
        FlatBoard board;
        ProcessView process;   ///< encoder
        std::string resources; ///< encoder: as last written
        std::int64_t lastTimeNs = 0, lastStep = 0, lastSequence = 0;
    };
    explicit ObservationCodecState(int world) : ranks(static_cast<std::size_t>(world)) {}

    std::vector<CodedRank> ranks;
    std::int64_t nowNs = 0;
    std::map<std::string, std::uint64_t, std::less<>> numberOfText; ///< encoder
    std::vector<std::string> texts;                                 ///< decoder
};

/// Writes observations one after the other; each as the difference from the one before.
class ObservationEncoder {
public:
    explicit ObservationEncoder(int world) : m_memory(world) {}
    /// Appends the observation.
    void encode(const Observation& observation, ByteEncoder& out);

private:
    /// Appends what has changed of a rank, and takes it into `before`. Returns which parts those are; 0: none.
    std::uint8_t rank(const RankObservation& now, ObservationCodecState::CodedRank& before, ByteEncoder& out);
    void board(const RankObservation& r, ObservationCodecState::CodedRank& before, ByteEncoder& out);
    std::uint8_t resources(const RankObservation& now, ObservationCodecState::CodedRank& before, ByteEncoder& out);
    void records(const RankObservation& now, ObservationCodecState::CodedRank& before, ByteEncoder& out);

    ObservationCodecState m_memory;
};

/// Reads what an ObservationEncoder has written for the same number of ranks.
class ObservationDecoder {
public:
    explicit ObservationDecoder(int world);
    /// Returns the next observation, valid until the next call; null if the bytes are not an observation.
    const Observation* decode(ByteDecoder& in);

private:
    void board(RankObservation& r, ObservationCodecState::CodedRank& before, ByteDecoder& in);
    void records(std::vector<telemetry::AnyRecord>& to, ObservationCodecState::CodedRank& before, ByteDecoder& in);

    ObservationCodecState m_memory;
    Observation m_observation;
    std::vector<std::vector<telemetry::AnyRecord>> m_records;
};

} // namespace rankscope::diagnosis
