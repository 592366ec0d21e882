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
};

RANKSCOPE_TEST(TestSupervisorNotes)
#include "tst_supervisor_notes.moc"
