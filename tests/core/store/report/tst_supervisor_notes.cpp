// SPDX-License-Identifier: Apache-2.0
#include "core/store/report/supervisor_notes.h"
#include "core/telemetry/format/note_markers.h"
#include "tests/core/store/synthetic.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

using namespace rankscope;
using namespace rankscope::store;
using namespace synthetic;
using telemetry::NoteSeverity;

class TestSupervisorNotes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void onlyTheSupervisorsNotesThatBeginSo() {
        QTemporaryDir dir;
        const std::filesystem::path file = dir.filePath("run.sqlite").toStdString();
        const std::string sent = std::string(telemetry::kAlertOfRecipe) + "told of incident 1 open";
        const std::string failed = std::string(telemetry::kAlertOfCommandLine) + "could not be started";
        auto store = take(RunWriter::open(file, meta(2)));
        QVERIFY(store.note(NoteSeverity::Info, sent, kStartNs + 10));
        QVERIFY(store.note(NoteSeverity::Warning, "something else", kStartNs + 20));
        telemetry::NoteRecord ofRank;
        ofRank.header.timeNs = kStartNs + 25;
        telemetry::putText(ofRank.text, sizeof ofRank.text, sent); // a rank may write anything
        commit(store, 1, {AnyRecord::of(ofRank)});
        QVERIFY(store.note(NoteSeverity::Warning, failed, kStartNs + 30));
        auto reader = take(RunReader::open(file));
        const auto alerts = take(alertNotes(reader.source()));
        QCOMPARE(alerts.size(), std::size_t{2});
        QCOMPARE(alerts[0].text, sent);
        QCOMPARE(alerts[0].timeNs, 10);
        QCOMPARE(alerts[0].rank, -1);
        QCOMPARE(alerts[1].text, failed);
        QCOMPARE(alerts[1].severity, NoteSeverity::Warning);
        QCOMPARE(take(supervisorNotes(reader.source(), {"something"})).size(), std::size_t{1});
        QVERIFY(take(supervisorNotes(reader.source(), {"nothing"})).empty());
    }

    /// A damaged file may have any number of rows; notes of ranks do not count.
    void onlySoManyNotesAreExamined() {
        QTemporaryDir dir;
        const std::filesystem::path file = dir.filePath("run.sqlite").toStdString();
        auto store = take(RunWriter::open(file, meta(2)));
        for (int i = 0; i < 4; ++i) {
            telemetry::NoteRecord ofRank;
            ofRank.header.timeNs = kStartNs + i;
            telemetry::putText(ofRank.text, sizeof ofRank.text, "note of a rank");
            commit(store, 1, {AnyRecord::of(ofRank)});
            QVERIFY(store.note(NoteSeverity::Info, "note " + std::to_string(i), kStartNs + i));
        }
        auto reader = take(RunReader::open(file));
        const auto first = take(supervisorNotes(reader.source(), {"note"}, 3));
        QCOMPARE(first.size(), std::size_t{3});
        QCOMPARE(first.back().text, std::string("note 2"));
        QCOMPARE(take(supervisorNotes(reader.source(), {"note 3"}, 3)).size(), std::size_t{0});
        QCOMPARE(take(supervisorNotes(reader.source(), {"note 3"})).size(), std::size_t{1});
        const auto after = take(reader.notes(first.front().id, 10, FactReader::NotesOf::Supervisor));
        QCOMPARE(after.size(), std::size_t{3});
        QCOMPARE(take(reader.notes(0, 100)).size(), std::size_t{8});
    }

    /// A time without a supervisor is a note for people, and an interval for the plots.
    void timeThatWasNotWatched() {
        QTemporaryDir dir;
        const std::filesystem::path file = dir.filePath("run.sqlite").toStdString();
        auto store = take(RunWriter::open(file, meta(2)));
        QVERIFY(take(take(RunReader::open(file)).unwatched()).empty()); // most stores have no such table
        const std::string text = std::string(telemetry::kNotWatched) + "from 40 ns to 70 ns";
        QVERIFY(store.noteUnwatched({kStartNs + 40, kStartNs + 70}, text));
        QVERIFY(store.noteUnwatched({kStartNs + 10, kStartNs + 20}, text));
        auto reader = take(RunReader::open(file));
        const std::vector<diagnosis::TimeSpan> expected{{10, 20}, {40, 70}};
        QVERIFY(take(reader.unwatched()) == expected);
        const auto notes = take(supervisorNotes(reader.source(), {telemetry::kNotWatched}));
        QCOMPARE(notes.size(), std::size_t{2});
        QCOMPARE(notes[0].text, text);
        QCOMPARE(notes[0].timeNs, 70);
    }
};

RANKSCOPE_TEST(TestSupervisorNotes)
#include "tst_supervisor_notes.moc"
