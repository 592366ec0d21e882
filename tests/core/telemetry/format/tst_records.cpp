// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/format/records.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <set>
#include <string>

using namespace rankscope::telemetry;

class TestRecords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void phaseNamesAreDistinct();
    void namesOfValuesOutOfRange();
    void textIsCutAtACharacter();
    void textFillsItsFieldWithoutAnEnd();
    void sizesOfKnownTypes();
};

void TestRecords::phaseNamesAreDistinct() {
    std::set<std::string_view> names;
    for (int i = 0; i < static_cast<int>(Phase::Count); ++i)
        names.insert(phaseName(static_cast<Phase>(i)));
    QCOMPARE(names.size(), static_cast<std::size_t>(Phase::Count));
    QCOMPARE(phaseName(Phase::DataWait), std::string_view("data_wait"));
    std::set<std::string_view> ops;
    for (int i = 0; i < static_cast<int>(CollectiveOp::Count); ++i)
        ops.insert(opName(static_cast<CollectiveOp>(i)));
    QCOMPARE(ops.size(), static_cast<std::size_t>(CollectiveOp::Count));
    QCOMPARE(opName(CollectiveOp::AllReduce), std::string_view("all-reduce"));
}

void TestRecords::namesOfValuesOutOfRange() {
    QCOMPARE(phaseName(static_cast<Phase>(200)), std::string_view("unknown"));
    QCOMPARE(placeName(static_cast<ForwardSite>(200)), std::string_view("unknown"));
    QCOMPARE(opName(static_cast<CollectiveOp>(200)), std::string_view("unknown"));
}

void TestRecords::textIsCutAtACharacter() {
    char field[8];
    putText(field, sizeof field, "abcdef\u00e9"); // the last letter would take bytes 6 and 7, but byte 7 is the NUL
    QCOMPARE(getText(field, sizeof field), std::string_view("abcdef"));
    putText(field, sizeof field, "abcde\u00e9");
    QCOMPARE(getText(field, sizeof field), std::string_view("abcde\u00e9"));
    putText(field, sizeof field, std::string_view("ab\0cd", 5));
    QCOMPARE(getText(field, sizeof field), std::string_view("ab"));
    QCOMPARE(field[7], '\0');
}

void TestRecords::textFillsItsFieldWithoutAnEnd() {
    const char field[4] = {'a', 'b', 'c', 'd'};
    QCOMPARE(getText(field, sizeof field), std::string_view("abcd"));
}

void TestRecords::sizesOfKnownTypes() {
    QCOMPARE(recordBytes(RecordType::None), std::size_t{0});
    QCOMPARE(recordBytes(RecordType::Count), std::size_t{0});
    QCOMPARE(recordBytes(static_cast<RecordType>(999)), std::size_t{0});
    QCOMPARE(recordBytes(RecordType::Step), sizeof(StepRecord));
    for (auto t = 1; t < static_cast<int>(RecordType::Count); ++t)
        QVERIFY(recordBytes(static_cast<RecordType>(t)) >= sizeof(RecordHeader));
}

RANKSCOPE_TEST(TestRecords)
#include "tst_records.moc"
