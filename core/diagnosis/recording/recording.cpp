// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/recording/recording.h"

#include "core/diagnosis/recording/observation_fields.h"
#include "core/diagnosis/recording/zlib_stream.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::diagnosis {

namespace {
constexpr std::size_t kMostPieceBytes = std::size_t{1} << 30; // uncompressed; what a file says is not believed
}

struct InputRecorder::Impl {
    int world;
    Settings settings;
    RecordingLimits limits;
    std::optional<InputEncoder> encoder; ///< none: the next round begins a group
    std::optional<Deflater> stream;
    WireWriter raw;
    RecordedPiece piece;
    std::int64_t rounds = 0, groupBeganNs = 0;
    std::size_t groupBytes = 0, stateBytes = 0;

    void beginGroup(const Observation& o, const Detector& detector) {
        encoder.emplace(world);
        stream.emplace();
        piece = RecordedPiece{piece.group, 0, rounds, 0, o.nowNs, o.nowNs, false, 0, {}};
        groupBeganNs = o.nowNs;
        raw.clear();
        raw.number(kRecordingVersion);
        raw.number(kDetectorVersion);
        raw.integer(world);
        saveSettings(raw, settings);
        WireWriter state;
        detector.save(state);
        raw.text(state.bytes());
        stateBytes = groupBytes = raw.size();
    }
};

InputRecorder::InputRecorder(int worldSize, const Settings& settings, RecordingLimits limits) : m(makeHidden<Impl>()) {
    m->world = worldSize;
    m->settings = settings;
    m->limits = limits;
}

void InputRecorder::record(const Observation& o, const Detector& before) {
    if (!m->encoder)
        m->beginGroup(o, before);
    if (m->piece.rounds == 0)
        m->piece.beginNs = o.nowNs;
    const std::size_t size = m->raw.size();
    m->encoder->encode(o, m->raw);
    m->groupBytes += m->raw.size() - size;
    m->piece.endNs = o.nowNs;
    ++m->piece.rounds;
    ++m->rounds;
}

std::optional<RecordedPiece> InputRecorder::take(const std::vector<Transition>& transitions, bool incidentsOpen,
                                                 bool end) {
    RecordedPiece& p = m->piece;
    p.incidents = p.incidents || incidentsOpen || !transitions.empty();
    const bool due = end || !transitions.empty() || m->raw.size() >= m->limits.pieceBytes ||
                     p.endNs - p.beginNs >= m->limits.pieceNs;
    if (!due || p.rounds == 0)
        return std::nullopt;
    RecordedPiece taken = p;
    taken.bytes = m->stream->piece(m->raw.bytes());
    taken.checksum = checksumOf(taken.bytes);
    m->raw.clear();
    const bool full = m->groupBytes >= std::max(m->limits.groupBytes, 4 * m->stateBytes) ||
                      p.endNs - m->groupBeganNs >= m->limits.groupNs;
    p = RecordedPiece{p.group, p.number + 1, m->rounds, 0, p.endNs, p.endNs, false, 0, {}};
    if (full)
        interrupted();
    return taken;
}

void InputRecorder::interrupted() {
    m->encoder.reset();
    m->stream.reset();
    m->raw.clear();
    ++m->piece.group;
}

struct Replay::Impl {
    std::optional<Detector> detector;
    std::optional<InputDecoder> decoder;
    Inflater stream;
    std::map<std::int64_t, Incident> incidents;
    std::vector<Gap> gaps;
    std::int64_t group = -1, nextPiece = 0, nextRound = 0, rounds = 0, lastNs = 0;
    int world = 0, otherStates = 0, version = 0;
    bool ended = false;

    Result<void> beginGroup(WireReader& in, const RecordedPiece& p, const std::string& where);
    Result<void> play(WireReader& in, const RecordedPiece& p, const std::string& where);
};

Replay::Replay() : m(makeHidden<Impl>()) {}

Result<void> Replay::Impl::beginGroup(WireReader& in, const RecordedPiece& p, const std::string& where) {
    if (const auto v = in.number(); v != kRecordingVersion)
        return fail(Errc::Unsupported, fmt::format("is of version {}, this program reads {}", v, kRecordingVersion),
                    where);
    version = static_cast<int>(in.number());
    const std::int64_t ranks = in.integer();
    if (!in.ok() || ranks < 1 || ranks > telemetry::kMaxRanks || (world != 0 && ranks != world))
        return fail(Errc::Malformed, "has an impossible number of ranks", where);
    world = static_cast<int>(ranks);
    const Settings settings = loadSettings(in);
    const std::string state = in.text();
    if (!in.ok())
        return fail(Errc::Malformed, "is damaged: its beginning is not whole", where);
    decoder.emplace(world);
    const bool follows = detector && p.firstRound == nextRound;
    if (follows) { // it knows already; what was recorded only shows whether it came to the same
        WireWriter own;
        detector->save(own);
        otherStates += version == kDetectorVersion && own.bytes() != state; // another one keeps other figures
        return {};
    }
    if (p.firstRound > nextRound)
        gaps.push_back({nextRound, p.firstRound - nextRound, lastNs, p.beginNs});
    detector.emplace(world, settings);
    WireReader bytes(state);
    if (p.firstRound == 0)
        return {}; // the run's beginning needs no state, whatever the version
    if (version < kOldestDetectorVersion || version > kDetectorVersion)
        return fail(Errc::Unsupported,
                    fmt::format("was recorded by detector {} and its beginning is no longer there; this is detector {}",
                                version, kDetectorVersion),
                    where);
    if (!detector->load(bytes) || !bytes.atEnd())
        return fail(Errc::Malformed, "is damaged: the detector's state is not readable", where);
    for (const Incident& in0 : detector->open())
        incidents[in0.id] = in0;
    return {};
}

Result<void> Replay::Impl::play(WireReader& in, const RecordedPiece& p, const std::string& where) {
    for (std::int64_t round = 0; round < p.rounds; ++round) {
        const Observation* o = decoder->decode(in);
        if (!o)
            return fail(Errc::Malformed, fmt::format("is damaged in its round {}", round), where);
        for (Transition& t : detector->advance(*o))
            incidents[t.incident.id] = std::move(t.incident);
        ended = ended || o->end != RunEnd::Running;
        ++rounds;
    }
    if (!in.atEnd())
        return fail(Errc::Malformed, "holds more than its rounds", where);
    nextRound = p.firstRound + p.rounds;
    lastNs = p.endNs;
    return {};
}

Result<void> Replay::add(const RecordedPiece& p) {
    const std::string where = fmt::format("recording, group {}, piece {}", p.group, p.number);
    const bool begins = p.number == 0 && p.group > m->group;
    if (p.group < 0 || (!begins && (p.group != m->group || p.number != m->nextPiece)))
        return fail(Errc::Malformed, "does not follow the one before it", where);
    constexpr std::int64_t kMostRounds = std::int64_t{1} << 48; // that sums of them are numbers still
    if (p.rounds < 1 || p.rounds > kMostRounds || p.firstRound < 0 || p.firstRound > kMostRounds ||
        (!begins && p.firstRound != m->nextRound) || p.firstRound < m->nextRound)
        return fail(Errc::Malformed, "has impossible rounds", where);
    if (checksumOf(p.bytes) != p.checksum)
        return fail(Errc::Malformed, "is damaged: its checksum is wrong", where);
    if (begins)
        m->stream = Inflater();
    const auto bytes = m->stream.piece(p.bytes, kMostPieceBytes);
    if (!bytes)
        return fail(Errc::Malformed, "is damaged: it cannot be unpacked", where);
    WireReader in(*bytes);
    if (begins) {
        m->group = p.group;
        m->nextPiece = -1; // nothing follows a beginning that was refused
        if (auto began = m->beginGroup(in, p, where); !began)
            return began;
    }
    m->nextPiece = p.number + 1;
    return m->play(in, p, where);
}

const std::map<std::int64_t, Incident>& Replay::incidents() const {
    return m->incidents;
}
std::int64_t Replay::rounds() const {
    return m->rounds;
}
const std::vector<Replay::Gap>& Replay::gaps() const {
    return m->gaps;
}
int Replay::otherStates() const {
    return m->otherStates;
}
bool Replay::ended() const {
    return m->ended;
}
int Replay::detectorVersion() const {
    return m->version;
}

} // namespace rankscope::diagnosis
