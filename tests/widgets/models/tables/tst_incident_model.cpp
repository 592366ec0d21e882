// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "widgets/models/failure/run_failure.h"
#include "widgets/models/tables/incident_model.h"
#include "widgets/models/text/evidence_rows.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;
using diagnosis::Cause;
using diagnosis::Incident;
using diagnosis::RankState;

static Incident incident(std::int64_t id, bool open) {
    Incident in;
    in.id = id;
    in.cause = Cause::DataLoading;
    in.phase = telemetry::Phase::DataWait;
    in.holders = {1};
    in.waiters = {0, 2};
    in.collective = {"sync_max_audio_length", telemetry::CollectiveOp::AllReduce, 0, 512, true};
    in.step = 40 + id;
    in.openedNs = 1'000'000'000 * id;
    in.detectedNs = in.openedNs + 2'000'000'000;
    if (!open) {
        in.closedNs = in.openedNs + 3'200'000'000;
        in.closed = diagnosis::CloseReason::Recovered;
    }
    return in;
}

class TestIncidentModel : public QObject {
    Q_OBJECT
private slots:
    void rowsComeAndChangeInRanges();
    void openOnesCountUp();
    void ofALaggingStoreNoneIsKnownToBeOpen();
    void rowsThatVanish();
    void columns();
    void aStopIsTheUsersEverywhere();
    void itsMarkSaysHowItEnded();
    void evidenceHasUnits();
    void evidenceTellsATimeOnce();
    void evidenceOfASender();
    void evidenceOfAnyShape();
    void endedTiles();
};

void TestIncidentModel::rowsComeAndChangeInRanges() {
    IncidentModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted), changed(&model, &QAbstractItemModel::dataChanged),
        reset(&model, &QAbstractItemModel::modelReset);
    model.setIncidents({incident(1, false), incident(2, true)}, 9'000'000'000, 0, 0);
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.incident(0)->id, std::int64_t{2}); // newest first
    QCOMPARE(model.rowOf(1), 1);
    model.setIncidents({incident(1, false), incident(2, false), incident(3, true)}, 9'000'000'000, 0, 0);
    QCOMPARE(inserted.size(), 2);
    QCOMPARE(inserted[1][1].toInt(), 0);
    QCOMPARE(inserted[1][2].toInt(), 0);
    QCOMPARE(changed.size(), 1); // only incident 2 closed
    QCOMPARE(changed[0][0].toModelIndex().row(), 1);
    QCOMPARE(reset.size(), 0);
}

void TestIncidentModel::openOnesCountUp() {
    IncidentModel model;
    model.setIncidents({incident(1, true)}, 3'000'000'000, 0, 0);
    const auto duration = [&] { return model.index(0, IncidentModel::DurationColumn).data().toString(); };
    QCOMPARE(duration(), QStringLiteral("2.0 s"));
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.setIncidents({incident(1, true)}, 5'500'000'000, 0, 0);
    QCOMPARE(duration(), QStringLiteral("4.5 s"));
    QCOMPARE(changed.size(), 1);
    model.setIncidents({incident(1, false)}, 99'000'000'000, 0, 0);
    QCOMPARE(duration(), QStringLiteral("3.2 s")); // closed: it no longer grows
}

void TestIncidentModel::ofALaggingStoreNoneIsKnownToBeOpen() {
    IncidentModel model;
    model.setIncidents({incident(1, false), incident(2, true)}, 3'000'000'000, 0, 0);
    const auto state = [&](int row) { return model.index(row, IncidentModel::StateColumn).data().toString(); };
    const QString open = state(0), recovered = state(1);
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.setOutdated(true);
    QCOMPARE(state(0), QStringLiteral("Last recorded as open"));
    QCOMPARE(state(1), recovered);
    QCOMPARE(changed.size(), 1);
    model.setOutdated(false);
    QCOMPARE(state(0), open);
}

void TestIncidentModel::rowsThatVanish() {
    IncidentModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setIncidents({incident(1, false), incident(2, false), incident(3, false)}, 0, 0, 0);
    model.setIncidents({incident(1, false), incident(3, false)}, 0, 0, 0);
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.rowOf(2), -1);
    QVERIFY(!model.incident(7));
    model.setIncidents({}, 0, 0, 0);
    QCOMPARE(model.rowCount(), 0);
}

void TestIncidentModel::columns() {
    IncidentModel model;
    model.setIncidents({incident(1, false)}, 0, 0, 0);
    const auto text = [&](int column) { return model.index(0, column).data().toString(); };
    QCOMPARE(text(IncidentModel::StateColumn), QStringLiteral("Recovered"));
    QCOMPARE(text(IncidentModel::CauseColumn), QStringLiteral("Data loading"));
    QCOMPARE(text(IncidentModel::HolderColumn), QStringLiteral("rank 1"));
    QCOMPARE(text(IncidentModel::PhaseColumn), QStringLiteral("data_wait"));
    QCOMPARE(text(IncidentModel::CollectiveColumn), QStringLiteral("sync_max_audio_length"));
    QCOMPARE(text(IncidentModel::StepColumn), QStringLiteral("41"));
    QCOMPARE(model.index(0, IncidentModel::DurationColumn).data(IncidentModel::SortRole).toLongLong(), 3'200'000'000);
    for (int c = 0; c < IncidentModel::ColumnCount; ++c)
        QVERIFY(!model.headerData(c, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
}

/// The same words as in the reason for which the run ended, "stopped by the user after 29 steps".
void TestIncidentModel::aStopIsTheUsersEverywhere() {
    IncidentModel model;
    Incident in = incident(1, false);
    in.closed = diagnosis::CloseReason::StoppedByUser;
    model.setIncidents({in}, 9'000'000'000, 0, 0);
    QCOMPARE(model.index(0, IncidentModel::StateColumn).data().toString(), QStringLiteral("Stopped by the user"));
}

/// The tick of a finished run is no incident's mark.
void TestIncidentModel::itsMarkSaysHowItEnded() {
    const auto mark = [](diagnosis::CloseReason closed, std::int64_t fatalId = 0) {
        Incident in = incident(1, closed != diagnosis::CloseReason::Open);
        in.closed = closed;
        IncidentModel model;
        model.setIncidents({in}, 9'000'000'000, 0, 0, fatalId);
        return static_cast<RankState>(model.index(0, 0).data(IncidentModel::MarkRole).toInt());
    };
    QCOMPARE(mark(diagnosis::CloseReason::Open), RankState::Holder);
    QCOMPARE(mark(diagnosis::CloseReason::Recovered), RankState::Computing);
    QCOMPARE(mark(diagnosis::CloseReason::StoppedByUser), RankState::Stopped);
    QCOMPARE(mark(diagnosis::CloseReason::RunEnded), RankState::Unknown);
    QCOMPARE(mark(diagnosis::CloseReason::RunEnded, 1), RankState::Dead);
}

void TestIncidentModel::evidenceHasUnits() {
    const nlohmann::json evidence{{"reading", "utt_0412.flac"},
                                  {"reading_s", 3.44},
                                  {"holder_longest_frames", 2000},
                                  {"holder_longest_samples", 320'000},
                                  {"others_longest_samples", 1600},
                                  {"used_bytes", 3 << 20},
                                  {"layer", -1},
                                  {"place", "none"},
                                  {"out_of_memory", false},
                                  {"last_lines", "a\nb"},
                                  {"what_zh", "损失"},
                                  {"odd_new_key", 7}};
    const auto rows = evidenceRows(diagnosis::evidenceFromJson(evidence));
    const auto value = [&](const char* key) {
        for (const auto& row : rows)
            if (row.key == QLatin1String(key))
                return row.value;
        return QString();
    };
    QCOMPARE(rows.front().key, QStringLiteral("reading"));
    QCOMPARE(value("reading_s"), QStringLiteral("3.4 s"));
    QCOMPARE(value("holder_longest_frames"), QStringLiteral("2,000 frames (320,000 samples)"));
    QVERIFY(value("holder_longest_samples").isNull());
    QCOMPARE(value("others_longest_samples"), QStringLiteral("1,600 samples"));
    QCOMPARE(value("used_bytes"), QStringLiteral("3.15 MB"));
    QCOMPARE(value("odd_new_key"), QStringLiteral("7"));
    for (const char* said_nothing : {"layer", "place", "out_of_memory", "what_zh"})
        QVERIFY(value(said_nothing).isNull());
    for (const auto& row : rows) {
        QVERIFY(!row.label.isEmpty());
        QCOMPARE(row.block, row.key == QStringLiteral("last_lines"));
    }
}

void TestIncidentModel::evidenceTellsATimeOnce() {
    const auto keys = [](const nlohmann::json& evidence, bool isMain) {
        QStringList names;
        for (const auto& row : evidenceRows(diagnosis::evidenceFromJson(evidence)))
            if (row.isMain == isMain)
                names << row.key;
        return names.join(u' ');
    };
    nlohmann::json evidence{{"reading", "a.flac"}, {"reading_s", 24.8}, {"holder_phase_s", 25.0},
                            {"lasted_s", 25.1},    {"pid", 4711},       {"odd_new_key", 7}};
    QCOMPARE(keys(evidence, true), QStringLiteral("reading lasted_s"));
    QCOMPARE(keys(evidence, false), QStringLiteral("pid odd_new_key"));
    evidence["reading_s"] = 3.0;
    QCOMPARE(keys(evidence, true), QStringLiteral("reading reading_s lasted_s"));
    evidence["holder_phase_s"] = 3.1;
    QCOMPARE(keys(evidence, true), QStringLiteral("reading holder_phase_s lasted_s"));
}

void TestIncidentModel::evidenceOfASender() {
    nlohmann::json evidence{{"signal_name", "SIGTERM"}, {"sender", "process"}, {"sender_pid", 4711},
                            {"sender_program", "sh"},   {"sender_user", "me"}, {"sender_uid", 1000},
                            {"threshold_s", 0.0}};
    const auto keys = [&] {
        QStringList names;
        for (const auto& row : evidenceRows(diagnosis::evidenceFromJson(evidence)))
            names << row.key + QLatin1Char(' ') + row.value;
        return names.join(QLatin1String(", "));
    };
    QCOMPARE(keys(), QStringLiteral("signal_name SIGTERM, sender_program sh, sender_pid 4711, sender_user me"));
    evidence = {{"signal_name", "SIGXCPU"}, {"sender", "kernel"}};
    QCOMPARE(keys(), QStringLiteral("signal_name SIGXCPU, sender kernel"));
}

void TestIncidentModel::evidenceOfAnyShape() {
    const auto sample = evidenceRows(diagnosis::evidenceFromJson({{"reading", "Sounds[7]"}, {"typical_step_s", 0.0}}));
    QCOMPARE(sample.size(), 1);
    QCOMPARE(sample.front().label, QStringLiteral("Sample"));
    QVERIFY(evidenceRows({}).isEmpty());
    QVERIFY(evidenceRows(diagnosis::evidenceFromJson(nlohmann::json::array({1, 2, 3}))).isEmpty());
    const nlohmann::json odd{{"reading_s", "text"}, {"pid", nlohmann::json::array({1})},
                             {"layer", "x"},        {"place", 3},
                             {"held_s", 1e300},     {"lasted_s", nullptr}};
    QCOMPARE(evidenceRows(diagnosis::evidenceFromJson({{"batch_size", 1}})).front().value,
             QStringLiteral("1 utterance"));
    QCOMPARE(evidenceRows(diagnosis::evidenceFromJson({{"batch_size", 4}})).front().value,
             QStringLiteral("4 utterances"));
    QCOMPARE(evidenceRows(diagnosis::evidenceFromJson({{"paused", "machine"}})).front().value,
             QStringLiteral("the machine"));
    QCOMPARE(evidenceRows(diagnosis::evidenceFromJson({{"paused", "other"}})).front().value, QStringLiteral("other"));
    for (const auto& row : evidenceRows(diagnosis::evidenceFromJson(odd)))
        QVERIFY(!row.value.isEmpty());
}

void TestIncidentModel::endedTiles() {
    store::RankSummary s;
    s.rank = 1;
    s.lastStep = 411;
    using launch::RunState;
    const auto words = [&](RunState state, const std::vector<Incident>& incidents) {
        return QString::fromStdString(endedStatus(s, state, incidents).words.english());
    };
    s.ended = true;
    QCOMPARE(endedStatus(s, RunState::Finished, {}).state, RankState::Finished);
    QCOMPARE(words(RunState::Finished, {}), QStringLiteral("412 steps"));
    s.endCause = telemetry::EndCause::Stopped;
    QCOMPARE(words(RunState::Stopped, {}), QStringLiteral("stopped after 412 steps"));
    Incident asked = incident(1, false);
    asked.cause = Cause::AskedToLeave;
    QCOMPARE(words(RunState::Stopped, {asked}), QStringLiteral("asked to leave after 412 steps"));
    asked.holders = {0};
    QCOMPARE(words(RunState::Stopped, {asked}), QStringLiteral("left with the others after 412 steps"));
    s.ended = false;
    Incident dead = incident(1, false);
    dead.cause = Cause::Dead;
    dead.evidence = diagnosis::evidenceFromJson({{"exit_code", 139}, {"signal_name", "SIGSEGV"}});
    QCOMPARE(endedStatus(s, RunState::Failed, {dead}).state, RankState::Dead);
    dead.step = 412; // the step in which it died follows the last one that it finished
    QCOMPARE(words(RunState::Failed, {dead}), QStringLiteral("exit 139 (SIGSEGV) at step 412"));
    // evidence is data and may have any type
    dead.evidence = diagnosis::evidenceFromJson({{"exit_code", "unknown"}, {"signal_name", 9}});
    QCOMPARE(words(RunState::Failed, {dead}), QStringLiteral("process gone at step 412"));
    s.rank = 0; // a rank that did not cause it
    QCOMPARE(endedStatus(s, RunState::Failed, {dead}).state, RankState::Unknown);
    QCOMPARE(words(RunState::Failed, {dead}), QStringLiteral("ended with the run after 412 steps"));
    s.lastStep = -1; // nothing can be read about it
    QCOMPARE(endedStatus(s, RunState::Failed, {}, 0).state, RankState::Dead);
    QCOMPARE(QString::fromStdString(endedStatus(s, RunState::Failed, {}, 0).words.english()),
             QStringLiteral("ended, and the run with it"));
}

RANKSCOPE_CORE_TEST(TestIncidentModel)
#include "tst_incident_model.moc"
