// SPDX-License-Identifier: Apache-2.0
#include "tests/core/trainer/distributed/two_ranks.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace rankscope;
using namespace rankscope::test;

class TestLengthSync : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    int m_scenes = 0;
    std::filesystem::path freshDir() { return m_dir.path().toStdString() + "/" + std::to_string(m_scenes++); }

private Q_SLOTS:
    void aLateRankMeetsTheSameSync() {
        const auto story = lateLengths(freshDir(), 60);
        for (const auto& rank : story.ranks)
            QCOMPARE(QString::fromStdString(rank.thrown), QString());
        // rank 0 continues with its own length; then both synchronize again
        QCOMPARE(story.ranks[0].values, (std::vector<std::int64_t>{100, 101, 102, 8}));
        // the n-th sync of rank 1 was with the n-th of rank 0, not with the newest
        QCOMPARE(story.ranks[1].values, (std::vector<std::int64_t>{200, 101, 300, 8}));
        QVERIFY(story.ranks[0].settled);
    }

    void itWaitsOnceAndCounts() {
        const auto story = lateLengths(freshDir(), 60);
        const auto &early = story.ranks[0], &late = story.ranks[1];
        QCOMPARE(early.timeouts, 1); // the second and third could not complete, so rank 0 did not wait for them
        QCOMPARE(early.openBefore, std::size_t{3});
        QCOMPARE(early.timeoutSequences, std::vector<std::int64_t>{0});
        QCOMPARE(late.timeouts, 0);
    }

    void recordsTellWhatWasBlocked() {
        const auto story = lateLengths(freshDir(), 60);
        for (const auto& rank : story.ranks) {
            auto records = rank.records;
            std::sort(records.begin(), records.end(),
                      [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
            QCOMPARE(records.size(), std::size_t{4});
            for (std::size_t i = 0; i < records.size(); ++i) {
                QCOMPARE(records[i].group, 1u);
                QCOMPARE(records[i].sequence, std::uint64_t{i});
                QCOMPARE(int(records[i].failed), 0);
                QCOMPARE(telemetry::getText(records[i].tag, sizeof records[i].tag),
                         std::string_view("sync_max_audio_length"));
            }
        }
        auto records = story.ranks[0].records;
        const auto first = std::find_if(records.begin(), records.end(), [](const auto& r) { return r.sequence == 0; });
        QVERIFY2(first->exposedNs >= 55'000'000, qPrintable(QString::number(first->exposedNs)));
        QVERIFY(first->doneNs - first->arrivedNs >= first->exposedNs); // rank 0 continued while the collective was open
        for (const std::uint64_t sequence : {1, 2}) {
            const auto next =
                std::find_if(records.begin(), records.end(), [=](const auto& r) { return r.sequence == sequence; });
            QVERIFY2(next->exposedNs < 50'000'000, qPrintable(QString::number(next->exposedNs)));
        }
    }

    void withoutALateRankItIsTheSame() {
        const auto ranks = punctualLengths(freshDir());
        for (const auto& rank : ranks) {
            QCOMPARE(QString::fromStdString(rank.thrown), QString());
            QCOMPARE(rank.values, (std::vector<float>{1000, 1, 16'777'215, 1000, 1, 16'777'215}));
        }
    }

    void aPeerThatLeavesIsAnError() {
        const auto ranks = peerLeavesLengthSync(freshDir());
        QCOMPARE(QString::fromStdString(ranks[1].thrown), QString());
        QVERIFY2(QString::fromStdString(ranks[0].thrown).startsWith("all-reduce 0 (sync_max_audio_length) failed"),
                 ranks[0].thrown.c_str());
    }
};

RANKSCOPE_CORE_TEST(TestLengthSync)
#include "tst_length_sync.moc"
