// SPDX-License-Identifier: GPL-3.0-or-later
// Another user's run may have any name: Qt must not treat a tool tip as markup, or it would load the pictures that it
// names.
#include "tests/support/test_runner.h"
#include "widgets/models/logs/log_model.h"
#include "widgets/models/tables/check_model.h"
#include "widgets/models/tables/incident_model.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/runs/panel/run_list_model.h"
#include "widgets/runs_page/curves/run_names.h"
#include "widgets/runs_page/table/run_table_model.h"

#include <QTest>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextFragment>

using namespace rankscope;
using namespace rankscope::ui;

static const QString kEvil = QStringLiteral("<img src='/tmp/fifo'> & see");

/// Returns what Qt shows of a tip, and checks that it contains no picture.
static QString shown(const QString& tip) {
    if (!Qt::mightBeRichText(tip))
        return tip;
    QTextDocument document;
    document.setHtml(tip);
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
        for (auto at = block.begin(); !at.atEnd(); ++at)
            if (at.fragment().charFormat().isImageFormat() || at.fragment().charFormat().isAnchor())
                return QStringLiteral("a picture");
    return document.toPlainText();
}

static QString tipOf(const QAbstractItemModel& model, int row, int column) {
    return shown(model.index(row, column).data(Qt::ToolTipRole).toString());
}

class ToolTips : public QObject {
    Q_OBJECT

    static RunRow evilRow() {
        RunRow row;
        row.paths.dir = "/runs/20260101-000000-x-0001";
        row.info.id = "20260101-000000-x-0001";
        row.info.name = row.info.host = kEvil.toStdString();
        row.info.cause = row.info.name;
        row.info.state = launch::RunState::Failed;
        row.marks.note = "line\n" + kEvil.toStdString();
        row.marks.tags = {kEvil.toStdString()};
        return row;
    }

private Q_SLOTS:
    void textStaysAsItIs_data() {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"plain", "a < b", "a\n  b", "x &lt;b&gt;", "&amp; alone", "<b>bold</b>", "<?xml version='1'?><p>",
              "<!DOCTYPE html>", "line\n<table>", "<div style=\"white-space:pre-wrap\"><img src='x'></div>"})
            QTest::newRow(text) << QString::fromUtf8(text);
        QTest::newRow("picture") << kEvil;
    }
    void textStaysAsItIs() {
        QFETCH(QString, text);
        const QString tip = plainToolTip(text);
        QCOMPARE(shown(tip), text);
        if (!Qt::mightBeRichText(text) && !text.contains('<') && !text.contains("&lt;"))
            QCOMPARE(tip, text);
    }
    void ofRuns() {
        RunTableModel table;
        table.setColumns(builtinFields());
        table.setRows({evilRow()});
        bool named = false;
        for (int column = 0; column < table.columnCount(); ++column) {
            const QString tip = tipOf(table, 0, column);
            QVERIFY(tip != QStringLiteral("a picture"));
            named |= tip == kEvil;
        }
        QVERIFY(named);
        RunListModel list;
        list.setRows({evilRow()});
        QVERIFY(tipOf(list, 0, 0).contains(kEvil));
        QVERIFY(shown(plainToolTip(runTip(evilRow()))).contains(kEvil));
    }
    void ofIncidentsChecksAndLogs() {
        diagnosis::Incident incident;
        incident.id = 1;
        incident.holders = {1};
        incident.waiters = {0};
        incident.collective = {kEvil.toStdString(), telemetry::CollectiveOp::AllReduce, 0, 1, true};
        incident.cause = diagnosis::Cause::DataLoading;
        incident.remedy.text = kEvil.toStdString();
        incident.openedNs = 1;
        incident.detectedNs = 2;
        IncidentModel incidents;
        incidents.setIncidents({incident}, 3, 0, 0);
        QVERIFY2(tipOf(incidents, 0, 0).contains(kEvil), qPrintable(tipOf(incidents, 0, 0)));
        CheckModel checks;
        const store::CheckSummary check{"first_batch", telemetry::CheckStatus::Failed, false, {}, kEvil.toStdString()};
        checks.setChecks({check});
        QVERIFY(tipOf(checks, 0, 0).contains(kEvil));
        LogModel logs(10);
        LogLine line;
        line.text = kEvil + QString(200, u'x');
        logs.replace({line});
        QCOMPARE(tipOf(logs, 0, LogModel::TextColumn), line.text);
    }
};

RANKSCOPE_GUI_TEST(ToolTips)
#include "tst_tool_tips.moc"
