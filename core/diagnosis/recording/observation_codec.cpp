// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/recording/observation_codec.h"

#include "core/diagnosis/evidence/cause_finder.h"
#include "core/telemetry/format/note_markers.h"

#include <algorithm>
#include <cstring>

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

constexpr std::size_t kMostTexts = 4096; // known to both sides by number; others are written out
constexpr std::uint64_t kTextsChanged = std::uint64_t{1} << kBoardNumbers;
static_assert(kBoardNumbers < 63);

bool same(const ProcessView& a, const ProcessView& b) {
    return a.state == b.state && a.exitCode == b.exitCode && a.signal == b.signal && a.sinceNs == b.sinceNs &&
           a.outOfMemory == b.outOfMemory && a.lastLines == b.lastLines;
}

template <class View, class Real, class Integer> void eachResource(View& v, Real&& real, Integer&& integer) {
    real(v.cpuShare);
    real(v.cpuThrottledShare);
    integer(v.rssBytes);
    integer(v.swapBytes);
    real(v.majorFaultsPerSecond);
    real(v.writeBytesPerSecond);
    integer(v.memoryUsedBytes);
    integer(v.memoryLimitBytes);
    integer(v.gpuUsedBytes);
    integer(v.gpuTotalBytes);
    real(v.gpuClockShare);
    real(v.gpuTemperature);
}

/// As it was: putText would end it, and mend what is not UTF-8.
void putBytes(char* field, std::size_t size, std::string_view bytes) {
    std::memcpy(field, bytes.data(), std::min(size, bytes.size()));
}

std::string resourceBytes(const ResourceView& v) {
    WireWriter out;
    eachResource(
        v, [&](double x) { out.real(x); }, [&](std::int64_t x) { out.integer(x); });
    out.text(v.gpuThrottle);
    out.real(v.cpuQuota);
    out.real(v.cpuThrottledTimeShare);
    return out.bytes();
}

ResourceView resourcesOf(WireReader& in) {
    ResourceView v;
    eachResource(
        v, [&](double& x) { x = in.real(); }, [&](std::int64_t& x) { x = in.integer(); });
    v.gpuThrottle = in.text();
    if (in.atEnd())
        return v; // recorded before quotas were read
    v.cpuQuota = in.real();
    v.cpuThrottledTimeShare = in.real();
    return v;
}

} // namespace

void InputEncoder::encode(const Observation& o, WireWriter& out) {
    out.difference(o.nowNs, m_memory.nowNs);
    m_memory.nowNs = o.nowNs;
    out.number(static_cast<std::uint64_t>(o.end));
    std::size_t next = 0; // ranks that changed, as distances from the one before; 0: no more
    for (std::size_t r = 0; r < o.ranks.size() && r < m_memory.ranks.size(); ++r) {
        const RankObservation& now = o.ranks[r];
        Rank& before = m_memory.ranks[r];
        WireWriter parts;
        std::uint8_t what = 0;
        if (now.board) {
            board(now, before, parts);
            if (parts.size() > 0)
                what |= kBoard;
        } else if (before.hasBoard) {
            before.hasBoard = false;
            before.board = {};
            what |= kNoBoard;
        }
        if (!same(now.process, before.process)) {
            process(now.process, parts);
            what |= kProcess;
        }
        if (!now.resources && before.hasResources) {
            what |= kNoResources;
        } else if (now.resources) {
            const std::string bytes = resourceBytes(*now.resources);
            if (!before.hasResources || bytes != before.resources) {
                parts.text(bytes);
                before.resources = bytes;
                what |= kResources;
            }
        }
        before.hasResources = now.resources.has_value();
        if (!now.records.empty()) {
            records(now, before, parts);
            what |= kRecords;
        }
        if (now.process.asked != before.process.asked || now.process.askedBy != before.process.askedBy) {
            asked(now.process, parts);
            what |= kAsked;
        }
        if (what & (kProcess | kAsked))
            before.process = now.process;
        if (what == 0)
            continue;
        out.number(r - next + 1);
        next = r + 1;
        out.number(what);
        out.append(parts);
    }
    out.number(0);
}

void InputEncoder::board(const RankObservation& r, Rank& before, WireWriter& out) {
    const FlatBoard now = flatten(*r.board);
    std::uint64_t changed = before.hasBoard ? 0 : kTextsChanged;
    for (std::size_t i = 0; i < kBoardNumbers; ++i)
        if (now.numbers[i] != before.board.numbers[i])
            changed |= std::uint64_t{1} << i;
    if (now.texts != before.board.texts)
        changed |= kTextsChanged;
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
                text(now.texts[i], out);
    }
    before.board = now;
}

void InputEncoder::process(const ProcessView& now, WireWriter& out) {
    out.number(static_cast<std::uint64_t>(now.state));
    out.integer(now.exitCode);
    out.integer(now.signal);
    out.integer(now.sinceNs);
    out.boolean(now.outOfMemory);
    out.text(now.lastLines);
}

void InputEncoder::asked(const ProcessView& now, WireWriter& out) {
    const LeaveRequest& a = now.asked;
    out.integer(a.atNs);
    out.integer(a.signal);
    out.integer(a.pid);
    out.number(a.user);
    out.number(static_cast<std::uint64_t>(a.sender));
    out.text(a.programName());
    out.text(now.askedBy);
}

void InputEncoder::text(std::string_view text, WireWriter& out) {
    const auto at = m_memory.numberOfText.find(text);
    if (at != m_memory.numberOfText.end()) {
        out.number(at->second + 1);
        return;
    }
    out.number(0);
    out.text(text);
    if (m_memory.numberOfText.size() < kMostTexts)
        m_memory.numberOfText.emplace(text, m_memory.numberOfText.size());
}

void InputEncoder::records(const RankObservation& r, Rank& before, WireWriter& out) {
    for (const AnyRecord& any : r.records)
        record(any, before, out);
    out.number(0);
}

bool InputEncoder::record(const AnyRecord& r, Rank& before, WireWriter& out) {
    const auto head = [&] {
        out.number(static_cast<std::uint64_t>(r.type()));
        out.difference(r.header().step, before.lastStep);
        before.lastStep = r.header().step;
    };
    const auto time = [&](std::int64_t ns) {
        out.difference(ns, before.lastTimeNs);
        before.lastTimeNs = ns;
    };
    if (const auto* p = r.as<PhaseRecord>()) {
        head();
        out.number(static_cast<std::uint64_t>(p->phase));
        time(p->beginNs);
        time(p->endNs);
    } else if (const auto* b = r.as<BatchRecord>()) {
        head();
        out.integer(b->size);
        out.integer(b->framesMax);
        out.integer(b->samplesMax);
    } else if (const auto* c = r.as<CollectiveRecord>()) {
        head();
        out.number(c->group);
        out.number(static_cast<std::uint64_t>(c->op));
        out.number(c->dtype);
        out.number(static_cast<std::uint64_t>(c->phase));
        out.difference(static_cast<std::int64_t>(c->sequence), before.lastSequence);
        before.lastSequence = static_cast<std::int64_t>(c->sequence);
        out.integer(c->count);
        time(c->arrivedNs);
        text(getText(c->tag, sizeof c->tag), out);
    } else if (const auto* s = r.as<StepRecord>()) {
        head();
        out.integer(s->flags);
        out.real(s->loss);
        out.integer(s->maskedFrames);
        time(s->beginNs);
        time(s->endNs);
    } else if (const auto* v = r.as<ValidationRecord>()) {
        head();
        time(v->beginNs);
        time(v->endNs);
    } else if (const auto* n = r.as<NoteRecord>()) {
        const std::string_view words = getText(n->text, sizeof n->text);
        if (words.find(kFirstNotFinite) == std::string_view::npos)
            return false;
        head();
        out.text(words);
    } else if (const auto* k = r.as<CheckRecord>(); k && isConfigurationCheck(*k)) {
        head();
        out.text(getText(k->text, sizeof k->text));
    } else {
        return false; // the detector reads no other
    }
    return true;
}

InputDecoder::InputDecoder(int world) : m_memory(world), m_records(static_cast<std::size_t>(world)) {
    for (int r = 0; r < world; ++r)
        m_observation.ranks.push_back({r, std::nullopt, {}, std::nullopt, {}});
}

const Observation* InputDecoder::decode(WireReader& in) {
    m_observation.nowNs = m_memory.nowNs = in.difference(m_memory.nowNs);
    m_observation.end = static_cast<RunEnd>(in.below(4));
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
        Rank& before = m_memory.ranks[r];
        const std::uint64_t what = in.number();
        if (what & kNoBoard) {
            now.board.reset();
            before.board = {};
        }
        if (what & kBoard)
            board(now, before, in);
        if (what & kProcess)
            process(now.process, in);
        if (what & kNoResources)
            now.resources.reset();
        if (what & kResources) {
            const std::string bytes = in.text();
            WireReader inner(bytes);
            now.resources = resourcesOf(inner);
            if (!inner.ok())
                in.fail();
        }
        if (what & kRecords)
            records(m_records[r], before, in);
        if (what & kAsked)
            asked(now.process, in);
        now.records = m_records[r];
    }
    return in.ok() ? &m_observation : nullptr;
}

void InputDecoder::board(RankObservation& r, Rank& before, WireReader& in) {
    const std::uint64_t changed = in.number();
    for (std::size_t i = 0; i < kBoardNumbers; ++i)
        if (changed >> i & 1)
            before.board.numbers[i] = in.difference(before.board.numbers[i]);
    if (changed & kTextsChanged) {
        const std::uint64_t texts = in.number();
        for (std::size_t i = 0; i < kBoardTexts; ++i)
            if (texts >> i & 1)
                before.board.texts[i] = text(in);
    }
    r.board = unflatten(before.board);
}

void InputDecoder::process(ProcessView& now, WireReader& in) {
    now.state = static_cast<ProcessView::State>(in.below(6));
    now.exitCode = static_cast<int>(in.integer());
    now.signal = static_cast<int>(in.integer());
    now.sinceNs = in.integer();
    now.outOfMemory = in.boolean();
    now.lastLines = in.text();
}

void InputDecoder::asked(ProcessView& now, WireReader& in) {
    LeaveRequest& a = now.asked;
    a.atNs = in.integer();
    a.signal = static_cast<std::int32_t>(in.integer());
    a.pid = static_cast<std::int32_t>(in.integer());
    a.user = static_cast<std::uint32_t>(in.number());
    a.sender = in.below(LeaveRequest::Sender::Count);
    const std::string program = in.text();
    std::memset(a.program, 0, sizeof a.program);
    putBytes(a.program, sizeof a.program, program);
    now.askedBy = in.text();
}

std::string InputDecoder::text(WireReader& in) {
    const std::uint64_t number = in.number();
    if (number == 0) {
        std::string text = in.text();
        if (m_memory.texts.size() < kMostTexts)
            m_memory.texts.push_back(text);
        return text;
    }
    if (number > m_memory.texts.size()) {
        in.fail();
        return {};
    }
    return m_memory.texts[static_cast<std::size_t>(number - 1)];
}

void InputDecoder::records(std::vector<AnyRecord>& to, Rank& before, WireReader& in) {
    for (std::uint64_t type = in.number(); type != 0 && in.ok(); type = in.number()) {
        if (type >= static_cast<std::uint64_t>(RecordType::Count))
            return in.fail();
        to.push_back(record(static_cast<RecordType>(type), before, in));
    }
}

AnyRecord InputDecoder::record(RecordType type, Rank& before, WireReader& in) {
    const std::int64_t step = before.lastStep = in.difference(before.lastStep);
    const auto time = [&] { return before.lastTimeNs = in.difference(before.lastTimeNs); };
    const auto finish = [step](auto record) { return record.header.step = step, AnyRecord::of(record); };
    switch (type) {
    case RecordType::Phase: {
        PhaseRecord p;
        p.phase = static_cast<Phase>(in.below(256));
        p.beginNs = time();
        p.endNs = time();
        return finish(p);
    }
    case RecordType::Batch: {
        BatchRecord b;
        b.size = static_cast<std::int32_t>(in.integer());
        b.framesMax = in.integer();
        b.samplesMax = in.integer();
        return finish(b);
    }
    case RecordType::Collective: {
        CollectiveRecord c;
        c.group = static_cast<std::uint32_t>(in.number());
        c.op = static_cast<CollectiveOp>(in.below(256));
        c.dtype = static_cast<std::uint8_t>(in.number());
        c.phase = static_cast<Phase>(in.below(256));
        before.lastSequence = in.difference(before.lastSequence);
        c.sequence = static_cast<std::uint64_t>(before.lastSequence);
        c.count = in.integer();
        c.arrivedNs = time();
        putBytes(c.tag, sizeof c.tag, text(in));
        return finish(c);
    }
    case RecordType::Step: {
        StepRecord s;
        s.flags = static_cast<std::int32_t>(in.integer());
        s.loss = in.real();
        s.maskedFrames = in.integer();
        s.beginNs = time();
        s.endNs = time();
        return finish(s);
    }
    case RecordType::Validation: {
        ValidationRecord v;
        v.beginNs = time();
        v.endNs = time();
        return finish(v);
    }
    case RecordType::Note: {
        NoteRecord n;
        putBytes(n.text, sizeof n.text, in.text());
        return finish(n);
    }
    case RecordType::Check: {
        CheckRecord c;
        c.status = CheckStatus::Failed;
        putBytes(c.name, sizeof c.name, kConfigurationCheck);
        putBytes(c.text, sizeof c.text, in.text());
        return finish(c);
    }
    default:
        in.fail();
        return {};
    }
}

} // namespace rankscope::diagnosis
