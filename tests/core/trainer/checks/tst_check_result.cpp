// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/checks/check_result.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope;
using namespace rankscope::trainer;
using telemetry::CheckStatus;

class TestCheckResult : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theFirstThatStopsIsTheReason() {
        std::vector<CheckResult> results{CheckResult::passed("a", "fine"), CheckResult::failed("b", false, "slower"),
                                         CheckResult::skipped("c", "one rank")};
        QVERIFY(stopReason(results));
        results.push_back(CheckResult::failed("d", true, "x is 1 on rank 0 and 2 on rank 1"));
        results.push_back(CheckResult::failed("e", true, "later"));
        const auto reason = stopReason(results);
        QVERIFY(!reason);
        QCOMPARE(reason.error().code, Errc::BadInput);
        QCOMPARE(reason.error().message(), std::string("check d: x is 1 on rank 0 and 2 on rank 1"));
    }

    void recordsSayTheSame() {
        const auto record = recordOf(CheckResult::failed("shards", true, "2 of 4"));
        QCOMPARE(record.status, CheckStatus::Failed);
        QCOMPARE(record.stops, std::uint8_t{1});
        QCOMPARE(telemetry::getText(record.name, sizeof record.name), std::string_view("shards"));
        QCOMPARE(telemetry::getText(record.text, sizeof record.text), std::string_view("2 of 4"));
        // a check can stop a run only if it failed
        CheckResult odd = CheckResult::passed("x", "");
        odd.stops = true;
        QCOMPARE(recordOf(odd).stops, std::uint8_t{0});
    }

    void resultsCrossTheWire() {
        const std::vector<CheckResult> results{CheckResult::passed("a", "\"quoted\"\n"),
                                               CheckResult::failed("b", true, "\xff bad byte"),
                                               CheckResult::skipped("c", "")};
        const auto back = decodeResults(encodeResults(results), "rank 0");
        QVERIFY(back);
        QCOMPARE(back->size(), std::size_t{3});
        QVERIFY((*back)[0] == results[0]);
        QVERIFY((*back)[2] == results[2]);
        QCOMPARE((*back)[1].status, CheckStatus::Failed);
        QVERIFY((*back)[1].stops);
    }

    void foreignTextIsRefused_data() {
        QTest::addColumn<QByteArray>("text");
        for (const char* text :
             {"", "{}", "[1]", "[[\"a\",0,false]]", "[[\"a\",3,false,\"t\"]]", "[[\"a\",-1,false,\"t\"]]",
              "[[1,0,false,\"t\"]]", "[[\"a\",0,0,\"t\"]]", "[[\"a\",0,false,7]]", "[[\"a\",0,false"})
            QTest::newRow(*text ? text : "empty") << QByteArray(text);
    }
    void foreignTextIsRefused() {
        QFETCH(QByteArray, text);
        const auto back =
            decodeResults(std::string_view(text.constData(), static_cast<std::size_t>(text.size())), "rank 0");
        QVERIFY(!back);
        QCOMPARE(back.error().code, Errc::Malformed);
        QCOMPARE(back.error().where, std::string("rank 0"));
    }
};

RANKSCOPE_TEST(TestCheckResult)
#include "tst_check_result.moc"
