// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/recording/recording.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::diagnosis {

namespace {
constexpr std::size_t kMostPieceBytes = std::size_t{1} << 30; // uncompressed; sizes in a file are not trusted
}

void InputRecorder::beginGroup(const Observation& o, const Detector& detector) {
    m_encoder.emplace(m_world);
    m_stream.emplace();
    m_piece = RecordingChunk{m_piece.group, 0, m_rounds, 0, o.nowNs, o.nowNs, false, 0, {}};
    m_groupBeganNs = o.nowNs;
    m_raw.clear();
    m_raw.number(kRecordingVersion);
    m_raw.number(kDetectorVersion);
    m_raw.integer(m_world);
    saveSettings(m_raw, m_settings);
    ByteEncoder state;
    detector.save(state);
    m_raw.text(state.bytes());
    m_stateBytes = m_groupBytes = m_raw.size();
}

void InputRecorder::record(const Observation& o, const Detector& before) {
    if (!m_encoder)
        beginGroup(o, before);
    if (m_piece.rounds == 0)
        m_piece.beginNs = o.nowNs;
    const std::size_t size = m_raw.size();
    m_encoder->encode(o, m_raw);
    m_groupBytes += m_raw.size() - size;
    m_piece.endNs = o.nowNs;
    ++m_piece.rounds;
    ++m_rounds;
}

std::optional<RecordingChunk> InputRecorder::take(const std::vector<Transition>& transitions, bool incidentsOpen,
                                                  bool end) {
    RecordingChunk& p = m_piece;
    p.incidents = p.incidents || incidentsOpen || !transitions.empty();
    const bool due =
        end || !transitions.empty() || m_raw.size() >= m_limits.pieceBytes || p.endNs - p.beginNs >= m_limits.pieceNs;
    if (!due || p.rounds == 0)
        return std::nullopt;
    RecordingChunk taken = p;
    taken.bytes = m_stream->piece(m_raw.bytes());
    taken.checksum = checksumOf(taken.bytes);
    m_raw.clear();
    const bool full =
        m_groupBytes >= std::max(m_limits.groupBytes, 4 * m_stateBytes) || p.endNs - m_groupBeganNs >= m_limits.groupNs;
    p = RecordingChunk{p.group, p.number + 1, m_rounds, 0, p.endNs, p.endNs, false, 0, {}};
    if (full)
        interrupted();
    return taken;
}

void InputRecorder::interrupted() {
    m_encoder.reset();
    m_stream.reset();
    m_raw.clear();
    ++m_piece.group;
}

void InputRecorder::use(const Settings& settings) {
    m_settings = settings;
    interrupted();
}

Result<void> DetectorReplay::beginGroup(ByteDecoder& in, const RecordingChunk& p, const std::string& where) {
    if (const auto v = in.number(); v < kOldestRecordingVersion || v > kRecordingVersion)
        return fail(Errc::Unsupported, {"has version {}, but this program reads {}", v, kRecordingVersion}, where);
    m_version = static_cast<int>(in.number());
    const std::int64_t ranks = in.integer();
    if (!in.ok() || ranks < 1 || ranks > telemetry::kMaxRanks || (m_world != 0 && ranks != m_world))
        return fail(Errc::Malformed, "has an impossible number of ranks", where);
    m_world = static_cast<int>(ranks);
    const Settings settings = loadSettings(in);
    const std::string state = in.text();
    if (!in.ok())
        return fail(Errc::Malformed, "is damaged: its beginning is incomplete", where);
    m_decoder.emplace(m_world);
    const bool follows = m_detector && p.firstRound == m_nextRound;
    if (follows) { // the detector has its state; the recorded one only shows whether it agrees
        ByteEncoder own;
        m_detector->save(own);
        m_otherStates += m_version == kDetectorVersion && own.bytes() != state; // other versions keep different figures
        m_detector->use(settings);
        return {};
    }
    if (p.firstRound > m_nextRound)
        m_gaps.push_back({m_nextRound, p.firstRound - m_nextRound, m_lastNs, p.beginNs});
    m_detector.emplace(m_world, settings);
    ByteDecoder bytes(state);
    if (p.firstRound == 0)
        return {}; // the run's beginning needs no state, whatever the version
    if (m_version < kOldestDetectorVersion || m_version > kDetectorVersion)
        return fail(
            Errc::Unsupported,
            {"was recorded by detector version {}, and its beginning has been pruned; this program has version {}",
             m_version, kDetectorVersion},
            where);
    if (!m_detector->load(bytes) || !bytes.atEnd())
        return fail(Errc::Malformed, "is damaged: the detector's state cannot be read", where);
    for (const Incident& in0 : m_detector->open())
        m_incidents[in0.id] = in0;
    return {};
}

Result<void> DetectorReplay::play(ByteDecoder& in, const RecordingChunk& p, const std::string& where) {
    for (std::int64_t round = 0; round < p.rounds; ++round) {
        const Observation* o = m_decoder->decode(in);
        if (!o)
            return fail(Errc::Malformed, {"is damaged in round {}", round}, where);
        for (Transition& t : m_detector->advance(*o))
            m_incidents[t.incident.id] = std::move(t.incident);
        m_ended = m_ended || o->end != RunOutcomeSeen::Running;
        ++m_rounds;
    }
    if (!in.atEnd())
        return fail(Errc::Malformed, "has data after its last round", where);
    m_nextRound = p.firstRound + p.rounds;
    m_lastNs = p.endNs;
    return {};
}

Result<void> DetectorReplay::add(const RecordingChunk& p) {
    const std::string where = fmt::format("recording, group {}, piece {}", p.group, p.number);
    const bool begins = p.number == 0 && p.group > m_group;
    if (p.group < 0 || (!begins && (p.group != m_group || p.number != m_nextPiece)))
        return fail(Errc::Malformed, "does not follow the previous one", where);
    constexpr std::int64_t kMostRounds = std::int64_t{1} << 48; // so that sums of them do not overflow
    if (p.rounds < 1 || p.rounds > kMostRounds || p.firstRound < 0 || p.firstRound > kMostRounds ||
        (!begins && p.firstRound != m_nextRound) || p.firstRound < m_nextRound)
        return fail(Errc::Malformed, "has an impossible number of rounds", where);
    if (checksumOf(p.bytes) != p.checksum)
        return fail(Errc::Malformed, "is damaged: its checksum is wrong", where);
    if (begins)
        m_stream = Inflater();
    const auto bytes = m_stream.piece(p.bytes, kMostPieceBytes);
    if (!bytes)
        return fail(Errc::Malformed, "is damaged: it cannot be unpacked", where);
    ByteDecoder in(*bytes);
    if (begins) {
        m_group = p.group;
        m_nextPiece = -1; // no piece may follow a beginning that was rejected
        if (auto began = beginGroup(in, p, where); !began)
            return began;
    }
    m_nextPiece = p.number + 1;
    return play(in, p, where);
}

} // namespace rankscope::diagnosis
