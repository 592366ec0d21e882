// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/recording/observation_codec.h"

#include "core/diagnosis/evidence/cause_finder.h"
#include "core/telemetry/format/note_markers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

enum InputPart : std::uint8_t {
    kBoard = 1,
    kProcess = 2,
    kResources = 4,
    kRecords = 8,
    kNoBoard = 16,
    kNoResources = 32,
    kAsked = 64
};

constexpr std::size_t kMostTexts = 4096; // both sides know these by number; further ones are written in full
constexpr std::uint64_t kTextsChanged = std::uint64_t{1} << kBoardNumbers;
constexpr std::uint64_t kStepsPerEpochChanged = kTextsChanged << 1;
static_assert(kBoardNumbers < 62);

bool same(const ProcessView& a, const ProcessView& b) {
    return a.state == b.state && a.exitCode == b.exitCode && a.signal == b.signal && a.sinceNs == b.sinceNs &&
           a.outOfMemory == b.outOfMemory && a.lastLines == b.lastLines;
}

/// Visits every number of a board in the order of the format: `visit(field)`.
template <class Board, class Visit> void eachNumber(Board& b, Visit&& visit) {
    const auto all = [&](auto&... fields) { (visit(fields), ...); };
    auto& first = b.collectives[0];
    all(b.updatedNs, b.phase, b.phaseSinceNs, b.step, first.sequence, first.arrivedNs, first.done, first.doneNs,
        first.started, first.op, first.count, first.dtype, b.place, b.layer, b.batchSize, b.longestFrames,
        b.longestSamples, b.queueDepth, b.readingSinceNs, first.used, first.group);
    for (std::size_t g = 1; g < b.collectives.size(); ++g) {
        auto& c = b.collectives[g];
        all(c.used, c.group, c.sequence, c.op, c.dtype, c.count, c.arrivedNs, c.done, c.doneNs, c.started);
    }
    all(b.rank, b.worldSize, b.pid, b.startTicks, b.configHash, b.stage, b.epoch, b.totalSteps, b.queueCapacity,
        b.droppedRecords);
}

template <class Board, class Visit> void eachText(Board& b, Visit&& visit) {
    for (auto& c : b.collectives)
        visit(c.tag);
    visit(b.reading);
    visit(b.device);
}

template <class T> void assign(T& to, std::int64_t value) {
    if constexpr (std::is_same_v<T, bool>)
        to = value != 0;
    else if constexpr (std::is_enum_v<T>)
        to = value >= 0 && value < static_cast<std::int64_t>(T::Count) ? static_cast<T>(value) : T{};
    else
        to = static_cast<T>(value);
}

template <class View, class Visit> void eachResource(View& v, Visit&& visit) {
    const auto all = [&](auto&... fields) { (visit(fields), ...); };
    all(v.cpuShare, v.cpuThrottledShare, v.rssBytes, v.swapBytes, v.majorFaultsPerSecond, v.writeBytesPerSecond,
        v.memoryUsedBytes, v.memoryLimitBytes, v.gpuUsedBytes, v.gpuTotalBytes, v.gpuClockShare, v.gpuTemperature);
}

/// Writes fields: times as the difference from the previous one, and earlier texts by their number.
struct FieldEncoder {
    ObservationCodecState& memory;
    ObservationCodecState::CodedRank& before;
    ByteEncoder& out;

    template <class T> void number(const T& v, std::uint64_t /*end*/ = 0) { out.number(static_cast<std::uint64_t>(v)); }
    void integer(std::int64_t v) { out.integer(v); }
    void real(double v) { out.real(v); }
    void boolean(bool v) { out.boolean(v); }
    void text(std::string_view v) { out.text(v); }
    template <std::size_t N> void text(const char (&v)[N]) { out.text(getText(v, N)); }
    /// Leaves out the zeros at the end.
    template <std::size_t N> void bytes(const std::array<std::uint8_t, N>& v) {
        std::size_t size = N;
        while (size > 0 && v[size - 1] == 0)
            --size;
        out.text({reinterpret_cast<const char*>(v.data()), size});
    }
    void difference(std::int64_t v, std::int64_t& last) {
        out.difference(v, last);
        last = v;
    }
    void time(std::int64_t ns) { difference(ns, before.lastTimeNs); }
    void step(std::int64_t v) { difference(v, before.lastStep); }
    void sequence(std::uint64_t v) { difference(static_cast<std::int64_t>(v), before.lastSequence); }
    template <std::size_t N> void shared(const char (&v)[N]) { shared(getText(v, N)); }
    void shared(std::string_view text);
};

void FieldEncoder::shared(std::string_view text) {
    const auto at = memory.numberOfText.find(text);
    if (at != memory.numberOfText.end()) {
        out.number(at->second + 1);
        return;
    }
    out.number(0);
    out.text(text);
    if (memory.numberOfText.size() < kMostTexts)
        memory.numberOfText.emplace(text, memory.numberOfText.size());
}

/// Reads what a FieldEncoder wrote.
struct FieldDecoder {
    ObservationCodecState& memory;
    ObservationCodecState::CodedRank& before;
    ByteDecoder& in;

    template <class T> void number(T& v) { v = static_cast<T>(in.number()); }
    template <class T> void number(T& v, std::uint64_t end) { v = static_cast<T>(in.below(end)); }
    template <class T> void integer(T& v) { v = static_cast<T>(in.integer()); }
    void real(double& v) { v = in.real(); }
    void boolean(bool& v) { v = in.boolean(); }
    void text(std::string& v) { v = in.text(); }
    template <std::size_t N> void text(char (&v)[N]) { put(v, in.text()); }
    template <std::size_t N> void bytes(std::array<std::uint8_t, N>& v) {
        const std::string read = in.text();
        v = {};
        std::memcpy(v.data(), read.data(), std::min(N, read.size()));
    }
    void time(std::int64_t& ns) { ns = before.lastTimeNs = in.difference(before.lastTimeNs); }
    void step(std::int64_t& v) { v = before.lastStep = in.difference(before.lastStep); }
    void sequence(std::uint64_t& v) {
        before.lastSequence = in.difference(before.lastSequence);
        v = static_cast<std::uint64_t>(before.lastSequence);
    }
    template <std::size_t N> void shared(char (&v)[N]) { put(v, sharedText()); }
    std::string sharedText();

    /// Copies the bytes unchanged: putText would terminate them and replace bytes that are not UTF-8.
    template <std::size_t N> static void put(char (&field)[N], std::string_view bytes) {
        std::memset(field, 0, N);
        std::memcpy(field, bytes.data(), std::min(N, bytes.size()));
    }
};

std::string FieldDecoder::sharedText() {
    const std::uint64_t number = in.number();
    if (number == 0) {
        std::string text = in.text();
        if (memory.texts.size() < kMostTexts)
            memory.texts.push_back(text);
        return text;
    }
    if (number > memory.texts.size()) {
        in.fail();
        return {};
    }
    return memory.texts[static_cast<std::size_t>(number - 1)];
}

/// The fields of a rank's process in the order of the format.
template <class Fields, class View> void eachProcessField(Fields& f, View& v) {
    f.number(v.state, 6);
    f.integer(v.exitCode);
    f.integer(v.signal);
    f.integer(v.sinceNs);
    f.boolean(v.outOfMemory);
    f.text(v.lastLines);
}

template <class Fields, class View> void eachAskedField(Fields& f, View& v) {
    f.integer(v.asked.atNs);
    f.integer(v.asked.signal);
    f.integer(v.asked.pid);
    f.number(v.asked.user);
    f.number(v.asked.sender, static_cast<std::uint64_t>(LeaveRequest::Sender::Count));
    f.text(v.asked.program);
    f.text(v.askedBy);
}

/// The fields of a record that the detector reads, in the order of the format.
template <class Fields, class R> void eachRecordField(Fields& f, R& r) {
    using FieldType = std::remove_const_t<R>;
    constexpr std::uint64_t kByte = 256;
    f.step(r.header.step);
    if constexpr (std::is_same_v<FieldType, PhaseRecord>) {
        f.number(r.phase, kByte);
    } else if constexpr (std::is_same_v<FieldType, BatchRecord>) {
        f.integer(r.size);
        f.integer(r.framesMax);
        f.integer(r.samplesMax);
    } else if constexpr (std::is_same_v<FieldType, CollectiveRecord>) {
        f.number(r.group);
        f.number(r.op, kByte);
        f.number(r.dtype);
        f.number(r.phase, kByte);
        f.sequence(r.sequence);
        f.integer(r.count);
        f.time(r.arrivedNs);
        f.shared(r.tag);
    } else if constexpr (std::is_same_v<FieldType, StepRecord>) {
        f.integer(r.flags);
        f.real(r.loss);
        f.integer(r.maskedFrames);
    } else if constexpr (std::is_same_v<FieldType, NoteRecord> || std::is_same_v<FieldType, CheckRecord>) {
        f.text(r.text);
    } else if constexpr (std::is_same_v<FieldType, GroupRecord>) {
        f.number(r.group);
        f.integer(r.size);
        f.integer(r.firstRank);
        f.bytes(r.members);
    } else if constexpr (std::is_same_v<FieldType, EndRecord>) {
        f.number(r.cause, kByte);
        f.integer(r.exitCode);
        f.number(r.droppedRecords);
        f.text(r.text);
    }
    if constexpr (requires { r.beginNs; }) {
        f.time(r.beginNs);
        f.time(r.endNs);
    }
}

/// Calls `take` with a record of the type. Returns false if the detector does not read this type.
template <class Take> bool withRecord(RecordType type, Take&& take) {
    switch (type) {
    case RecordType::Phase:
        return take(std::type_identity<PhaseRecord>()), true;
    case RecordType::Batch:
        return take(std::type_identity<BatchRecord>()), true;
    case RecordType::Collective:
        return take(std::type_identity<CollectiveRecord>()), true;
    case RecordType::Step:
        return take(std::type_identity<StepRecord>()), true;
    case RecordType::Validation:
        return take(std::type_identity<ValidationRecord>()), true;
    case RecordType::Note:
        return take(std::type_identity<NoteRecord>()), true;
    case RecordType::Check:
        return take(std::type_identity<CheckRecord>()), true;
    case RecordType::Group:
        return take(std::type_identity<GroupRecord>()), true;
    case RecordType::End:
        return take(std::type_identity<EndRecord>()), true;
    default:
        return false;
    }
}

/// Returns whether the detector reads the record; it reads only a few of the notes and checks.
bool isRead(const AnyRecord& any) {
    if (const auto* n = any.as<NoteRecord>())
        return getText(n->text, sizeof n->text).find(kFirstNotFinite) != std::string_view::npos;
    const auto* check = any.as<CheckRecord>();
    return !check || isConfigurationCheck(*check);
}

std::string resourceBytes(const ResourceView& v) {
    ByteEncoder out;
    eachResource(v, [&](auto x) {
        if constexpr (std::is_same_v<decltype(x), double>)
            out.real(x);
        else
            out.integer(x);
    });
    out.text(v.gpuThrottle);
    out.real(v.cpuQuota);
    out.real(v.cpuThrottledTimeShare);
    out.real(v.cpuWaitShare);
    for (const std::int64_t n : {v.workers, v.workersRssBytes, v.workersDied})
        out.integer(n);
    for (const int n : {v.workerSignal, v.workerExitCode})
        out.integer(n);
    out.real(v.workersCpuWaitShare);
    return out.bytes();
}

ResourceView resourcesOf(ByteDecoder& in) {
    ResourceView v;
    eachResource(v, [&](auto& x) {
        if constexpr (std::is_same_v<decltype(x), double&>)
            x = in.real();
        else
            x = in.integer();
    });
    v.gpuThrottle = in.text();
    if (in.atEnd())
        return v; // recorded before quotas were measured
    v.cpuQuota = in.real();
    v.cpuThrottledTimeShare = in.real();
    if (in.atEnd())
        return v; // recorded before the processes that ranks start were measured
    v.cpuWaitShare = in.real();
    for (std::int64_t* n : {&v.workers, &v.workersRssBytes, &v.workersDied})
        *n = in.integer();
    for (int* n : {&v.workerSignal, &v.workerExitCode})
        *n = static_cast<int>(in.integer());
    if (!in.atEnd()) // otherwise recorded before their waits were measured
        v.workersCpuWaitShare = in.real();
    return v;
}

} // namespace

FlatBoard flatten(const BoardSnapshot& board) {
    FlatBoard flat;
    std::size_t at = 0;
    eachNumber(board, [&](const auto& field) { flat.numbers[at++] = static_cast<std::int64_t>(field); });
    at = 0;
    eachText(board, [&](const std::string& field) { flat.texts[at++] = field; });
    flat.stepsPerEpoch = board.stepsPerEpoch;
    return flat;
}

BoardSnapshot unflatten(const FlatBoard& flat) {
    BoardSnapshot board;
    std::size_t at = 0;
    eachNumber(board, [&](auto& field) { assign(field, flat.numbers[at++]); });
    at = 0;
    eachText(board, [&](std::string& field) { field = flat.texts[at++]; });
    board.stepsPerEpoch = flat.stepsPerEpoch;
    return board;
}

/// Bits of one number; older recordings have only the length sync there, as 0 or 1.
static constexpr std::uint64_t kLengthSyncOn = 1, kDropLastKnown = 2, kDropLastOn = 4, kNoRecipe = 8, kKeysKnown = 16,
                               kHydra = 32, kNoLimit = 64;

void saveSettings(ByteEncoder& out, const Settings& s) {
    for (const double v : {s.stallMinSeconds, s.stallFactor, s.stragglerShare, s.joinSeconds})
        out.real(v);
    for (const int v : {s.stragglerWindowSteps, s.numWorkers, s.prefetchFactor, s.sampleRate})
        out.integer(v);
    out.number((s.lengthSync ? kLengthSyncOn : 0) | (s.dropLast ? kDropLastKnown : 0) |
               (s.dropLast.value_or(false) ? kDropLastOn : 0) | (s.recipe ? 0 : kNoRecipe) |
               (s.programKeys == ProgramKeys::Known ? kKeysKnown : 0) |
               (s.programKeys == ProgramKeys::Hydra ? kHydra : 0) | (s.limitsDuration ? 0 : kNoLimit));
    out.number(s.configHash);
}

Settings loadSettings(ByteDecoder& in) {
    Settings s;
    for (double* v : {&s.stallMinSeconds, &s.stallFactor, &s.stragglerShare, &s.joinSeconds})
        if (*v = in.real(); !std::isfinite(*v))
            in.fail();
    for (int* v : {&s.stragglerWindowSteps, &s.numWorkers, &s.prefetchFactor, &s.sampleRate})
        *v = static_cast<int>(in.integer());
    const std::uint64_t switches = in.number();
    s.lengthSync = (switches & kLengthSyncOn) != 0;
    s.recipe = (switches & kNoRecipe) == 0;
    s.programKeys = (switches & kHydra) != 0       ? ProgramKeys::Hydra
                    : (switches & kKeysKnown) != 0 ? ProgramKeys::Known
                                                   : ProgramKeys::Unknown;
    s.limitsDuration = (switches & kNoLimit) == 0;
    if ((switches & kDropLastKnown) != 0)
        s.dropLast = (switches & kDropLastOn) != 0;
    s.configHash = in.number();
    if (s.stragglerWindowSteps < 0 || s.stragglerWindowSteps > 100'000)
        in.fail();
    return s;
}

/// Added to the run's end, whose values are smaller: an unwatched interval follows.
static constexpr std::uint64_t kUnwatched = 4;

static void saveUnwatched(ByteEncoder& out, const Observation& o) {
    out.difference(o.unwatched.beginNs, o.nowNs);
    out.integer(o.unwatched.suspendedNs);
    out.number(static_cast<std::uint64_t>(o.unwatched.ranks));
}

static UnwatchedTime loadUnwatched(ByteDecoder& in, std::int64_t nowNs) {
    UnwatchedTime unwatched;
    unwatched.beginNs = in.difference(nowNs);
    unwatched.suspendedNs = in.integer();
    unwatched.ranks = in.below(UnwatchedTime::RankActivity::Count);
    return unwatched;
}

void ObservationEncoder::encode(const Observation& o, ByteEncoder& out) {
    out.difference(o.nowNs, m_memory.nowNs);
    m_memory.nowNs = o.nowNs;
    const bool watched = o.unwatched == UnwatchedTime{};
    out.number(static_cast<std::uint64_t>(o.end) | (watched ? 0 : kUnwatched));
    if (!watched)
        saveUnwatched(out, o);
    std::size_t next = 0; // changed ranks are written as the distance from the previous one; 0: no more
    for (std::size_t r = 0; r < o.ranks.size() && r < m_memory.ranks.size(); ++r) {
        ByteEncoder parts;
        const std::uint8_t what = rank(o.ranks[r], m_memory.ranks[r], parts);
        if (what == 0)
            continue;
        out.number(r - next + 1);
        next = r + 1;
        out.number(what);
        out.append(parts);
    }
    out.number(0);
}

std::uint8_t ObservationEncoder::rank(const RankObservation& now, ObservationCodecState::CodedRank& before,
                                      ByteEncoder& out) {
    FieldEncoder fields{m_memory, before, out};
    std::uint8_t what = 0;
    if (now.board) {
        board(now, before, out);
        if (out.size() > 0)
            what |= kBoard;
    } else if (before.hasBoard) {
        before.hasBoard = false;
        before.board = {};
        what |= kNoBoard;
    }
    if (!same(now.process, before.process)) {
        eachProcessField(fields, now.process);
        what |= kProcess;
    }
    what |= resources(now, before, out);
    if (!now.records.empty()) {
        records(now, before, out);
        what |= kRecords;
    }
    if (now.process.asked != before.process.asked || now.process.askedBy != before.process.askedBy) {
        eachAskedField(fields, now.process);
        what |= kAsked;
    }
    if (what & (kProcess | kAsked))
        before.process = now.process;
    return what;
}

std::uint8_t ObservationEncoder::resources(const RankObservation& now, ObservationCodecState::CodedRank& before,
                                           ByteEncoder& out) {
    const bool had = std::exchange(before.hasResources, now.resources.has_value());
    if (!now.resources)
        return had ? kNoResources : 0;
    std::string bytes = resourceBytes(*now.resources);
    if (had && bytes == before.resources)
        return 0;
    out.text(bytes);
    before.resources = std::move(bytes);
    return kResources;
}

void ObservationEncoder::records(const RankObservation& now, ObservationCodecState::CodedRank& before,
                                 ByteEncoder& out) {
    FieldEncoder fields{m_memory, before, out};
    for (const AnyRecord& any : now.records)
        if (isRead(any))
            withRecord(any.type(), [&]<class R>(std::type_identity<R>) {
                out.number(static_cast<std::uint64_t>(any.type()));
                eachRecordField(fields, *any.as<R>());
            });
    out.number(0);
}

void ObservationEncoder::board(const RankObservation& r, ObservationCodecState::CodedRank& before, ByteEncoder& out) {
    const FlatBoard now = flatten(*r.board);
    std::uint64_t changed = before.hasBoard ? 0 : kTextsChanged;
    for (std::size_t i = 0; i < kBoardNumbers; ++i)
        if (now.numbers[i] != before.board.numbers[i])
            changed |= std::uint64_t{1} << i;
    if (now.texts != before.board.texts)
        changed |= kTextsChanged;
    if (now.stepsPerEpoch != before.board.stepsPerEpoch)
        changed |= kStepsPerEpochChanged;
    before.hasBoard = true;
    if (changed == 0)
        return;
    out.number(changed);
    for (std::size_t i = 0; i < kBoardNumbers; ++i)
        if (changed >> i & 1)
            out.difference(now.numbers[i], before.board.numbers[i]);
    if (changed & kTextsChanged) {
        std::uint64_t texts = 0;
        for (std::size_t i = 0; i < kBoardTexts; ++i)
            texts |= now.texts[i] != before.board.texts[i] ? std::uint64_t{1} << i : 0;
        out.number(texts);
        for (std::size_t i = 0; i < kBoardTexts; ++i)
            if (texts >> i & 1)
                FieldEncoder{m_memory, before, out}.shared(now.texts[i]);
    }
    if (changed & kStepsPerEpochChanged)
        out.difference(now.stepsPerEpoch, before.board.stepsPerEpoch);
    before.board = now;
}

ObservationDecoder::ObservationDecoder(int world) : m_memory(world), m_records(static_cast<std::size_t>(world)) {
    for (int r = 0; r < world; ++r)
        m_observation.ranks.push_back({r, std::nullopt, {}, std::nullopt, {}});
}

const Observation* ObservationDecoder::decode(ByteDecoder& in) {
    m_observation.nowNs = m_memory.nowNs = in.difference(m_memory.nowNs);
    const std::uint64_t end = in.below(2 * kUnwatched);
    m_observation.end = static_cast<RunOutcomeSeen>(end & (kUnwatched - 1));
    m_observation.unwatched = end & kUnwatched ? loadUnwatched(in, m_observation.nowNs) : UnwatchedTime{};
    for (std::size_t r = 0; r < m_records.size(); ++r) {
        m_records[r].clear();
        m_observation.ranks[r].records = {};
    }
    std::size_t next = 0;
    for (std::uint64_t distance = in.number(); distance != 0 && in.ok(); distance = in.number()) {
        if (distance > m_memory.ranks.size() - next)
            return nullptr;
        const std::size_t r = next + static_cast<std::size_t>(distance) - 1;
        next = r + 1;
        RankObservation& now = m_observation.ranks[r];
        ObservationCodecState::CodedRank& before = m_memory.ranks[r];
        FieldDecoder fields{m_memory, before, in};
        const std::uint64_t what = in.number();
        if (what & kNoBoard) {
            now.board.reset();
            before.board = {};
        }
        if (what & kBoard)
            board(now, before, in);
        if (what & kProcess)
            eachProcessField(fields, now.process);
        if (what & kNoResources)
            now.resources.reset();
        if (what & kResources) {
            const std::string bytes = in.text();
            ByteDecoder inner(bytes);
            now.resources = resourcesOf(inner);
            if (!inner.ok())
                in.fail();
        }
        if (what & kRecords)
            records(m_records[r], before, in);
        if (what & kAsked)
            eachAskedField(fields, now.process);
        now.records = m_records[r];
    }
    return in.ok() ? &m_observation : nullptr;
}

void ObservationDecoder::board(RankObservation& r, ObservationCodecState::CodedRank& before, ByteDecoder& in) {
    const std::uint64_t changed = in.number();
    for (std::size_t i = 0; i < kBoardNumbers; ++i)
        if (changed >> i & 1)
            before.board.numbers[i] = in.difference(before.board.numbers[i]);
    if (changed & kTextsChanged) {
        const std::uint64_t texts = in.number();
        for (std::size_t i = 0; i < kBoardTexts; ++i)
            if (texts >> i & 1)
                before.board.texts[i] = FieldDecoder{m_memory, before, in}.sharedText();
    }
    if (changed & kStepsPerEpochChanged)
        before.board.stepsPerEpoch = in.difference(before.board.stepsPerEpoch);
    r.board = unflatten(before.board);
}

void ObservationDecoder::records(std::vector<AnyRecord>& to, ObservationCodecState::CodedRank& before,
                                 ByteDecoder& in) {
    FieldDecoder fields{m_memory, before, in};
    for (std::uint64_t type = in.number(); type != 0 && in.ok(); type = in.number()) {
        if (type >= static_cast<std::uint64_t>(RecordType::Count))
            return in.fail();
        const bool known = withRecord(static_cast<RecordType>(type), [&]<class R>(std::type_identity<R>) {
            R record;
            eachRecordField(fields, record);
            if constexpr (std::is_same_v<R, CheckRecord>) { // the only check that is recorded
                record.status = CheckStatus::Failed;
                FieldDecoder::put(record.name, kConfigurationCheck);
            }
            to.push_back(AnyRecord::of(record));
        });
        if (!known)
            return in.fail();
    }
}

} // namespace rankscope::diagnosis
