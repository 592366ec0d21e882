// SPDX-License-Identifier: Apache-2.0
// What the detector saw, as a store keeps it: packed and with its checksum here, so that the bytes behind are met. The
// first byte: ranks, and whether the run is met in its middle (then the detector's state comes first); the second: how
// many rounds the piece says it has. What is decoded goes to the detector, as everything that is replayed does.
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/recording/recording.h"
#include "core/diagnosis/recording/zlib_stream.h"
#include "tests/fuzz/target.h"

namespace rankscope::fuzz {

using namespace diagnosis;

namespace {

RecordingChunk pieceOf(Bytes in) {
    const std::uint8_t how = in.byte();
    RecordingChunk piece;
    piece.rounds = 1 + in.byte() % 32; // a thousand ranks may come of the bytes, a round of which takes its time
    piece.endNs = 1'000'000'000;
    ByteEncoder raw;
    if ((how & 128) == 0) {
        raw.number(kRecordingVersion);
        raw.number(kDetectorVersion);
        raw.integer(1 + (how & 3));
        saveSettings(raw, {});
        ByteEncoder state;
        Detector(1 + (how & 3), {}).save(state);
        piece.firstRound = (how & 64) != 0 ? 5 : 0;
        if (piece.firstRound == 0)
            raw.text(state.bytes());
    }
    Deflater deflater;
    piece.bytes = deflater.piece(raw.bytes() + std::string(in.rest()));
    piece.checksum = checksumOf(piece.bytes);
    return piece;
}

} // namespace

static void examine(const std::string& bytes) {
    DetectorReplay replay;
    const auto added = replay.add(pieceOf(Bytes(bytes)));
    require(added || !added.error().what.empty(), "refused without a reason");
    taken += replay.rounds() > 0 ? 1 : 0;
    for (const auto& [id, incident] : replay.incidents()) {
        require(id == incident.id && incident.cause < Cause::Count, "an incident that is none");
        for (const auto language : {Language::English, Language::Chinese})
            require(!sentence(incident, incident.detectedNs).text(language).empty(), "an incident without a sentence");
        require(!canonicalText(incident).empty(), "an incident without a text");
    }
}

RANKSCOPE_FUZZ_TARGET(recording)

} // namespace rankscope::fuzz
