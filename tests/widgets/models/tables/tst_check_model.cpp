// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "widgets/models/tables/check_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;
using store::CheckSummary;
using telemetry::CheckStatus;

class TestCheckModel : public QObject {
    Q_OBJECT
private slots:
    void rowsFollowTheChecks() {
        CheckModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy inserted(&model, &CheckModel::rowsInserted), changed(&model, &CheckModel::dataChanged);
        const CheckSummary same{"configuration", CheckStatus::Passed, false, {}, "the same"};
        CheckSummary batch{"first_batch", CheckStatus::Passed, false, {}, "[2, 80, 300]"};
        model.setChecks({same});
        model.setChecks({same, batch});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(inserted.size(), 2);
        QCOMPARE(changed.size(), 0);
        batch.status = CheckStatus::Failed;
        batch.stops = true;
        model.setChecks({same, batch});
        QCOMPARE(changed.size(), 1);
        QCOMPARE(changed[0][0].toModelIndex().row(), 1);
        QCOMPARE(model.count(CheckStatus::Passed), 1);
        QCOMPARE(model.count(CheckStatus::Failed), 1);
        const auto cell = [&](int row, int column) { return model.index(row, column).data().toString(); };
        QCOMPARE(cell(0, CheckModel::CheckColumn), QStringLiteral("Configuration"));
        QCOMPARE(cell(0, CheckModel::ResultColumn), QStringLiteral("passed"));
        QCOMPARE(cell(1, CheckModel::ResultColumn), QStringLiteral("failed, ended the run"));
        QCOMPARE(cell(1, CheckModel::FoundColumn), QStringLiteral("[2, 80, 300]"));
        QCOMPARE(model.index(1, 0).data(CheckModel::StatusRole).toInt(), static_cast<int>(CheckStatus::Failed));
        model.setChecks({});
        QCOMPARE(model.rowCount(), 0);
    }

    void titlesAreAlignedAsTheirColumns() {
        CheckModel model;
        for (int column = 0; column < model.columnCount(); ++column)
            QCOMPARE(model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt(),
                     static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter));
    }

    void anUnknownNameStaysAsItIs() {
        QCOMPARE(checkTitle("of_tomorrow"), QStringLiteral("of_tomorrow"));
        QCOMPARE(checkStatusText(CheckStatus::Skipped), QStringLiteral("skipped"));
    }
};

RANKSCOPE_CORE_TEST(TestCheckModel)
#include "tst_check_model.moc"
