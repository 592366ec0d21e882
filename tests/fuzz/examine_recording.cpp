// SPDX-License-Identifier: Apache-2.0
// A recording of what the detector saw, as in a store. It is compressed and given its checksum here, so that its bytes
// are reached. The first byte: the number of ranks, and whether the recording starts in the middle of a run (then the
// detector's state comes first); the second: how many rounds the piece claims. The decoded rounds go to the detector,
// as in a replay.
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
    piece.rounds = 1 + in.byte() % 32; // the bytes may give a thousand ranks, for which a round takes a while
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
