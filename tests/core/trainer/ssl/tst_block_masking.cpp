// SPDX-License-Identifier: Apache-2.0
// Compares masks with those of NeMo 2.7.3 and 3.0.0 in data/masks_VERSION.json (data/make_masks.py).
#include "core/base/files/file.h"
#include "core/trainer/ssl/block_masking.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <nlohmann/json.hpp>

using namespace rankscope;
using namespace rankscope::trainer;
using config::NemoVersion;

class TestBlockMasking : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asNemoDrawsThem_data();
    void asNemoDrawsThem();
    void versionsDrawOtherwise();
    void shortAudio();
    void nothingBehindTheLength_data();
    void nothingBehindTheLength();
    void separateBlocksAreAsMany();
};

namespace {

config::MaskingConfig maskingOf(const nlohmann::json& c) {
    config::MaskingConfig masking;
    masking.featIn = 3;
    masking.blockSize = c.at("block");
    masking.maskProb = c.at("prob");
    masking.maxMaskRatio = c.at("ratio");
    masking.allowOverlap = c.at("overlap");
    return masking;
}

/// Returns [begin, frames] of every run of masked frames.
nlohmann::json runsOf(const torch::Tensor& row) {
    nlohmann::json runs = nlohmann::json::array();
    const auto on = row.accessor<bool, 1>();
    for (std::int64_t t = 0; t < on.size(0); ++t) {
        if (!on[t])
            continue;
        const std::int64_t begin = t;
        while (t < on.size(0) && on[t])
            ++t;
        runs.push_back({begin, t - begin});
    }
    return runs;
}

torch::Tensor drawn(const config::MaskingConfig& masking, NemoVersion version, const std::vector<std::int64_t>& lengths,
                    std::int64_t frames, std::uint64_t seed) {
    const BlockMasking blocks(masking, version); // its embedding is drawn before the masks
    torch::manual_seed(seed);
    return blocks->draw(lengths, frames);
}

config::MaskingConfig masking(bool overlap, int block, double prob) {
    config::MaskingConfig c;
    c.featIn = 3;
    c.allowOverlap = overlap;
    c.blockSize = block;
    c.maskProb = prob;
    return c;
}

} // namespace

void TestBlockMasking::asNemoDrawsThem_data() {
    QTest::addColumn<NemoVersion>("version");
    QTest::newRow("2.7.3") << NemoVersion::V2_7_3;
    QTest::newRow("3.0.0") << NemoVersion::V3_0_0;
}

/// The same number of random numbers is drawn as in NeMo, so the next one is the same.
void TestBlockMasking::asNemoDrawsThem() {
    QFETCH(NemoVersion, version);
    const auto text = readFile(std::string(RANKSCOPE_MODEL_TEST_DATA "/masks_") + QTest::currentDataTag() + ".json");
    QVERIFY(text.has_value());
    const auto facts = nlohmann::json::parse(*text);
    QCOMPARE(facts.at("cases").size() + facts.at("raised").get<std::size_t>(), std::size_t(600));
    for (std::size_t i = 0; i < facts.at("cases").size(); ++i) {
        const auto& c = facts.at("cases")[i];
        const auto lengths = c.at("lengths").get<std::vector<std::int64_t>>();
        const auto masks = drawn(maskingOf(c), version, lengths, c.at("frames"), c.at("seed"));
        const auto after = torch::randint(0, 2147483647, {1}, torch::kInt64).item<std::int64_t>();
        QVERIFY2(after == c.at("after").get<std::int64_t>(), qPrintable(QString("case %1: other numbers").arg(i)));
        for (std::size_t b = 0; b < lengths.size(); ++b) {
            const auto ours = runsOf(masks[static_cast<std::int64_t>(b)]);
            QVERIFY2(ours == c.at("blocks")[b], qPrintable(QString("case %1, utterance %2: %3 instead of %4")
                                                               .arg(i)
                                                               .arg(b)
                                                               .arg(QString::fromStdString(ours.dump()),
                                                                    QString::fromStdString(c.at("blocks")[b].dump()))));
        }
    }
}

void TestBlockMasking::versionsDrawOtherwise() {
    for (const bool overlap : {false, true}) {
        const auto c = masking(overlap, 10, overlap ? 0.02 : 0.5);
        const auto before = drawn(c, NemoVersion::V2_7_3, {200, 150}, 208, 3);
        const auto now = drawn(c, NemoVersion::V3_0_0, {200, 150}, 208, 3);
        QVERIFY(before.sum().item<std::int64_t>() > 0 && now.sum().item<std::int64_t>() > 0);
        QVERIFY(!torch::equal(before, now));
    }
}

/// 2.7.3 masks the first 8 frames of an utterance that is too short for a block; 3.0.0 masks none of it.
void TestBlockMasking::shortAudio() {
    const auto c = masking(true, 40, 0.5);
    const auto before = drawn(c, NemoVersion::V2_7_3, {30}, 32, 1), now = drawn(c, NemoVersion::V3_0_0, {30}, 32, 1);
    QVERIFY(runsOf(before[0]) == nlohmann::json::parse("[[0, 8]]"));
    QVERIFY(runsOf(now[0]).empty());
}

void TestBlockMasking::nothingBehindTheLength_data() {
    QTest::addColumn<bool>("overlap");
    QTest::newRow("overlapping") << true;
    QTest::newRow("separate") << false;
}

void TestBlockMasking::nothingBehindTheLength() {
    QFETCH(bool, overlap);
    const std::vector<std::int64_t> lengths{1, 7, 40, 99, 128};
    for (const int block : {1, 4, 40, 1000})
        for (const double prob : {0.0, 0.05, 0.6, 1.0}) {
            const auto masks = drawn(masking(overlap, block, prob), NemoVersion::V3_0_0, lengths, 128, 17);
            QCOMPARE(masks.sizes().vec(), (std::vector<std::int64_t>{5, 128}));
            for (std::size_t b = 0; b < lengths.size(); ++b) {
                const auto row = masks[static_cast<std::int64_t>(b)];
                QVERIFY(!row.narrow(0, lengths[b], 128 - lengths[b]).any().item<bool>());
                for (const auto& run : runsOf(row))
                    QVERIFY(!overlap || run[1].get<int>() >= block); // whole blocks, joined where they overlap
                if (prob == 0.0)
                    QVERIFY(!row.any().item<bool>());
            }
        }
}

void TestBlockMasking::separateBlocksAreAsMany() {
    // ceil(160 * 0.25 / 8) = 5 separate blocks of 8 frames
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const auto masks = drawn(masking(false, 8, 0.25), NemoVersion::V3_0_0, {160}, 160, seed);
        QCOMPARE(masks.sum().item<std::int64_t>(), std::int64_t(40));
        for (const auto& run : runsOf(masks[0]))
            QCOMPARE(run[1].get<int>() % 8, 0);
    }
}

RANKSCOPE_CORE_TEST(TestBlockMasking)
#include "tst_block_masking.moc"
