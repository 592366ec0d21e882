// SPDX-License-Identifier: Apache-2.0
// What the detector observed is recorded and diagnosed again: the incidents must be the same byte for byte, whatever
// happened during the run.
#include "core/base/files/file.h"
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/recording/recording.h"
#include "core/diagnosis/recording/zlib_stream.h"
#include "tests/core/diagnosis/simulated_fleet.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>

using namespace rankscope;
using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

namespace {

struct Recorded {
    std::map<std::int64_t, Incident> incidents;
    std::vector<RecordingChunk> pieces;
    std::int64_t rounds = 0;
};

/// Runs the live detector for so many seconds and records what it observes.
Recorded live(const FleetOptions& options, const std::vector<PlannedFault>& faults, double seconds,
              RecordingLimits limits = {}, const std::function<void(Observation&)>& change = {}) {
    SimulatedFleet fleet(options, faults);
    Settings settings;
    Detector detector(options.world, settings);
    InputRecorder recorder(options.world, settings, limits);
    Recorded result;
    const auto ticks = static_cast<std::int64_t>(seconds * 1e9) / options.tickNs;
    for (std::int64_t i = 0; i <= ticks; ++i) {
        const bool last = i == ticks;
        Observation o = fleet.tick(last ? RunOutcomeSeen::Failed : RunOutcomeSeen::Running);
        if (change)
            change(o);
        recorder.record(o, detector);
        const auto transitions = detector.advance(o);
        for (const Transition& t : transitions)
            result.incidents[t.incident.id] = t.incident;
        if (auto piece = recorder.take(transitions, detector.anyOpen(), last))
            result.pieces.push_back(std::move(*piece));
        ++result.rounds;
    }
    return result;
}

std::vector<std::string> texts(const std::map<std::int64_t, Incident>& incidents) {
    std::vector<std::string> all;
    for (const auto& [id, incident] : incidents)
        all.push_back(canonicalText(incident));
    return all;
}

void verifySame(const std::map<std::int64_t, Incident>& a, const std::map<std::int64_t, Incident>& b) {
    const auto one = texts(a), other = texts(b);
    QCOMPARE(one.size(), other.size());
    for (std::size_t i = 0; i < one.size(); ++i)
        QCOMPARE(other[i], one[i]);
}

} // namespace

class TestRecording : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void boardsGoThroughUnchanged();
    void aRunWithEveryFault_data();
    void aRunWithEveryFault();
    void aRankThatIsAskedToLeave();
    void aRunThatWasPaused();
    void randomRunsWithRandomFaults();
    void aSlowRankFromAnyGroupOn();
    void fromTheMiddle();
    void aGapIsTold();
    void damagedPiecesAreRefused();
    void randomBytesAreNoObservation();
    void settingsStay();
    void nothingFollowsWhatWasRefused();
    void damagedStatesDoNoHarm();
    void whatIsNotKnownStaysSo();
    void recordedByVersion3();
};

void TestRecording::boardsGoThroughUnchanged() {
    std::mt19937_64 random(5);
    ObservationEncoder encoder(1);
    ObservationDecoder decoder(1);
    for (int i = 0; i < 300; ++i) {
        Observation o;
        o.nowNs = static_cast<std::int64_t>(random());
        RankObservation r;
        FlatBoard flat;
        for (auto& n : flat.numbers)
            n = random() % 3 ? static_cast<std::int64_t>(random() % 10) : static_cast<std::int64_t>(random());
        for (auto& t : flat.texts)
            t = std::string(random() % 20, static_cast<char>('a' + random() % 3));
        if (random() % 10)
            r.board = unflatten(flat);
        if (random() % 4 == 0) {
            r.resources = ResourceView{};
            r.resources->cpuShare = static_cast<double>(random() % 100) / 100;
            r.resources->cpuQuota = static_cast<double>(random() % 100) / 100;
            r.resources->cpuThrottledTimeShare = static_cast<double>(random() % 100) / 100;
        }
        r.process.state = static_cast<ProcessView::State>(random() % 6);
        r.process.lastLines = std::string(random() % 5, 'x');
        o.ranks = {r};
        ByteEncoder out;
        encoder.encode(o, out);
        ByteDecoder in(out.bytes());
        const Observation* back = decoder.decode(in);
        QVERIFY(back && in.atEnd());
        QCOMPARE(back->nowNs, o.nowNs);
        QCOMPARE(back->ranks[0].board.has_value(), r.board.has_value());
        if (r.board) {
            const FlatBoard was = flatten(*r.board), is = flatten(*back->ranks[0].board);
            QVERIFY(was.numbers == is.numbers && was.texts == is.texts);
        }
        QCOMPARE(back->ranks[0].resources.has_value(), r.resources.has_value());
        if (r.resources)
            QVERIFY(back->ranks[0].resources->cpuShare == r.resources->cpuShare &&
                    back->ranks[0].resources->cpuQuota == r.resources->cpuQuota &&
                    back->ranks[0].resources->cpuThrottledTimeShare == r.resources->cpuThrottledTimeShare);
        QCOMPARE(back->ranks[0].process.lastLines, r.process.lastLines);
    }
}

void TestRecording::aRunWithEveryFault_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("cause");
    const std::pair<FleetFault, const char*> all[] = {{FleetFault::Loader, "data_loading"},
                                                      {FleetFault::Forward, "slow_compute"},
                                                      {FleetFault::Preprocess, "preprocessing"},
                                                      {FleetFault::LongBatch, "long_batch"},
                                                      {FleetFault::Checkpoint, "checkpoint"},
                                                      {FleetFault::Stopped, "stopped"},
                                                      {FleetFault::Killed, "dead"},
                                                      {FleetFault::NotFinite, "not_finite"},
                                                      {FleetFault::Empty, "empty_batch"},
                                                      {FleetFault::SkipsSync, "mismatched_collective"},
                                                      {FleetFault::StoppedInside, "stopped"}};
    for (const auto& [kind, cause] : all)
        for (const int world : {2, 5})
            QTest::addRow("%s, %d ranks", cause, world) << static_cast<int>(kind) << QString(cause);
}

void TestRecording::aRunWithEveryFault() {
    QFETCH(int, kind);
    QFETCH(QString, cause);
    FleetOptions options;
    options.world = QString(QTest::currentDataTag()).contains("5 ranks") ? 5 : 2;
    options.checkpointEvery = 0;
    const auto run = live(options, {{static_cast<FleetFault>(kind), 1, 60, 8}}, 120);
    QVERIFY(!run.incidents.empty());
    QCOMPARE(QString::fromStdString(std::string(causeName(run.incidents.begin()->second.cause))), cause);
    QCOMPARE(run.incidents.begin()->second.holders, std::vector<int>{1});
    QCOMPARE(run.incidents.begin()->second.step, std::int64_t{60});
    DetectorReplay replay;
    for (const auto& piece : run.pieces) {
        const auto added = replay.add(piece);
        QVERIFY2(added.has_value(), added ? "" : added.error().message().c_str());
    }
    QCOMPARE(replay.rounds(), run.rounds);
    QVERIFY(replay.ended());
    QCOMPARE(replay.otherStates(), 0);
    verifySame(run.incidents, replay.incidents());
}

void TestRecording::aRankThatIsAskedToLeave() {
    FleetOptions options;
    options.world = 3;
    std::int64_t beganNs = 0;
    const auto run = live(options, {}, 60, {}, [&](Observation& o) {
        beganNs = beganNs == 0 ? o.nowNs : beganNs;
        if (o.nowNs - beganNs < 40'000'000'000)
            return;
        auto& process = o.ranks[2].process;
        process.asked.signal = 15;
        process.asked.sender = telemetry::LeaveRequest::Sender::Process;
        process.asked.pid = 4711;
        process.asked.user = 1000;
        process.asked.atNs = beganNs + 40'000'000'000;
        telemetry::putText(process.asked.program, sizeof process.asked.program, "systemd-oomd");
        process.askedBy = "root";
    });
    QCOMPARE(run.incidents.size(), std::size_t{1});
    QCOMPARE(run.incidents.begin()->second.cause, Cause::AskedToLeave);
    QCOMPARE(run.incidents.begin()->second.holders, std::vector<int>{2});
    DetectorReplay replay;
    for (const auto& piece : run.pieces)
        QVERIFY(replay.add(piece));
    QCOMPARE(replay.otherStates(), 0);
    verifySame(run.incidents, replay.incidents());
}

/// All ranks are stopped for a while; later the machine is suspended, so the supervisor does not run either.
void TestRecording::aRunThatWasPaused() {
    FleetOptions options;
    RecordingLimits limits;
    limits.groupBytes = 1; // four states: the pause is not in the run's first group
    std::int64_t stoppedNs = 0;
    int tick = 0;
    const auto pause = [&](Observation& o) {
        ++tick;
        if (tick > 300 && tick <= 400) {
            stoppedNs = stoppedNs ? stoppedNs : o.nowNs;
            for (auto& r : o.ranks)
                r.process = {ProcessView::State::Stopped, 0, 19, stoppedNs, false, {}};
        }
        if (tick == 500)
            o.unwatched = {0, 9'000'000'000, UnwatchedTime::RankActivity::Unknown};
        if (tick == 550)
            o.unwatched = {o.nowNs - 5'000'000'000, 0, UnwatchedTime::RankActivity::Ran};
    };
    const Recorded run = live(options, {{FleetFault::Loader, 1, 5, 4}}, 100, limits, pause);
    QVERIFY(std::count_if(run.incidents.begin(), run.incidents.end(),
                          [](const auto& in) { return in.second.cause == Cause::Paused; }) == 2);
    DetectorReplay whole, part;
    for (const auto& piece : run.pieces) {
        QVERIFY(whole.add(piece).has_value());
        if (piece.group >= 1)
            QVERIFY(part.add(piece).has_value());
    }
    QVERIFY(run.pieces.back().group > 1);
    QCOMPARE(whole.otherStates(), 0);
    verifySame(run.incidents, whole.incidents());
    QCOMPARE(part.otherStates(), 0);
}

void TestRecording::randomRunsWithRandomFaults() {
    std::mt19937_64 random(11);
    std::size_t incidents = 0;
    for (int i = 0; i < 12; ++i) {
        FleetOptions options;
        options.world = 1 + static_cast<int>(random() % 6);
        options.seed = random();
        options.lengthSync = random() % 3 != 0;
        options.syncBatchNorms = static_cast<int>(random() % 3);
        options.stepsPerEpoch = 50;
        options.validateEvery = 40;
        options.validationBatches = 5;
        std::vector<PlannedFault> faults;
        for (std::uint64_t n = random() % 5; n > 0; --n)
            faults.push_back({static_cast<FleetFault>(random() % static_cast<int>(FleetFault::Count)),
                              static_cast<int>(random() % static_cast<std::uint64_t>(options.world)),
                              static_cast<std::int64_t>(10 + random() % 150),
                              1.0 + static_cast<double>(random() % 80) / 10});
        RecordingLimits limits;
        limits.groupNs = static_cast<std::int64_t>(3 + random() % 30) * 1'000'000'000;
        limits.pieceNs = static_cast<std::int64_t>(random() % 3) * 1'000'000'000;
        const auto run = live(options, faults, 150, limits);
        incidents += run.incidents.size();
        DetectorReplay replay;
        for (const auto& piece : run.pieces)
            QVERIFY(replay.add(piece));
        QCOMPARE(replay.rounds(), run.rounds);
        QCOMPARE(replay.otherStates(), 0);
        verifySame(run.incidents, replay.incidents());
    }
    QVERIFY2(incidents >= 10, std::to_string(incidents).c_str());
}

/// The sums of the test for slow ranks are part of the detector's saved state.
void TestRecording::aSlowRankFromAnyGroupOn() {
    FleetOptions options;
    options.world = 3;
    options.hiccups = 0;
    RecordingLimits limits;
    limits.groupNs = 3'000'000'000;
    const auto run = live(options, {{FleetFault::SlowRank, 1, 40, 1.4, 60}}, 120, limits);
    QCOMPARE(run.incidents.size(), std::size_t{1});
    QVERIFY(run.incidents.begin()->second.straggler);
    QCOMPARE(run.incidents.begin()->second.closed, CloseReason::Recovered);
    const std::int64_t groups = run.pieces.back().group + 1;
    QVERIFY(groups >= 25);
    for (std::int64_t from = 0; from < groups; ++from) {
        DetectorReplay replay;
        for (const auto& piece : run.pieces)
            if (piece.group >= from)
                QVERIFY(replay.add(piece));
        QCOMPARE(replay.otherStates(), 0);
        for (const auto& [id, incident] : replay.incidents())
            QCOMPARE(canonicalText(incident), canonicalText(run.incidents.at(id)));
    }
}

/// Older groups were dropped: the replay starts from the state that the first remaining group stores.
void TestRecording::fromTheMiddle() {
    FleetOptions options;
    options.world = 3;
    RecordingLimits limits;
    limits.groupNs = 10'000'000'000;
    // opens before the boundary of a group and closes after it
    const auto run = live(options, {{FleetFault::Loader, 2, 30, 14}, {FleetFault::Stopped, 0, 90, 25}}, 120, limits);
    const std::int64_t groups = run.pieces.back().group + 1;
    QVERIFY(groups >= 8);
    for (std::int64_t from = 1; from < groups; ++from) {
        DetectorReplay replay;
        for (const auto& piece : run.pieces)
            if (piece.group >= from)
                QVERIFY(replay.add(piece));
        QCOMPARE(replay.gaps().size(), std::size_t{1});
        for (const auto& [id, incident] : replay.incidents())
            QCOMPARE(canonicalText(incident), canonicalText(run.incidents.at(id)));
    }
}

void TestRecording::aGapIsTold() {
    FleetOptions options;
    RecordingLimits limits;
    limits.groupNs = 10'000'000'000;
    const auto run = live(options, {}, 60, limits);
    DetectorReplay replay;
    std::int64_t dropped = 0;
    for (const auto& piece : run.pieces) {
        if (piece.group == 2)
            dropped += piece.rounds;
        else
            QVERIFY(replay.add(piece));
    }
    QCOMPARE(replay.gaps().size(), std::size_t{1});
    QCOMPARE(replay.gaps().front().rounds, dropped);
    QCOMPARE(replay.rounds() + dropped, run.rounds);
}

void TestRecording::damagedPiecesAreRefused() {
    FleetOptions options;
    const auto run = live(options, {{FleetFault::Loader, 1, 20, 5}}, 40);
    std::mt19937 random(3);
    for (int i = 0; i < 400; ++i) {
        auto pieces = run.pieces;
        auto& piece = pieces[random() % pieces.size()];
        const bool honest = random() % 2; // if false, the checksum is updated to match
        if (random() % 2)
            piece.bytes.resize(random() % piece.bytes.size());
        else
            piece.bytes[random() % piece.bytes.size()] ^= static_cast<char>(1 << random() % 8);
        if (!honest)
            piece.checksum = checksumOf(piece.bytes);
        DetectorReplay replay;
        bool refused = false;
        for (const auto& p : pieces) {
            const auto added = replay.add(p);
            if (!added) {
                QVERIFY(added.error().where.find("group 0") != std::string::npos);
                refused = true;
                break;
            }
        }
        QVERIFY(refused || !honest);
        if (honest) // incidents read before the damage are correct
            for (const auto& [id, incident] : replay.incidents())
                QVERIFY(run.incidents.contains(id));
    }
}

void TestRecording::settingsStay() {
    for (const bool sync : {false, true})
        for (const auto drop : {std::optional<bool>(), std::optional(false), std::optional(true)}) {
            Settings settings;
            settings.lengthSync = sync;
            settings.dropLast = drop;
            settings.numWorkers = 7;
            settings.configHash = 99;
            ByteEncoder out;
            saveSettings(out, settings);
            ByteDecoder in(out.bytes());
            const Settings read = loadSettings(in);
            QVERIFY(in.ok() && in.atEnd());
            QCOMPARE(read.lengthSync, sync);
            QVERIFY(read.dropLast == drop);
            QCOMPARE(read.numWorkers, 7);
            QCOMPARE(read.configHash, std::uint64_t{99});
        }
}

void TestRecording::nothingFollowsWhatWasRefused() {
    const auto run = live({}, {}, 40);
    auto first = run.pieces.front();
    DetectorReplay replay;
    first.group = -1;
    QVERIFY(!replay.add(first));
    first.group = 0;
    first.bytes = Deflater().piece("no beginning");
    first.checksum = checksumOf(first.bytes);
    QVERIFY(!replay.add(first));
    QVERIFY(!replay.add(first));
    QVERIFY(!replay.add(run.pieces.front()));
    QCOMPARE(replay.rounds(), std::int64_t{0});
}

void TestRecording::randomBytesAreNoObservation() {
    std::mt19937 random(9);
    for (int i = 0; i < 3000; ++i) {
        std::string bytes(random() % 200, '\0');
        for (char& c : bytes)
            c = static_cast<char>(random());
        ByteDecoder in(bytes);
        ObservationDecoder decoder(4);
        Detector detector(4, {});
        for (int n = 0; n < 50; ++n) {
            const Observation* o = decoder.decode(in);
            if (!o)
                break;
            QCOMPARE(o->ranks.size(), std::size_t{4});
        }
        ByteDecoder state(bytes);
        (void)detector.load(state);
    }
}

/// A detector that accepts a damaged state continues with it, whatever it contains: extreme times, evidence texts that
/// are numbers, values missing or added.
void TestRecording::damagedStatesDoNoHarm() {
    FleetOptions options;
    SimulatedFleet fleet(options, {{FleetFault::Loader, 1, 5, 60}, {FleetFault::NotFinite, 0, 3, 1}});
    Detector sound(2, {});
    for (int i = 0; i < 300; ++i)
        (void)sound.advance(fleet.tick());
    QVERIFY(sound.anyOpen());
    ByteEncoder state;
    sound.save(state);
    Observation seen = fleet.tick();
    std::mt19937 random(4);
    int taken = 0;
    for (std::size_t at = 0; at < state.size(); ++at) {
        std::string bytes = state.bytes();
        if (random() % 2)
            bytes[at] = static_cast<char>(random());
        else
            bytes.insert(at, random() % 2 ? "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01" : "\xff\x01");
        ByteDecoder in(bytes);
        Detector detector(2, {});
        if (!detector.load(in))
            continue;
        ++taken;
        for (int i = 0; i < 3; ++i) {
            seen.nowNs += i == 1 ? INT64_MAX / 4 : 1'000'000'000;
            for (const Transition& t : detector.advance(seen))
                QVERIFY(!sentence(t.incident, seen.nowNs).english().empty());
            for (const Incident& incident : detector.open())
                QVERIFY(!canonicalText(incident).empty() && !sentence(incident, seen.nowNs).english().empty());
        }
        seen = fleet.tick();
    }
    QVERIFY2(taken > 100, std::to_string(taken).c_str());
}

/// Three ranks; rank 2's loader was slow once. The beginning of the run has been dropped. Version 3 of the detector did
/// not know slow ranks and quotas.
void TestRecording::whatIsNotKnownStaysSo() {
    using namespace telemetry;
    BatchRecord batch;
    batch.header.step = 4;
    batch.size = -1;
    batch.framesMax = batch.samplesMax = -1;
    StepRecord step;
    step.header.step = 4;
    step.loss = std::numeric_limits<double>::quiet_NaN();
    step.maskedFrames = -1;
    const std::vector<AnyRecord> records{AnyRecord::of(batch), AnyRecord::of(step)};
    RankObservation rank;
    rank.board = BoardSnapshot{};
    rank.board->batchSize = -1;
    rank.board->longestFrames = rank.board->longestSamples = -1;
    rank.records = records;
    Observation o;
    o.ranks = {rank};
    ObservationEncoder encoder(1);
    ObservationDecoder decoder(1);
    ByteEncoder out;
    encoder.encode(o, out);
    ByteDecoder in(out.bytes());
    const Observation* back = decoder.decode(in);
    QVERIFY(back && in.atEnd());
    QCOMPARE(back->ranks[0].board->batchSize, -1);
    QCOMPARE(back->ranks[0].board->longestFrames, -1);
    QCOMPARE(back->ranks[0].records.size(), std::size_t{2});
    QCOMPARE(back->ranks[0].records[0].as<BatchRecord>()->size, -1);
    QCOMPARE(back->ranks[0].records[0].as<BatchRecord>()->framesMax, -1);
    QVERIFY(std::isnan(back->ranks[0].records[1].as<StepRecord>()->loss));
    QCOMPARE(back->ranks[0].records[1].as<StepRecord>()->maskedFrames, -1);
}

void TestRecording::recordedByVersion3() {
    const auto file = readFile(RANKSCOPE_DIAGNOSIS_DATA "/recording_v3.bin");
    QVERIFY(file);
    ByteDecoder in(*file);
    DetectorReplay replay;
    for (std::size_t n = in.count(); n > 0; --n) {
        RecordingChunk p;
        for (std::int64_t* v : {&p.group, &p.number, &p.firstRound, &p.rounds, &p.beginNs, &p.endNs})
            *v = in.integer();
        p.incidents = in.boolean();
        p.checksum = static_cast<std::uint32_t>(in.number());
        p.bytes = in.text();
        const auto added = replay.add(p);
        QVERIFY2(added.has_value(), added ? "" : added.error().message().c_str());
    }
    QVERIFY(in.ok() && in.atEnd() && replay.ended());
    QCOMPARE(replay.detectorVersion(), 3);
    QCOMPARE(replay.otherStates(), 0);
    QCOMPARE(replay.gaps().size(), std::size_t{1}); // the missing beginning
    QCOMPARE(replay.incidents().size(), std::size_t{1});
    const Incident& incident = replay.incidents().begin()->second;
    QCOMPARE(incident.cause, Cause::DataLoading);
    QCOMPARE(incident.holders, std::vector<int>{2});
    QCOMPARE(incident.closed, CloseReason::Recovered);
}

RANKSCOPE_TEST(TestRecording)
#include "tst_recording.moc"
