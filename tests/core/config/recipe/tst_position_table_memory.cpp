// SPDX-License-Identifier: Apache-2.0
#include "core/config/recipe/position_table_memory.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope::config;

class TestPositionMemory : public QObject {
    Q_OBJECT

    static ModelConfig model(int dModel, int maxLength, int padTo) {
        ModelConfig m;
        m.encoder.dModel = dModel;
        m.encoder.posEmbMaxLen = maxLength;
        m.preprocessor.padTo = padTo;
        return m;
    }

private Q_SLOTS:
    /// NeMo's NEST: 9,999 rows of 512 floats.
    void theShortestTable() {
        QCOMPARE(positionTableBytes(model(512, 5000, 16).encoder, 0), std::int64_t(9999) * 512 * 4);
        QCOMPARE(positionTableBytes(model(512, 5000, 16).encoder, 5000), std::int64_t(9999) * 512 * 4);
        QCOMPARE(positionTableBytes(model(512, 5000, 16).encoder, 5001), std::int64_t(10001) * 512 * 4);
    }
    void unevenTables() {
        const auto m = positionMemory(model(4, 10, 1), {5, 40, 12});
        QCOMPARE(m.aloneBytes, (std::vector<std::int64_t>{19 * 16, 79 * 16, 23 * 16}));
        QCOMPARE(m.syncedBytes, std::int64_t(79 * 16));
    }
    void padded() {
        const auto m = positionMemory(model(4, 10, 16), {17});
        QCOMPARE(m.aloneBytes.front(), std::int64_t(63 * 16)); // 32 frames
        QCOMPARE(positionMemory(model(4, 10, 0), {17}).syncedBytes, std::int64_t(33 * 16));
    }
    void figuresThatNobodyMeasured() {
        const auto m = positionMemory(model(512, 5000, 16), {INT64_MAX, -7});
        QVERIFY(m.syncedBytes > 0);
        QCOMPARE(m.aloneBytes[1], std::int64_t(9999) * 512 * 4);
        QVERIFY(positionMemory(model(512, 5000, 16), {}).aloneBytes.empty());
        QVERIFY(positionTableBytes(model(1 << 30, 1 << 30, 16).encoder, INT64_MAX) > 0);
    }
};

RANKSCOPE_CORE_TEST(TestPositionMemory)
#include "tst_position_table_memory.moc"
