// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/file.h"
#include "core/store/report/check_summary.h"
#include "core/store/report/csv_export.h"
#include "tests/core/store/synthetic.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

#include <algorithm>
#include <cmath>

using namespace rankscope;
using namespace rankscope::store;
using namespace rankscope::telemetry;
using namespace synthetic;

namespace fs = std::filesystem;

class TestRunStore : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rowsCarryWhatTheRecordsSaid();
    void valuesUnderTheirOwnNamesComeBack();
    void checksComeBack();
    void notFiniteValues();
    void whatIsNotKnownIsNoValue();
    void softwareAndGroupsComeBack();
    void incidentsComeBack();
    void incidentsOfASecondWriter();
    void notesOfRanksAndSupervisor();
    void countersAreDifferences();
    void implausibleRecordsAreCounted();
    void readerSeesCommitsWhileItIsOpen();
    void csvFiles();
};

static fs::path storeIn(const QTemporaryDir& dir) {
    return fs::path(dir.path().toStdString()) / "run.sqlite";
}

static double valueAt(RunReader& reader, Metric metric, int rank, std::int64_t step) {
    const auto points = reader.series(metric, rank, step, step, 10);
    return points && points->size() == 1 ? points->front().mean : -12345;
}

void TestRunStore::rowsCarryWhatTheRecordsSaid() {
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(2));
    QVERIFY(store);
    struct stat st {};
    QCOMPARE(::stat(storeIn(dir).c_str(), &st), 0);
    QCOMPARE(st.st_mode & 0777, 0600u);
    AnchorRecord anchor;
    putText(anchor.host, sizeof anchor.host, "node1");
    putText(anchor.device, sizeof anchor.device, "cpu");
    BatchRecord batch;
    batch.header.step = 4;
    batch.header.timeNs = kStartNs + 4'000'000'010;
    batch.size = 4;
    batch.framesMin = 100, batch.framesMax = 400, batch.framesSum = 1000, batch.samplesMax = 64000;
    batch.paddingShare = 0.375;
    batch.skippedFiles = 3;
    PhaseRecord phase;
    phase.header.step = 4;
    phase.phase = Phase::Forward;
    phase.beginNs = kStartNs + 4'000'000'100, phase.endNs = phase.beginNs + 500;
    PhaseRecord again = phase; // two forward passes in a step add up
    again.beginNs += 1000, again.endNs = again.beginNs + 250;
    EndRecord end;
    end.cause = EndCause::Failed;
    end.exitCode = 9;
    end.weightsHash = 0xffffffffffffffff;
    putText(end.text, sizeof end.text, "gone");
    commit(*store, 1, {AnyRecord::of(anchor), AnyRecord::of(batch), AnyRecord::of(phase), AnyRecord::of(again)});
    auto reader = RunReader::open(storeIn(dir));
    QVERIFY(reader);
    QVERIFY(reader->series(Metric::BatchSize, 1, 0, 100, 10)->empty()); // a step that is not complete yet
    commit(*store, 1, {stepRecord(4, 2.5), AnyRecord::of(end)});
    QCOMPARE(valueAt(*reader, Metric::Loss, 1, 4), 2.5);
    const auto counters = reader->counters();
    QVERIFY(counters && std::any_of(counters->begin(), counters->end(), [](const Counter& c) {
                return c.name == "skipped_files" && c.rank == 1 && c.value == 3;
            }));
    QCOMPARE(valueAt(*reader, Metric::BatchSize, 1, 4), 4.0);
    QCOMPARE(valueAt(*reader, Metric::FramesMin, 1, 4), 100.0);
    QCOMPARE(valueAt(*reader, Metric::FramesMean, 1, 4), 250.0);
    QCOMPARE(valueAt(*reader, Metric::FramesMax, 1, 4), 400.0);
    QCOMPARE(valueAt(*reader, Metric::SamplesMax, 1, 4), 64000.0);
    QCOMPARE(valueAt(*reader, Metric::PaddingShare, 1, 4), 0.375);
    QCOMPARE(valueAt(*reader, Metric::Forward, 1, 4), 750.0);
    QCOMPARE(valueAt(*reader, Metric::StepTime, 1, 4), 9e8);
    QVERIFY(reader->series(Metric::WaitTotal, 1, 0, 100, 10)->empty());
    const auto point = reader->series(Metric::Loss, 1, 4, 4, 10)->front();
    QCOMPARE(point.beginNs, 4'000'000'000);
    QCOMPARE(point.endNs, 4'900'000'000);
    const RankSummary rank = (*reader->ranks())[1];
    QCOMPARE(rank.host, std::string("node1"));
    QVERIFY(rank.ended && rank.endCause == EndCause::Failed && rank.exitCode == 9 && rank.endText == "gone");
    QCOMPARE(rank.weightsHash, 0xffffffffffffffffull);
    QCOMPARE((*reader->ranks())[0].lastStep, -1);
    const auto phases = reader->phases(0, 10, 10);
    QCOMPARE(phases->size(), std::size_t{2});
    QCOMPARE((*phases)[0].phase, Phase::Forward);
    QCOMPARE((*phases)[0].beginNs, 4'000'000'100);
    QCOMPARE(reader->meta().worldSize, 2);
    QCOMPARE(reader->meta().startNs, kStartNs);
}

static AnyRecord checkRecord(const char* name, CheckStatus status, const char* text, std::int64_t atNs,
                             bool stops = false) {
    CheckRecord record;
    record.header.timeNs = kStartNs + atNs;
    record.status = status;
    record.stops = stops ? 1 : 0;
    putText(record.name, sizeof record.name, name);
    putText(record.text, sizeof record.text, text);
    return AnyRecord::of(record);
}

static AnyRecord scalarRecord(const char* name, std::int64_t step, double value, std::int64_t atNs) {
    ScalarRecord record;
    record.header.step = step;
    record.header.timeNs = kStartNs + atNs;
    record.value = value;
    putText(record.name, sizeof record.name, name);
    return AnyRecord::of(record);
}

void TestRunStore::valuesUnderTheirOwnNamesComeBack() {
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(2));
    commit(*store, 0, {scalarRecord("val_a_val_loss", 7, 2.5, 100)});
    QVERIFY(RunReader::open(storeIn(dir))->setLosses()->size() == 1);
    commit(*store, 0,
           {scalarRecord("val_b_val_loss", 7, 3.5, 110), scalarRecord("val_a_val_loss", 15, 2.25, 200),
            scalarRecord("something", 15, 1, 210), scalarRecord("", 15, 1, 220),
            scalarRecord("val_b_val_loss", -1, 1, 230)});
    commit(*store, 1, {scalarRecord("val_a_val_loss", 15, 9, 205)});
    auto reader = RunReader::open(storeIn(dir));
    const auto newest = reader->setLosses();
    QVERIFY(newest && newest->size() == 2);
    QCOMPARE((*newest)[0].tag, std::string("val_a_val_loss"));
    QCOMPARE((*newest)[0].step, std::int64_t{15});
    QCOMPARE((*newest)[0].value, 2.25);
    QCOMPARE((*newest)[1].value, 3.5);
    std::vector<ScalarRow> all;
    QVERIFY(reader->eachScalar(0, [&](const ScalarRow& row) {
        all.push_back(row);
        return Result<void>();
    }));
    QCOMPARE(all.size(), std::size_t{4});
    QCOMPARE(all[0].timeNs, std::int64_t{100});
    std::int64_t implausible = 0;
    const auto counters = reader->counters();
    QVERIFY(counters);
    for (const auto& counter : *counters)
        implausible += counter.name == "implausible" ? counter.value : 0;
    QCOMPARE(implausible, std::int64_t{2}); // one without a name, one without a step
}

void TestRunStore::checksComeBack() {
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(2));
    commit(*store, 0,
           {checkRecord("configuration", CheckStatus::Passed, "the same", 100),
            checkRecord("finite_input", CheckStatus::Passed, "fine", 300)});
    commit(*store, 1,
           {checkRecord("finite_input", CheckStatus::Failed, "2 values are NaN", 200),
            checkRecord("shards", CheckStatus::Failed, "all twice", 400, true)});
    auto reader = RunReader::open(storeIn(dir));
    const auto rows = reader->checks();
    QVERIFY(rows && rows->size() == 4);
    QCOMPARE((*rows)[0].name, std::string("configuration"));
    QCOMPARE((*rows)[1].rank, 1);
    QCOMPARE((*rows)[1].timeNs, std::int64_t{200});
    const auto summary = summarize(*rows);
    QCOMPARE(summary.size(), std::size_t{3});
    QVERIFY(summary[0].status == CheckStatus::Passed && summary[0].text == "the same" && summary[0].ranks.empty());
    QCOMPARE(summary[1].name, std::string("finite_input")); // failed on one rank: its reason is shown
    QVERIFY(summary[1].status == CheckStatus::Failed && summary[1].text == "2 values are NaN" && !summary[1].stops);
    QCOMPARE(summary[1].ranks, std::vector<int>{1});
    QVERIFY(summary[2].stops);
    // a rank that repeats a check replaces its earlier result
    commit(*store, 1, {checkRecord("finite_input", CheckStatus::Passed, "good", 500)});
    const auto again = summarize(*reader->checks());
    const auto found = std::find_if(again.begin(), again.end(), [](const auto& c) { return c.name == "finite_input"; });
    QVERIFY(found->status == CheckStatus::Passed && found->text == "rank 0: fine; rank 1: good");
    QVERIFY(exportCsv(reader->source(), dir.filePath("csv").toStdString()));
    QVERIFY(readFile(dir.filePath("csv/checks.csv").toStdString())->find("shards") != std::string::npos);
}

void TestRunStore::notFiniteValues() {
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(1));
    StepRecord bad;
    bad.header.step = 1;
    bad.flags = 3;
    bad.loss = std::nan("");
    bad.gradientNorm = INFINITY;
    StepRecord notComputed;
    notComputed.header.step = 2;
    notComputed.gradientNorm = std::nan("");
    commit(*store, 0, {AnyRecord::of(bad), AnyRecord::of(notComputed)});
    auto reader = RunReader::open(storeIn(dir));
    const auto loss = reader->series(Metric::Loss, 0, 0, 10, 10);
    QCOMPARE(loss->size(), std::size_t{2});
    QCOMPARE((*loss)[0].notFinite, 1);
    QCOMPARE((*loss)[0].count, 0);
    QVERIFY(std::isnan((*loss)[0].mean));
    QCOMPARE((*loss)[1].count, 1);
    const auto norm = reader->series(Metric::GradientNorm, 0, 0, 10, 10);
    QCOMPARE(norm->size(), std::size_t{1}); // a value that was not computed is not a point
    QCOMPARE((*norm)[0].notFinite, 1);
}

void TestRunStore::whatIsNotKnownIsNoValue() {
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(3));
    const double nan = std::nan("");
    StepRecord step;
    step.header.step = 1;
    step.loss = step.learningRate = step.gradientNorm = step.samplesPerSecond = nan;
    step.maskedFrames = -1;
    step.beginNs = step.header.timeNs = kStartNs;
    step.endNs = kStartNs + 1000;
    BatchRecord batch;
    batch.header.step = 1;
    batch.size = -1;
    batch.samplesMin = batch.samplesMax = batch.samplesSum = -1;
    batch.framesMin = batch.framesMax = batch.framesSum = batch.paddedFrames = -1;
    batch.paddingShare = nan;
    ValidationRecord validation;
    validation.header.step = 1;
    validation.loss = validation.localLoss = nan;
    validation.unmasked = validation.maskedFrames = -1;
    commit(*store, 0, {AnyRecord::of(batch), AnyRecord::of(step), AnyRecord::of(validation)});
    step.flags = 1; // known, and not a number
    batch.size = 3; // its lengths are not known
    commit(*store, 1, {AnyRecord::of(batch), AnyRecord::of(step)});
    auto reader = RunReader::open(storeIn(dir));
    for (const Metric metric : {Metric::Loss, Metric::LearningRate, Metric::GradientNorm, Metric::MaskedFrames,
                                Metric::SamplesPerSecond, Metric::BatchSize, Metric::FramesMin, Metric::FramesMean,
                                Metric::FramesMax, Metric::SamplesMax, Metric::PaddingShare})
        QVERIFY2(reader->series(metric, 0, 0, 10, 10)->empty(), info(metric).column);
    QCOMPARE(valueAt(*reader, Metric::StepTime, 0, 1), 1000.0);
    QCOMPARE(reader->series(Metric::Loss, 1, 0, 10, 10)->front().notFinite, 1);
    QCOMPARE(valueAt(*reader, Metric::BatchSize, 1, 1), 3.0);
    QVERIFY(reader->series(Metric::FramesMean, 1, 0, 10, 10)->empty());
    const auto ranks = *reader->ranks();
    QVERIFY(!ranks[0].lastLoss);
    QVERIFY(ranks[1].lastLoss && std::isnan(*ranks[1].lastLoss));
    QVERIFY(!ranks[2].lastLoss); // no step yet
    QVERIFY(!reader->validations(-1, 10)->front().known);
    const fs::path out = fs::path(dir.path().toStdString()) / "csv";
    QVERIFY(exportCsv(reader->source(), out));
    const auto steps = QString::fromStdString(*readFile(out / "steps.csv")).split("\r\n");
    QVERIFY2(steps[1].startsWith("0,1,0,0,") && steps[1].contains(",,,,,,,,,,,1000"), qPrintable(steps[1]));
    const auto rows = QString::fromStdString(*readFile(out / "validations.csv")).split("\r\n");
    QVERIFY2(rows[1].endsWith(",,,0,,"), qPrintable(rows[1]));
}

void TestRunStore::softwareAndGroupsComeBack() {
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(4));
    QVERIFY(RunReader::open(storeIn(dir))->software()->empty() && RunReader::open(storeIn(dir))->groups()->empty());
    const auto software = [](const char* name, const char* version) {
        SoftwareRecord record;
        putText(record.name, sizeof record.name, name);
        putText(record.version, sizeof record.version, version);
        record.header.timeNs = kStartNs;
        return AnyRecord::of(record);
    };
    GroupRecord group;
    group.header.timeNs = kStartNs;
    group.group = 0x7fffffff;
    group.size = 2;
    group.firstRank = 1;
    group.members[0] = 0b101;
    putText(group.name, sizeof group.name, "2");
    putText(group.backend, sizeof group.backend, "gloo");
    for (const int rank : {0, 1, 3})
        commit(*store, rank, {software("torch", rank == 3 ? "2.15.0" : "2.11.0"), software("nccl", "2.28.9")});
    commit(*store, 1, {AnyRecord::of(group)});
    commit(*store, 3, {AnyRecord::of(group), software("torch", "2.13.0")}); // each member reports the group
    auto reader = RunReader::open(storeIn(dir));
    const auto versions = *reader->software();
    QCOMPARE(versions.size(), std::size_t{3});
    QCOMPARE(versions[0].name, std::string("nccl"));
    QCOMPARE(versions[0].ranks, (std::vector<int>{0, 1, 3}));
    QCOMPARE(versions[1].version, std::string("2.11.0"));
    QCOMPARE(versions[2].version, std::string("2.13.0")); // the newest
    QCOMPARE(versions[2].ranks, std::vector<int>{3});
    const auto groups = *reader->groups();
    QCOMPARE(groups.size(), std::size_t{1});
    QCOMPARE(groups[0].number, 0x7fffffffu);
    QCOMPARE(groups[0].ranks, (std::vector<int>{1, 3}));
    QCOMPARE(groups[0].backend, std::string("gloo"));
    const fs::path out = fs::path(dir.path().toStdString()) / "csv";
    QVERIFY(exportCsv(reader->source(), out));
    QVERIFY(readFile(out / "groups.csv")->ends_with("\"[1,3]\"\r\n"));
    QVERIFY(readFile(out / "software.csv")->ends_with("3,torch,2.13.0\r\n"));
}

static diagnosis::Incident incident() {
    diagnosis::Incident i;
    i.id = 1;
    i.cause = diagnosis::Cause::DataLoading;
    i.phase = Phase::DataWait;
    i.holders = {1};
    i.waiters = {0, 2};
    i.collective = {"gradient:0", CollectiveOp::AllReduce, 0, 77, true};
    i.step = 12;
    i.openedNs = kStartNs + 1000;
    i.detectedNs = kStartNs + 3000;
    i.remedy = {"Try num_workers: 4", "model.train_ds.num_workers", "4"};
    i.evidence = diagnosis::evidenceFromJson({{"file", "a \"b\".wav"}, {"waited_s", 2.5}});
    return i;
}

void TestRunStore::incidentsComeBack() {
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(3));
    auto open = incident();
    diagnosis::Transition transition{diagnosis::Transition::TransitionKind::Opened, open};
    QVERIFY(store->commit({}, {&transition, 1}));
    auto reader = RunReader::open(storeIn(dir));
    auto back = reader->incidents();
    QVERIFY(back);
    QCOMPARE(back->size(), std::size_t{1});
    const diagnosis::Incident& b = back->front();
    QCOMPARE(b.id, 1);
    QVERIFY(b.cause == diagnosis::Cause::DataLoading && b.phase == Phase::DataWait);
    QCOMPARE(b.holders, open.holders);
    QCOMPARE(b.waiters, open.waiters);
    QVERIFY(b.collective.known && b.collective.tag == "gradient:0" && b.collective.sequence == 77);
    QCOMPARE(b.step, 12);
    QCOMPARE(b.openedNs, open.openedNs);
    QCOMPARE(b.detectedNs, open.detectedNs);
    QCOMPARE(b.closedNs, 0);
    QVERIFY(b.closed == diagnosis::CloseReason::Open);
    QCOMPARE(b.remedy.key, open.remedy.key);
    QVERIFY(b.evidence == open.evidence);
    transition.kind = diagnosis::Transition::TransitionKind::Closed;
    transition.incident.closedNs = kStartNs + 9000;
    transition.incident.closed = diagnosis::CloseReason::Recovered;
    transition.incident.evidence = diagnosis::evidenceFromJson({{"log", "bad \xff bytes"}}); // any bytes are possible
    QVERIFY(store->commit({}, {&transition, 1}));
    back = reader->incidents();
    QCOMPARE(back->size(), std::size_t{1});
    QCOMPARE(back->front().closedNs, kStartNs + 9000);
    QVERIFY(back->front().closed == diagnosis::CloseReason::Recovered);
}

void TestRunStore::incidentsOfASecondWriter() {
    QTemporaryDir dir;
    const diagnosis::Transition opened{diagnosis::Transition::TransitionKind::Opened, incident()};
    {
        auto store = RunWriter::open(storeIn(dir), meta(3));
        QVERIFY(store->commit({}, {&opened, 1}));
    }
    auto store = RunWriter::reopen(storeIn(dir));
    QVERIFY(store->commit({}, {&opened, 1})); // the new detector counts from 1 again
    QVERIFY(store->finish());
    auto reader = RunReader::open(storeIn(dir));
    const auto back = reader->incidents();
    QCOMPARE(back->size(), std::size_t{2});
    for (const auto& i : *back) {
        QVERIFY(i.closed == diagnosis::CloseReason::RunEnded); // no detector is left to close them
        QVERIFY(i.closedNs >= i.detectedNs);
    }
}

void TestRunStore::notesOfRanksAndSupervisor() {
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(2));
    NoteRecord note;
    note.header.step = 3;
    note.header.timeNs = kStartNs + 30;
    note.severity = NoteSeverity::Warning;
    putText(note.text, sizeof note.text, "skipped a.wav");
    commit(*store, 1, {AnyRecord::of(note)});
    QVERIFY(store->note(NoteSeverity::Error, "rank 1 ended", kStartNs + 50));
    auto reader = RunReader::open(storeIn(dir));
    const auto notes = reader->notes(0, 10);
    QCOMPARE(notes->size(), std::size_t{2});
    QCOMPARE((*notes)[0].text, std::string("skipped a.wav"));
    QCOMPARE((*notes)[0].rank, 1);
    QCOMPARE((*notes)[0].timeNs, 30);
    QCOMPARE((*notes)[1].rank, -1);
    QCOMPARE((*notes)[1].severity, NoteSeverity::Error);
    QCOMPARE(reader->notes((*notes)[0].id, 10)->size(), std::size_t{1});
    QCOMPARE(reader->notes(0, 1)->size(), std::size_t{1});
}

void TestRunStore::countersAreDifferences() {
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(1));
    RunWriter::Chunk c;
    c.counters = {10, 2, 0, 1, 0};
    QVERIFY(store->commit({&c, 1}, {}));
    c.counters = {20, 5, 1, 1, 0};
    QVERIFY(store->commit({&c, 1}, {}));
    QVERIFY(store->commit({&c, 1}, {})); // nothing new
    c.counters = {1, 1, 0, 0, 0};        // a new reader starts from 0
    QVERIFY(store->commit({&c, 1}, {}));
    QCOMPARE(counter(storeIn(dir), "malformed"), 6);
    QCOMPARE(counter(storeIn(dir), "unknown"), 1);
    QCOMPARE(counter(storeIn(dir), "torn"), 1);
}

void TestRunStore::implausibleRecordsAreCounted() {
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(1));
    StepRecord far;
    far.header.step = INT64_MAX;
    StepRecord negative;
    negative.header.step = -9;
    PhaseRecord never;
    never.header.step = 1;
    never.phase = Phase::Forward;
    never.beginNs = INT64_MIN, never.endNs = INT64_MAX;
    CollectiveRecord absurd;
    absurd.header.step = 1;
    absurd.arrivedNs = INT64_MAX;
    commit(
        *store, 0,
        {AnyRecord::of(far), AnyRecord::of(negative), AnyRecord::of(never), AnyRecord::of(absurd), stepRecord(1, 1)});
    QVERIFY(store->finish());
    QCOMPARE(counter(storeIn(dir), "implausible"), 4);
    QCOMPARE((*RunReader::open(storeIn(dir))->ranks())[0].lastStep, 1);
}

void TestRunStore::readerSeesCommitsWhileItIsOpen() {
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(1));
    auto reader = RunReader::open(storeIn(dir));
    QVERIFY(reader);
    for (std::int64_t step = 0; step < 20; ++step) {
        const auto before = reader->version();
        QCOMPARE(reader->version(), before);
        commit(*store, 0, {stepRecord(step, 1.0)});
        QVERIFY(reader->version() != before);
        QCOMPARE(reader->series(Metric::Loss, 0, 0, 100, 100)->size(), static_cast<std::size_t>(step + 1));
    }
}

void TestRunStore::csvFiles() {
    QTemporaryDir dir;
    Options options;
    options.steps = 5;
    const Stream stream = makeStream(options);
    auto store = RunWriter::open(storeIn(dir), meta(2));
    QVERIFY(commitAll(*store, stream, 1));
    StepRecord bad;
    bad.header.step = 5;
    bad.flags = 1;
    bad.loss = std::nan("");
    commit(*store, 0, {AnyRecord::of(bad)});
    QVERIFY(store->note(NoteSeverity::Info, "a, \"b\"\nc", kStartNs));
    auto reader = RunReader::open(storeIn(dir));
    const fs::path out = fs::path(dir.path().toStdString()) / "csv";
    QVERIFY(exportCsv(reader->source(), out));
    const auto linesOf = [&](const char* name) {
        const auto text = readFile(out / name);
        return QString::fromStdString(text ? *text : "").split("\r\n", Qt::SkipEmptyParts);
    };
    const auto steps = linesOf("steps.csv");
    QCOMPARE(steps.size(), 1 + 10 + 1);
    QVERIFY(steps[0].startsWith("rank,step,epoch,flags,begin_ns,end_ns,loss,learning_rate"));
    const auto cells = steps[1].split(',');
    QCOMPARE(cells.size(), steps[0].split(',').size());
    QCOMPARE(cells[6].toDouble(), stream.loss.at({0, 0}));
    QCOMPARE(cells[steps[0].split(',').indexOf("wait_ns")].toDouble(),
             static_cast<double>(stream.waits.at({0, 0, ""})));
    QCOMPARE(steps[6].split(',')[6], QString("nan"));
    const auto collectives = linesOf("collectives.csv");
    QCOMPARE(collectives.size(), 1 + 2 * 5 * 7);
    QVERIFY(collectives[1].contains("all-reduce") && collectives[1].contains("sync_max_audio_length"));
    QCOMPARE(linesOf("phases.csv").size(), 1 + 10);
    QCOMPARE(linesOf("incidents.csv").size(), 1);
    QVERIFY(readFile(out / "notes.csv")->find("\"a, \"\"b\"\"\nc\"") != std::string::npos);
}

RANKSCOPE_TEST(TestRunStore)
#include "tst_run_writer.moc"
