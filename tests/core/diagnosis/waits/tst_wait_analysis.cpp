// SPDX-License-Identifier: Apache-2.0
// Explained waits: the matrix, correlations, and replayed runs compared with runs that were really simulated that way.
#include "core/diagnosis/waits/correlation.h"
#include "core/diagnosis/waits/scaling_model.h"
#include "core/diagnosis/waits/wait_matrix.h"
#include "core/diagnosis/waits/what_if_replay.h"
#include "tests/core/diagnosis/random_run.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <cmath>
#include <numeric>

using namespace rankscope::diagnosis;
using rankscope::telemetry::Phase;
using rankscope::test::RandomRun;

static std::size_t at(Phase phase) {
    return static_cast<std::size_t>(phase);
}

static std::int64_t sum(const PhaseTimes& times) {
    return std::accumulate(times.begin(), times.end(), std::int64_t{0});
}

/// Returns, by step, the times of every rank in every collective, with waits joined.
static std::map<std::int64_t, std::vector<CollectiveTimes>> joined(const RandomRun& run) {
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::pair<std::int64_t, int>> latest;
    for (const auto& m : run.met) {
        const auto [it, fresh] = latest.try_emplace({m.group, m.sequence}, m.arrivedNs, m.rank);
        if (!fresh && m.arrivedNs > it->second.first)
            it->second = {m.arrivedNs, m.rank};
    }
    std::map<std::int64_t, std::vector<CollectiveTimes>> steps;
    for (const auto& m : run.met) {
        const auto [latestNs, holder] = latest[{m.group, m.sequence}];
        steps[m.step].push_back({m.step, m.group, m.sequence, m.rank, holder, m.tag.substr(0, m.tag.find(':')),
                                 m.arrivedNs, m.doneNs, m.exposedNs, latestNs - m.arrivedNs});
    }
    return steps;
}

static WhatIfResult replayed(const RandomRun& run, std::int64_t leftOut = -1) {
    WhatIfReplay replay(run.ranks);
    for (auto& [step, rows] : joined(run)) {
        std::vector<std::int64_t> begins(static_cast<std::size_t>(run.ranks));
        for (const auto& did : run.did)
            if (did.step == step && did.phase == Phase::DataWait)
                begins[static_cast<std::size_t>(did.rank)] = did.beginNs;
        auto copy = rows;
        if (step == leftOut)
            copy.pop_back();
        replay.step(step, copy, begins);
    }
    return replay.result();
}

class TestWaits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void phasesOfAnInterval() {
        const std::vector<PhaseSpan> spans{
            {Phase::DataWait, 0, 100}, {Phase::Forward, 120, 200}, {Phase::Loss, 150, 250}};
        PhaseTimes times = splitByPhase(spans, 50, 300);
        QCOMPARE(times[at(Phase::DataWait)], std::int64_t{50});
        QCOMPARE(times[at(Phase::Forward)], std::int64_t{80});
        QCOMPARE(times[at(Phase::Loss)], std::int64_t{50}); // time that overlaps with forward counts once
        QCOMPARE(times[at(Phase::None)], std::int64_t{70});
        QCOMPARE(sum(splitByPhase(spans, 100, 120)), std::int64_t{20});
        QCOMPARE(sum(splitByPhase(spans, 300, 300)), std::int64_t{0});
        QCOMPARE(splitByPhase({}, 0, 7)[at(Phase::None)], std::int64_t{7});
    }
    void sharesAddUp() {
        std::mt19937 random(3);
        for (int i = 0; i < 200; ++i) {
            std::array<double, kPhaseCount> weights{};
            for (double& w : weights)
                w = random() % 3 ? static_cast<double>(random()) : 0;
            const std::int64_t total = random() % 1000;
            QCOMPARE(sum(shareOut(total, weights)), total);
        }
        std::array<double, kPhaseCount> bad{};
        bad[3] = NAN;
        bad[4] = -5;
        QCOMPARE(shareOut(9, bad)[at(Phase::None)], std::int64_t{9});
        bad[at(Phase::Forward)] = 3;
        bad[at(Phase::Loss)] = 1;
        QCOMPARE(shareOut(8, bad)[at(Phase::Forward)], std::int64_t{6});
    }
    void blockedAndOverlapped() {
        CollectiveTimes t{0, 0, 0, 1, 0, "gradient", 100, 400, -1, 200};
        QCOMPARE(t.blockedWaitNs(), std::int64_t{0}); // a bucket that overlaps with backward
        t.exposedNs = 50;                             // the rank continued before the holder arrived
        QCOMPARE(t.blockedWaitNs(), std::int64_t{50});
        QCOMPARE(t.blockedTransferNs(), std::int64_t{0});
        t.exposedNs = 260;
        QCOMPARE(t.blockedWaitNs(), std::int64_t{200});
        QCOMPARE(t.blockedTransferNs(), std::int64_t{60});
        t.family = "metrics";
        t.exposedNs = -1; // not measured: blocked until it was done
        QCOMPARE(t.blockedWaitNs(), std::int64_t{200});
        QCOMPARE(t.blockedTransferNs(), std::int64_t{100});
    }
    void rankingIsByCost() {
        WaitMatrix matrix;
        const std::vector<PhaseSpan> loading{{Phase::DataWait, 0, 70}, {Phase::Forward, 70, 1000}};
        const auto add = [&](const CollectiveTimes& times, const std::vector<PhaseSpan>& phases) {
            const TimeSpan whole{times.arrivedNs, times.latestNs()};
            matrix.add(times, {&whole, 1}, phases);
        };
        add({0, 0, 0, 0, 2, "sync_max_audio_length", 0, 110, 110, 100}, loading);
        add({0, 0, 0, 1, 2, "sync_max_audio_length", 50, 110, 60, 50}, loading);
        add({0, 0, 1, 2, 2, "gradient", 300, 310, 10, 0}, loading);
        add({0, 0, 1, 2, 1, "gradient", 280, 310, 30, 20}, {});
        QCOMPARE(matrix.cells().size(), std::size_t{3});
        const auto ranking = matrix.ranking();
        QCOMPARE(ranking.size(), std::size_t{2});
        QCOMPARE(ranking[0].rank, 2);
        QCOMPARE(ranking[0].sums.waitNs, std::int64_t{150});
        QCOMPARE(ranking[0].sums.collectives, std::int64_t{2});
        QCOMPARE(ranking[0].sums.phaseNs[at(Phase::DataWait)], std::int64_t{90});
        QCOMPARE(ranking[0].sums.mostly(), Phase::DataWait);
        QCOMPARE(ranking[0].family, std::string("sync_max_audio_length"));
        QCOMPARE(ranking[1].sums.phaseNs[at(Phase::None)], std::int64_t{20});
        QCOMPARE(matrix.total().waitNs, std::int64_t{170});
    }

    void predictionsComeTrue_data() {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<bool>("syncBatchNorm");
        QTest::addColumn<bool>("ownGroup");
        for (const int ranks : {1, 2, 3, 8})
            for (const bool norm : {false, true})
                QTest::addRow("%d ranks%s", ranks, norm ? ", SyncBN" : "") << ranks << norm << (ranks == 3);
    }
    void predictionsComeTrue() {
        QFETCH(int, ranks);
        QFETCH(bool, syncBatchNorm);
        QFETCH(bool, ownGroup);
        for (unsigned seed = 1; seed <= 20; ++seed) {
            RandomRun run;
            run.ranks = ranks;
            run.seed = seed;
            run.syncBatchNorm = syncBatchNorm;
            run.syncInGroupOfItsOwn = ownGroup;
            RandomRun without = run, balanced = run;
            without.lengthSync = false;
            balanced.balanced = true;
            run.play();
            without.play();
            balanced.play();
            const WhatIfResult r = replayed(run);
            QCOMPARE(r.steps, std::int64_t{40});
            QCOMPARE(r.lengthSyncs, std::int64_t{40});
            QVERIFY(std::abs(r.observedNs - run.lastedNs()) < 1);
            QVERIFY2(std::abs(r.withoutLengthSyncNs - without.lastedNs()) < 1,
                     qPrintable(QString("%1 against %2").arg(r.withoutLengthSyncNs).arg(without.lastedNs())));
            // each of some hundred draws is averaged and rounded
            QVERIFY2(std::abs(r.balancedNs - balanced.lastedNs()) < 1000,
                     qPrintable(QString("%1 against %2").arg(r.balancedNs).arg(balanced.lastedNs())));
            double total = 0;
            for (const RankTimes& rank : r.ranks)
                total += static_cast<double>(rank.ownNs + rank.waitNs + rank.transferNs) / ranks;
            QVERIFY(std::abs(total - r.observedNs) < 1); // own + wait + transfer is the whole time
            QCOMPARE(r.gainBalancedNs() > 1e6, ranks > 1);
            QVERIFY(r.imbalanceNs <= r.gainBalancedNs() + 40 * 300'000); // transfers end a step at different times
        }
    }
    void aRunWithoutLengthSyncStaysAsItWas() {
        RandomRun run;
        run.lengthSync = false;
        run.ranks = 4;
        run.play();
        const WhatIfResult r = replayed(run);
        QCOMPARE(r.lengthSyncs, std::int64_t{0});
        QCOMPARE(r.withoutLengthSyncNs, r.observedNs);
    }
    void onlyWhatIsAbsorbedLaterIsGained() {
        // rank 1 loads 100 longer and also computes 60 longer: all of the wait moves to the gradients
        const auto run = [](std::int64_t before1, std::int64_t after0, std::int64_t after1) {
            std::vector<CollectiveTimes> rows;
            const std::int64_t meet = before1, a0 = meet + after0, a1 = meet + after1, end = std::max(a0, a1);
            rows.push_back({0, 0, 0, 0, 1, "sync_max_audio_length", 0, meet, meet, meet});
            rows.push_back({0, 0, 0, 1, 1, "sync_max_audio_length", before1, meet, 0, 0});
            rows.push_back({0, 0, 1, 0, a0 < a1, "gradient", a0, end, end - a0, end - a0});
            rows.push_back({0, 0, 1, 1, a0 < a1, "gradient", a1, end, end - a1, end - a1});
            WhatIfReplay replay(2);
            replay.step(0, rows, std::vector<std::int64_t>{0, 0});
            return replay.result();
        };
        QCOMPARE(run(100, 50, 110).gainWithoutLengthSyncNs(), 0.0);
        QCOMPARE(run(100, 150, 50).gainWithoutLengthSyncNs(), 100.0); // rank 0 could have used the time
        QCOMPARE(run(100, 80, 50).gainWithoutLengthSyncNs(), 30.0);
        QCOMPARE(run(100, 80, 50).lengthSyncWaitNs, 50.0);
    }
    void damagedStepsAreLeftOut() {
        RandomRun run;
        run.ranks = 3;
        run.play();
        const WhatIfResult all = replayed(run), some = replayed(run, 17);
        QCOMPARE(some.steps, std::int64_t{39});
        QCOMPARE(some.skipped, std::int64_t{1});
        QVERIFY(some.observedNs < all.observedNs && some.observedNs > 0.9 * all.observedNs);
        WhatIfReplay replay(2);
        std::vector<CollectiveTimes> none;
        replay.step(0, none, std::vector<std::int64_t>{0, 0});
        std::vector<CollectiveTimes> twice{{1, 0, 0, 0, 0, "x", 0, 1, 1, 0}, {1, 0, 0, 0, 0, "x", 0, 1, 1, 0}};
        replay.step(1, twice, std::vector<std::int64_t>{0, 0});
        std::vector<CollectiveTimes> fine{{2, 0, 0, 0, 0, "x", 5, 6, 1, 0}, {2, 0, 0, 1, 0, "x", 5, 6, 1, 0}};
        replay.step(2, fine, {}); // no begin is known
        QCOMPARE(replay.result().steps, std::int64_t{0});
        QCOMPARE(replay.result().skipped, std::int64_t{3});
        QCOMPARE(replay.result().observedNs, 0.0);
    }

    void scalingAddsUp() {
        for (unsigned seed = 1; seed <= 20; ++seed) {
            RandomRun run;
            run.seed = seed;
            run.ranks = 2 + static_cast<int>(seed % 7);
            run.syncBatchNorm = seed % 2;
            run.play();
            const Scaling s = scalingOf(replayed(run), 5e6, {1e6, 1.7e9});
            QCOMPARE(s.ranks, run.ranks);
            QVERIFY(std::abs(s.speedUp + s.lost() - run.ranks) < 1e-9);
            QVERIFY(std::abs(s.speedUp - 5e6 / run.lastedNs() / (1e6 / 1.7e9)) < 1e-9);
            QVERIFY(s.imbalance > 0 && s.waiting >= 0 && s.transfer > 0);
        }
        RandomRun even; // a balanced run loses nothing to waiting
        even.balanced = true;
        even.play();
        const Scaling s = scalingOf(replayed(even), 1, {1, 1e9});
        QVERIFY(std::abs(s.imbalance) < 1e-3 && std::abs(s.waiting) < 1e-2);
        QCOMPARE(scalingOf(replayed(even), 0, {1, 1e9}).speedUp, 0.0);
        QCOMPARE(scalingOf({}, 1, {1, 1e9}).speedUp, 0.0);
        QVERIFY(!usualSpeedUp(3) && usualSpeedUp(4)->first == 3.5);
    }
    void correlations() {
        Correlator line, falling, constant, few;
        std::mt19937 random(5);
        std::normal_distribution<double> noise;
        Correlator unrelated;
        for (int i = 0; i < 1000; ++i) {
            line.add(i, 3 + 2.0 * i);
            falling.add(i, -std::exp(i / 100.0));
            constant.add(i, 7);
            unrelated.add(noise(random), noise(random));
        }
        few.add(1, 2);
        few.add(2, 3);
        few.add(NAN, 3);
        QVERIFY(std::abs(*line.result().pearson - 1) < 1e-12);
        QVERIFY(std::abs(*line.result().spearman - 1) < 1e-12);
        QVERIFY(*falling.result().pearson > -0.95);                // not linear ...
        QVERIFY(std::abs(*falling.result().spearman + 1) < 1e-12); // ... but always falling
        QVERIFY(!constant.result().pearson && !constant.result().spearman);
        QCOMPARE(constant.result().n, std::int64_t{1000});
        QVERIFY(std::abs(*unrelated.result().pearson) < 0.1 && std::abs(*unrelated.result().spearman) < 0.1);
        QVERIFY(!few.result().pearson && !few.result().spearman);
        QCOMPARE(few.result().n, std::int64_t{2});
    }
    void correlationsAgainstTheDefinition() {
        std::mt19937 random(11);
        for (int run = 0; run < 50; ++run) {
            std::vector<double> x, y;
            Correlator c;
            for (int i = 0; i < 40; ++i) {
                x.push_back(1e6 + random() % 12); // ties, and a mean far from zero
                y.push_back(x.back() * 0.5 + random() % 9);
                c.add(x.back(), y.back());
            }
            const auto pearson = [](const std::vector<double>& a, const std::vector<double>& b) {
                const double n = static_cast<double>(a.size());
                const double ma = std::accumulate(a.begin(), a.end(), 0.0) / n,
                             mb = std::accumulate(b.begin(), b.end(), 0.0) / n;
                double ab = 0, aa = 0, bb = 0;
                for (std::size_t i = 0; i < a.size(); ++i)
                    ab += (a[i] - ma) * (b[i] - mb), aa += (a[i] - ma) * (a[i] - ma), bb += (b[i] - mb) * (b[i] - mb);
                return ab / std::sqrt(aa * bb);
            };
            const auto ranks = [](const std::vector<double>& v) {
                std::vector<double> r;
                for (const double value : v) {
                    double below = 0, same = 0;
                    for (const double other : v)
                        below += other < value, same += other == value;
                    r.push_back(below + (same + 1) / 2);
                }
                return r;
            };
            QVERIFY(std::abs(*c.result().pearson - pearson(x, y)) < 1e-9);
            QVERIFY(std::abs(*c.result().spearman - pearson(ranks(x), ranks(y))) < 1e-9);
        }
    }
    void rankedPairsStayBounded() {
        Correlator c(100);
        for (int i = 0; i < 100'000; ++i)
            c.add(i, i % 2 ? i : 2 * i);
        const Correlation r = c.result();
        QCOMPARE(r.n, std::int64_t{100'000});
        QVERIFY(r.ranked > 25 && r.ranked <= 100);
        QVERIFY(*r.spearman > 0.8);
    }
};

RANKSCOPE_TEST(TestWaits)
#include "tst_wait_analysis.moc"
