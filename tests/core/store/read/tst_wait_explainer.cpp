// SPDX-License-Identifier: Apache-2.0
// How the store explains the waits of a run, compared with sums over everything that its ranks measured.
#include "core/store/report/lost_time.h"
#include "core/store/sqlite/sqlite.h"
#include "tests/core/diagnosis/random_run.h"
#include "tests/core/store/synthetic.h"
#include "tests/core/store/wait_bounds.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <numeric>
#include <set>

using namespace rankscope;
using namespace rankscope::store;
using namespace rankscope::telemetry;
using diagnosis::TimeSpan;
using diagnosis::WaitSums;
using synthetic::kStartNs;
using synthetic::take;
using test::RandomRun;

namespace fs = std::filesystem;

static fs::path storeIn(const QTemporaryDir& dir) {
    return fs::path(dir.path().toStdString()) / "run.sqlite";
}

static std::int64_t framesOf(int rank, std::int64_t step) {
    return 100 + static_cast<std::int64_t>(
                     (static_cast<std::uint64_t>(step) * 7919 + static_cast<std::uint64_t>(rank) * 104729) % 1500);
}

/// Returns the records by rank, in order of time.
static std::vector<std::vector<AnyRecord>> recordsOf(const RandomRun& run) {
    std::vector<std::vector<std::pair<std::int64_t, AnyRecord>>> timed(static_cast<std::size_t>(run.ranks));
    const auto put = [&](int rank, std::int64_t atNs, auto record) {
        record.header.timeNs = atNs + kStartNs;
        timed[static_cast<std::size_t>(rank)].emplace_back(atNs, AnyRecord::of(record));
    };
    for (const auto& m : run.met) {
        CollectiveRecord c;
        c.header.step = m.step;
        c.group = m.group;
        c.sequence = m.sequence;
        c.op = CollectiveOp::AllReduce;
        c.arrivedNs = c.startedNs = m.arrivedNs + kStartNs;
        c.doneNs = m.doneNs + kStartNs;
        c.exposedNs = m.exposedNs;
        putText(c.tag, sizeof c.tag, m.tag);
        put(m.rank, m.doneNs, c);
    }
    for (const auto& d : run.did) {
        PhaseRecord p;
        p.header.step = d.step;
        p.phase = d.phase;
        p.beginNs = d.beginNs + kStartNs;
        p.endNs = d.endNs + kStartNs;
        put(d.rank, d.endNs, p);
        if (d.phase == Phase::DataWait) {
            BatchRecord b;
            b.header.step = d.step;
            b.size = 4;
            b.framesMax = framesOf(d.rank, d.step);
            b.framesSum = 2 * b.framesMax;
            b.paddedFrames = 4 * b.framesMax;
            b.paddingShare = 0.5;
            put(d.rank, d.endNs, b);
        }
        if (d.phase == Phase::Optimizer) {
            StepRecord s;
            s.header.step = d.step;
            s.beginNs = d.endNs + kStartNs - 1000;
            s.endNs = d.endNs + kStartNs;
            for (const auto& m : run.met)
                if (m.rank == d.rank && m.step == d.step && m.tag == "gradient:1")
                    s.exposedGradientNs = m.exposedNs;
            put(d.rank, d.endNs + 1, s);
        }
    }
    std::vector<std::vector<AnyRecord>> records;
    for (auto& rank : timed) {
        std::stable_sort(rank.begin(), rank.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        auto& into = records.emplace_back();
        for (auto& [atNs, record] : rank)
            into.push_back(record);
    }
    return records;
}

/// How a run is committed to its store.
struct Commits {
    std::size_t atOnce = 40; ///< records of a rank per commit; a few steps, so that thinning can run in between
    bool reopen = false;     ///< a new writer for each commit
    bool lastRankFirst = false;
    std::vector<TimeSpan> pauses; ///< since the run's start; stored with the first commit
};

/// Returns the same run, but with everything paused for `forNs` from `atNs` on.
static RandomRun pausedRun(RandomRun run, std::int64_t atNs, std::int64_t forNs) {
    const auto shift = [&](std::int64_t& ns) { ns += ns > atNs ? forNs : 0; };
    for (auto& met : run.met) {
        std::int64_t leftNs = met.arrivedNs + met.exposedNs;
        for (std::int64_t* ns : {&met.arrivedNs, &met.doneNs, &leftNs})
            shift(*ns);
        met.exposedNs = met.exposedNs < 0 ? -1 : leftNs - met.arrivedNs;
    }
    for (auto& did : run.did)
        shift(did.beginNs), shift(did.endNs);
    for (std::size_t r = 0; r < run.endedNs.size(); ++r)
        shift(run.beganNs[r]), shift(run.endedNs[r]);
    return run;
}

static diagnosis::Transition pauseOf(const TimeSpan& span, std::int64_t id) {
    diagnosis::Incident in;
    in.id = id;
    in.cause = diagnosis::Cause::Paused;
    in.openedNs = in.detectedNs = kStartNs + span.beginNs;
    in.closedNs = kStartNs + span.endNs;
    in.closed = diagnosis::CloseReason::Recovered;
    return {diagnosis::Transition::TransitionKind::Closed, in};
}

static void commitRun(const RandomRun& run, const fs::path& file, Retention retention, Commits how = {}) {
    auto target = RunWriter::open(file, synthetic::meta(run.ranks), retention);
    QVERIFY(target);
    const auto records = recordsOf(run);
    std::vector<std::size_t> done(records.size());
    for (bool left = true; left;) {
        std::vector<RunWriter::Chunk> chunks;
        left = false;
        for (std::size_t i = 0; i < records.size(); ++i) {
            const std::size_t r = how.lastRankFirst ? records.size() - 1 - i : i;
            const std::size_t to = std::min(done[r] + how.atOnce + r, records[r].size());
            chunks.push_back({static_cast<int>(r), std::span(records[r]).subspan(done[r], to - done[r]), {0, to}, {}});
            done[r] = to;
            left |= to < records[r].size();
        }
        if (how.reopen) {
            target = fail(Errc::Internal, "closed"); // closes the previous writer
            target = RunWriter::reopen(file, retention);
            QVERIFY(target);
        }
        std::vector<diagnosis::Transition> pauses;
        for (const TimeSpan& pause : std::exchange(how.pauses, {}))
            pauses.push_back(pauseOf(pause, static_cast<std::int64_t>(pauses.size()) + 1));
        QVERIFY(target->commit(chunks, pauses));
    }
    QVERIFY(target->finish());
}

using Key = std::tuple<int, int, std::string>;

/// A rank's wait for the last rank to arrive.
struct Waited {
    const test::Met* waiter = nullptr;
    const test::Met* holder = nullptr;
    bool contains(std::int64_t fromNs, std::int64_t toNs) const {
        return waiter->arrivedNs <= fromNs && toNs <= holder->arrivedNs;
    }
    bool blocks(std::int64_t untilNs) const { return untilNs <= waiter->arrivedNs + waiter->exposedNs; }
    Key key() const { return {waiter->rank, holder->rank, waiter->tag.substr(0, waiter->tag.find(':'))}; }
};

/// Returns the waits by rank and step.
static std::map<std::pair<int, std::int64_t>, std::vector<Waited>> waitsOf(const RandomRun& run) {
    std::map<std::pair<std::uint32_t, std::uint64_t>, const test::Met*> latest;
    for (const auto& m : run.met) {
        const test::Met*& last = latest[{m.group, m.sequence}];
        if (!last || m.arrivedNs > last->arrivedNs || (m.arrivedNs == last->arrivedNs && m.rank < last->rank))
            last = &m;
    }
    std::map<std::pair<int, std::int64_t>, std::vector<Waited>> waits;
    for (const auto& m : run.met)
        if (const test::Met* last = latest[{m.group, m.sequence}]; last->arrivedNs > m.arrivedNs)
            waits[{m.rank, m.step}].push_back({&m, last});
    return waits;
}

/// Sums every wait of steps [first, last] with every phase of its holder, the slow way: moment by moment. Each moment
/// counts for one wait, preferring those that block the thread, and among these the one that began first.
static std::map<Key, WaitSums> bruteForce(const RandomRun& run, std::int64_t first, std::int64_t last) {
    std::map<Key, WaitSums> cells;
    for (const auto& [at, waits] : waitsOf(run)) {
        if (at.second < first || at.second > last)
            continue;
        std::set<std::int64_t> cuts;
        for (const Waited& w : waits) {
            cuts.insert({w.waiter->arrivedNs, w.holder->arrivedNs, w.waiter->arrivedNs + w.waiter->exposedNs});
            cells[w.key()].collectives += 1;
        }
        for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
            const std::int64_t from = *cut, to = *std::next(cut);
            const Waited* owner = nullptr;
            for (const Waited& w : waits)
                if (w.contains(from, to) && (!owner || std::pair(!w.blocks(to), w.waiter->arrivedNs) <
                                                           std::pair(!owner->blocks(to), owner->waiter->arrivedNs)))
                    owner = &w;
            if (!owner)
                continue;
            WaitSums& cell = cells[owner->key()];
            cell.waitNs += to - from;
            cell.blockedNs += owner->blocks(to) ? to - from : 0;
            std::int64_t rest = to - from;
            for (const auto& did : run.did) {
                const std::int64_t overlap = std::min(did.endNs, to) - std::max(did.beginNs, from);
                if (did.rank != owner->holder->rank || overlap <= 0)
                    continue;
                cell.phaseNs[static_cast<std::size_t>(did.phase)] += overlap;
                rest -= overlap;
            }
            cell.phaseNs[0] += rest;
        }
    }
    return cells;
}

static double pearson(const std::vector<double>& a, const std::vector<double>& b) {
    const double n = static_cast<double>(a.size());
    const double ma = std::accumulate(a.begin(), a.end(), 0.0) / n, mb = std::accumulate(b.begin(), b.end(), 0.0) / n;
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - ma) * (b[i] - mb);
        aa += (a[i] - ma) * (a[i] - ma);
        bb += (b[i] - mb) * (b[i] - mb);
    }
    return ab / std::sqrt(aa * bb);
}

class TestExplainWaits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void matrixEqualsBruteForce() {
        for (unsigned seed = 1; seed <= 8; ++seed) {
            QTemporaryDir dir;
            RandomRun run;
            run.seed = seed;
            run.ranks = 2 + static_cast<int>(seed % 4);
            run.steps = 30;
            run.syncBatchNorm = seed % 2;
            run.syncInGroupOfItsOwn = seed % 3 == 0;
            run.normInBackward = seed % 4 < 2;
            run.play();
            commitRun(run, storeIn(dir), {});
            auto reader = take(RunReader::open(storeIn(dir)));
            for (const StepInterval steps : {StepInterval{0, 1000}, StepInterval{5, 5}, StepInterval{7, 20}}) {
                const WaitReport report = take(reader.explainWaits(steps));
                const auto expected = bruteForce(run, steps.first, steps.last);
                QCOMPARE(report.singleSteps, report.steps.count());
                QCOMPARE(report.matrix.cells().size(), expected.size());
                for (const auto& [key, sums] : report.matrix.cells()) {
                    const WaitSums& want = expected.at(key);
                    QCOMPARE(sums.waitNs, want.waitNs);
                    QCOMPARE(sums.blockedNs, want.blockedNs);
                    QCOMPARE(sums.collectives, want.collectives);
                    QVERIFY(sums.phaseNs == want.phaseNs);
                    QCOMPARE(sums.estimatedNs, std::int64_t{0});
                }
                QCOMPARE(report.replay.steps, report.steps.count());
            }
        }
    }
    /// The result does not depend on the order in which collectives become complete, nor on the number of writers.
    void countedOnceHoweverItIsCommitted() {
        RandomRun run;
        run.ranks = 3;
        run.steps = 40; // more than are kept in memory
        run.normInBackward = true;
        run.play();
        const auto expected = bruteForce(run, 0, 1000);
        std::map<int, std::int64_t> waited, held;
        std::int64_t sumNs = 0;
        for (const auto& [at, waits] : waitsOf(run))
            for (const Waited& w : waits)
                sumNs += w.holder->arrivedNs - w.waiter->arrivedNs;
        for (const auto& [key, sums] : expected) {
            waited[std::get<0>(key)] += sums.waitNs;
            held[std::get<1>(key)] += sums.waitNs;
            sumNs -= sums.waitNs;
        }
        QVERIFY2(sumNs > 100'000'000, "the waits of this run hardly overlap");
        for (const Commits& how : {Commits{1, true, false}, Commits{7, false, true}, Commits{40, false, false},
                                   Commits{100'000, false, false}, Commits{100'000, false, true}}) {
            QTemporaryDir dir;
            commitRun(run, storeIn(dir), {}, how);
            auto reader = take(RunReader::open(storeIn(dir)));
            for (const WaitCell& cell : take(reader.waits(0, 1000))) {
                const WaitSums& want = expected.at({cell.waiter, cell.holder, cell.tag});
                QCOMPARE(cell.waitNs, want.waitNs);
                QCOMPARE(cell.collectives, want.collectives);
            }
            for (const RankSummary& rank : take(reader.ranks())) {
                QCOMPARE(rank.waitedNs, waited[rank.rank]);
                QCOMPARE(rank.heldNs, held[rank.rank]);
                std::int64_t inSteps = 0;
                QVERIFY(reader.eachStep(rank.rank, {0, 1000}, [&](const StepRow& row) -> Result<void> {
                    inSteps += std::llround(*row.value(Metric::WaitTotal));
                    return {};
                }));
                QCOMPARE(inSteps, rank.waitedNs);
            }
            test::checkWaitsWithinSteps(storeIn(dir));
        }
    }
    void predictionsComeTrue() {
        for (unsigned seed = 1; seed <= 4; ++seed) {
            QTemporaryDir dir;
            RandomRun run;
            run.seed = seed;
            run.ranks = 3;
            run.syncBatchNorm = seed % 2;
            RandomRun without = run;
            without.lengthSync = false;
            run.play();
            without.play();
            commitRun(run, storeIn(dir), {});
            const WaitReport report = take(take(RunReader::open(storeIn(dir))).explainWaits({0, 1000}));
            QVERIFY(std::abs(report.replay.observedNs - run.lastedNs()) < 1);
            QVERIFY(std::abs(report.replay.withoutLengthSyncNs - without.lastedNs()) < 1);
        }
    }
    void lengthsAgainstTheDefinition() {
        QTemporaryDir dir;
        RandomRun run;
        run.ranks = 3;
        run.steps = 60;
        run.play();
        commitRun(run, storeIn(dir), {});
        const WaitReport report = take(take(RunReader::open(storeIn(dir))).explainWaits({10, 49}));
        QCOMPARE(report.lengths.size(), std::size_t{3});
        std::map<std::pair<int, std::int64_t>, double> waited;
        for (std::int64_t step = 10; step < 50; ++step)
            for (const auto& [key, sums] : bruteForce(run, step, step))
                waited[{std::get<0>(key), step}] += static_cast<double>(sums.waitNs);
        for (int r = 0; r < 3; ++r) {
            std::vector<double> longer, late;
            for (std::int64_t step = 10; step < 50; ++step) {
                double frames = 0, waits = 0;
                for (int o = 0; o < 3; ++o)
                    if (o != r) {
                        frames += static_cast<double>(framesOf(o, step)) / 2;
                        waits += waited[{o, step}] / 2;
                    }
                longer.push_back(static_cast<double>(framesOf(r, step)) - frames);
                late.push_back(waits - waited[{r, step}]);
            }
            const auto& got = report.lengths[static_cast<std::size_t>(r)];
            QCOMPARE(got.framesMax.n, std::int64_t{40});
            QVERIFY(std::abs(*got.framesMax.pearson - pearson(longer, late)) < 1e-9);
            QVERIFY(std::abs(*got.paddedFrames.pearson - pearson(longer, late)) < 1e-9); // four times as many
            QVERIFY(std::abs(*got.framesMax.spearman - *diagnosis::spearman(longer, late)) < 1e-9);
        }
    }
    void thinnedStepsAreEstimated() {
        QTemporaryDir dir;
        RandomRun run;
        run.ranks = 3;
        run.steps = 400;
        run.slowLoader = 1;
        run.play();
        commitRun(run, storeIn(dir), {50, 5});
        auto reader = take(RunReader::open(storeIn(dir)));
        const WaitReport report = take(reader.explainWaits({0, 1000}));
        QVERIFY2(report.singleSteps >= 50 && report.singleSteps < 120, qPrintable(QString::number(report.singleSteps)));
        QCOMPARE(report.replay.steps, report.singleSteps);
        const auto expected = bruteForce(run, 0, 1000);
        QCOMPARE(report.matrix.cells().size(), expected.size());
        std::int64_t estimated = 0;
        for (const auto& [key, sums] : report.matrix.cells()) {
            const WaitSums& want = expected.at(key);
            QCOMPARE(sums.waitNs, want.waitNs); // sums are never removed
            QCOMPARE(sums.collectives, want.collectives);
            QCOMPARE(std::accumulate(sums.phaseNs.begin(), sums.phaseNs.end(), std::int64_t{0}), sums.waitNs);
            estimated += sums.estimatedNs;
            const double blocked = static_cast<double>(sums.blockedNs), truth = static_cast<double>(want.blockedNs);
            QVERIFY2(std::abs(blocked - truth) < 0.2 * static_cast<double>(want.waitNs),
                     qPrintable(
                         QString("%1: %2, %3").arg(QString::fromStdString(std::get<2>(key))).arg(blocked).arg(truth)));
        }
        QVERIFY(estimated > report.matrix.total().waitNs / 2 && estimated < report.matrix.total().waitNs);
        const auto worst = report.matrix.ranking().front();
        QCOMPARE(worst.rank, 1);
        QCOMPARE(worst.sums.mostly(), Phase::DataWait);
        // nothing is estimated for the newest steps
        QCOMPARE(take(reader.explainWaits({380, 399})).matrix.total().estimatedNs, std::int64_t{0});
        // an interval that is completely thinned has no replay
        const WaitReport old = take(reader.explainWaits({32, 63}));
        QCOMPARE(old.replay.steps, std::int64_t{0});
        QCOMPARE(old.singleSteps, std::int64_t{0});
        const auto before = bruteForce(run, 32, 63);
        for (const auto& [key, sums] : old.matrix.cells())
            QCOMPARE(sums.waitNs, before.at(key).waitNs);
        QCOMPARE(old.matrix.total().estimatedNs, old.matrix.total().waitNs);
    }
    /// Lost time equals the explained waits and what balanced ranks would have gained, whether computed at once or step
    /// by step.
    void lostTimeIsTheBlockedWait() {
        for (unsigned seed = 1; seed <= 4; ++seed) {
            QTemporaryDir dir;
            RandomRun run;
            run.seed = seed;
            run.ranks = 2 + static_cast<int>(seed % 3);
            run.steps = 200;
            run.syncBatchNorm = seed % 2;
            run.play();
            commitRun(run, storeIn(dir), {});
            auto reader = take(RunReader::open(storeIn(dir)));
            const WaitReport report = take(reader.explainWaits({0, 1000}));
            LostTimeReader lost;
            QVERIFY(take(lost.advance(reader)));
            QCOMPARE(lost.soFar().steps, std::int64_t{200});
            QVERIFY(!lost.soFar().estimated);
            QVERIFY(report.lostNs() > 0);
            QVERIFY(std::abs(lost.soFar().lostNs - report.lostNs()) < 1);
            QVERIFY(std::abs(lost.soFar().lostNs - report.replay.gainBalancedNs()) < 1);
            QCOMPARE(lost.soFar().lastedNs, report.endNs - report.beginNs);
            LostTimeReader bits;
            int looks = 1;
            for (; !take(bits.advance(reader, 0)); ++looks) {
            }
            QVERIFY2(looks > 1, "a slice of no time counts no more than it must");
            QCOMPARE(bits.soFar(), lost.soFar());
        }
    }
    /// A run that was paused as a whole during waits has not waited or lost more than without the pauses.
    void pausesAreNoWaits() {
        constexpr std::int64_t kPauseNs = 15'000'000'000;
        for (unsigned seed = 1; seed <= 6; ++seed) {
            RandomRun run;
            run.seed = seed;
            run.ranks = 2 + static_cast<int>(seed % 3);
            run.syncBatchNorm = run.normInBackward = seed % 2;
            run.play();
            RandomRun paused = run;
            Commits how{.reopen = seed > 4};
            for (const std::size_t at : {run.met.size() / 4, run.met.size() / 2}) { // rank 0 has just arrived
                const std::int64_t atNs = paused.met[at - at % static_cast<std::size_t>(run.ranks)].arrivedNs + 1;
                how.pauses.push_back({atNs, atNs + kPauseNs});
                paused = pausedRun(std::move(paused), atNs, kPauseNs);
            }
            QTemporaryDir dir, other;
            commitRun(run, storeIn(dir), {});
            commitRun(paused, storeIn(other), {}, how);
            auto plain = take(RunReader::open(storeIn(dir))), reader = take(RunReader::open(storeIn(other)));
            const WaitReport want = take(plain.explainWaits({0, 1000})), report = take(reader.explainWaits({0, 1000}));
            QCOMPARE(report.pausedNs, 2 * kPauseNs);
            QCOMPARE(report.lastedNs(), want.lastedNs());
            QCOMPARE(report.lostNs(), want.lostNs());
            QCOMPARE(report.matrix.cells().size(), want.matrix.cells().size());
            for (const auto& [key, sums] : report.matrix.cells()) {
                QCOMPARE(sums.waitNs, want.matrix.cells().at(key).waitNs);
                QVERIFY(sums.phaseNs == want.matrix.cells().at(key).phaseNs);
            }
            QVERIFY(std::abs(report.replay.gainBalancedNs() - want.replay.gainBalancedNs()) < 1);
            const auto pairs = take(reader.waits(0, 1000)), wantedPairs = take(plain.waits(0, 1000));
            QCOMPARE(pairs.size(), wantedPairs.size());
            for (std::size_t i = 0; i < pairs.size(); ++i)
                QCOMPARE(pairs[i].waitNs, wantedPairs[i].waitNs);
            const auto ranks = take(reader.ranks()), wantedRanks = take(plain.ranks());
            for (std::size_t r = 0; r < ranks.size(); ++r) {
                QCOMPARE(ranks[r].waitedNs, wantedRanks[r].waitedNs);
                QCOMPARE(ranks[r].heldNs, wantedRanks[r].heldNs);
            }
            LostTimeReader lost, wantedLost;
            QVERIFY(take(lost.advance(reader)) && take(wantedLost.advance(plain)));
            QVERIFY(std::abs(lost.soFar().lostNs - wantedLost.soFar().lostNs) < 1);
            QCOMPARE(lost.soFar().lastedNs, wantedLost.soFar().lastedNs);
        }
    }
    void lostTimeOfThinnedSteps() {
        QTemporaryDir dir;
        RandomRun run;
        run.ranks = 3;
        run.steps = 400;
        run.slowLoader = 1;
        run.play();
        commitRun(run, storeIn(dir), {50, 5});
        auto reader = take(RunReader::open(storeIn(dir)));
        LostTimeReader lost;
        QVERIFY(take(lost.advance(reader)));
        QVERIFY(lost.soFar().estimated);
        QCOMPARE(lost.soFar().steps, std::int64_t{400});
        double truth = 0;
        for (const auto& [key, sums] : bruteForce(run, 0, 1000))
            truth += static_cast<double>(sums.blockedNs) / 3;
        QVERIFY2(std::abs(lost.soFar().lostNs - truth) < 0.1 * truth,
                 qPrintable(QString("%1, %2").arg(lost.soFar().lostNs).arg(truth)));
    }
    void lostTimeOfOneRank() {
        QTemporaryDir dir;
        RandomRun run;
        run.ranks = 1;
        run.play();
        commitRun(run, storeIn(dir), {});
        auto reader = take(RunReader::open(storeIn(dir)));
        LostTimeReader lost;
        QVERIFY(take(lost.advance(reader)));
        QCOMPARE(lost.soFar(), LostTime{});
    }
    void timesAndEmptyIntervals() {
        QTemporaryDir dir;
        RandomRun run;
        run.play();
        commitRun(run, storeIn(dir), {});
        auto reader = take(RunReader::open(storeIn(dir)));
        QCOMPARE(take(reader.explainWaits({100, 200})).steps.count(), std::int64_t{0});
        QCOMPARE(take(reader.explainWaits({20, 10})).steps.count(), std::int64_t{0});
        QCOMPARE(take(reader.explainWaits({-5, INT64_MAX - 1})).steps.count(), std::int64_t{40});
        const auto all = take(reader.stepsBetween(0, INT64_MAX));
        QCOMPARE(all.first, std::int64_t{0});
        QCOMPARE(all.last, std::int64_t{39});
        QCOMPARE(take(reader.stepsBetween(-100, -1)).count(), std::int64_t{0});
        // a moment within a step belongs to that step, for at least one of the ranks
        std::int64_t atNs = 0;
        for (const auto& did : run.did)
            if (did.step == 12 && did.rank == 0 && did.phase == Phase::Forward)
                atNs = (did.beginNs + did.endNs) / 2;
        const auto one = take(reader.stepsBetween(atNs, atNs));
        QCOMPARE(one.first, std::int64_t{12});
        QCOMPARE(one.last, std::int64_t{12});
        QTemporaryDir empty;
        QVERIFY(RunWriter::open(storeIn(empty), synthetic::meta(4)));
        const WaitReport none = take(take(RunReader::open(storeIn(empty))).explainWaits({0, 1000}));
        QCOMPARE(none.steps.count(), std::int64_t{0});
        QVERIFY(none.matrix.cells().empty());
    }
    /// As imported runs may have: the gap between the steps costs nothing.
    void stepsFarApart() {
        QTemporaryDir dir;
        RandomRun run;
        run.ranks = 3;
        run.steps = 60;
        run.play();
        commitRun(run, storeIn(dir), {});
        const WaitReport near = take(take(RunReader::open(storeIn(dir))).explainWaits({0, 10'000'000}));
        {
            auto db = take(Database::open(storeIn(dir), OpenMode::ReadWrite));
            QVERIFY(db.execute("UPDATE step SET step=step+5000000000 WHERE step>=30;"
                               "UPDATE rank SET last_step=last_step+5000000000"));
        }
        int asked = 0;
        const WaitReport far = take(take(RunReader::open(storeIn(dir))).explainWaits({0, kMaxStep}, [&] {
            ++asked;
            return false;
        }));
        QCOMPARE(far.steps.last, std::int64_t{5'000'000'059});
        QCOMPARE(far.beginNs, near.beginNs);
        QCOMPARE(far.endNs, near.endNs);
        for (std::size_t r = 0; r < 3; ++r) {
            QCOMPARE(far.lengths[r].framesMax.n, std::int64_t{60});
            QCOMPARE(*far.lengths[r].framesMax.pearson, *near.lengths[r].framesMax.pearson);
        }
        QVERIFY2(asked < 60 + 10, qPrintable(QString::number(asked))); // each single step, and a few parts
    }
    void foreignRowsAreNotTrusted() {
        QTemporaryDir dir;
        RandomRun run;
        run.steps = 6;
        run.play();
        commitRun(run, storeIn(dir), {});
        auto db = take(Database::open(storeIn(dir), OpenMode::ReadWrite));
        QVERIFY(
            db.execute("UPDATE collective SET holder=99 WHERE step=2; UPDATE collective SET wait_ns=-7 WHERE step=3;"
                       "UPDATE collective SET arrived_ns=9223372036854775807, wait_ns=9223372036854775807 WHERE "
                       "step=4; UPDATE phase SET phase=200, end_ns=-9223372036854775808 WHERE step=5;"
                       "UPDATE collective SET tag=777 WHERE step=1"));
        const WaitReport report = take(take(RunReader::open(storeIn(dir))).explainWaits({0, 5}));
        QCOMPARE(report.replay.skipped, std::int64_t{3});
        QCOMPARE(report.replay.steps, std::int64_t{3});
        for (const auto& [key, sums] : report.matrix.cells())
            QVERIFY(sums.waitNs > 0 && std::get<1>(key) < 2);
    }
};

RANKSCOPE_TEST(TestExplainWaits)
#include "tst_wait_explainer.moc"
