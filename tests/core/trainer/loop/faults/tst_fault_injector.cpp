// SPDX-License-Identifier: Apache-2.0
// What the faults of one rank do, and when; each is reported once. Whole runs with faults are in tests/acceptance.
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/fault_spec.h"
#include "core/trainer/loop/faults/fault_injector.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <new>
#include <thread>

using namespace rankscope;
using namespace rankscope::trainer;
using telemetry::ForwardSite;
using telemetry::Phase;

namespace {

constexpr int kRate = 16000;

/// The faults of rank 1, with one batch per step and ten steps per epoch.
struct Bench {
    explicit Bench(const std::vector<std::string>& asked) {
        std::vector<config::FaultConfig> all;
        for (const auto& text : asked) {
            const auto fault = config::parseFault(text);
            if (!fault) {
                throw std::runtime_error(fault.error().message());
            }
            all.push_back(*fault);
        }
        faults = std::make_unique<Faults>(
            all, 1, kRate, [this] { return interrupted; },
            [this](std::int64_t step, const std::string& text) { told.emplace_back(step, text); });
        faults->setPlan({10, 1, -1, -1, 10});
    }

    bool interrupted = false;
    std::vector<std::pair<std::int64_t, std::string>> told;
    std::unique_ptr<Faults> faults;
};

Batch batchOf(const std::vector<std::int64_t>& lengths) {
    Batch batch;
    batch.samples = lengths;
    const std::int64_t longest = *std::max_element(lengths.begin(), lengths.end());
    batch.audio = torch::randn({static_cast<std::int64_t>(lengths.size()), longest});
    batch.noisy = batch.audio + 0.1;
    batch.audioLen = torch::tensor(lengths, torch::kInt64);
    batch.noisyLen = batch.audioLen.clone();
    return batch;
}

std::int64_t processorNs() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void compute(std::int64_t cpuNs) {
    for (const std::int64_t until = processorNs() + cpuNs; processorNs() < until;) {
    }
}

} // namespace

class TestFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void offUnlessAskedFor() {
        Bench none({});
        QVERIFY(!none.faults->any());
        Bench others({"dead:rank=0,step=1", "inf_loss:rank=2,step=1"});
        QVERIFY(!others.faults->any());
        for (std::int64_t step = 0; step < 5; ++step) {
            others.faults->enter(Phase::Forward, step);
            QVERIFY(others.faults->hasBatch(step) && others.faults->syncsLength(step) && others.faults->masks(step));
            QVERIFY(!others.faults->lossIsInfinite(step));
        }
        QVERIFY(others.told.empty());
    }

    void stepsInWhichTheyAct() {
        Bench b({"no_length_sync:rank=1,step=3,steps=2", "empty_batch:rank=1,step=2", "inf_loss:rank=1,step=4",
                 "uneven_batches:rank=1,step=6"});
        for (std::int64_t step = 0; step < 9; ++step) {
            QCOMPARE(b.faults->syncsLength(step), step != 3 && step != 4);
            QCOMPARE(b.faults->masks(step), step != 2);
            QCOMPARE(b.faults->lossIsInfinite(step), step == 4);
            QCOMPARE(b.faults->hasBatch(step), step < 6); // it never gets another batch
        }
        QCOMPARE(b.told.size(), std::size_t(4)); // each once
        QCOMPARE(b.told.front().first, 2);
        QCOMPARE(b.told.front().second, std::string("fault begins: empty_batch on rank 1 at step 2"));
    }

    void spoiltAudio() {
        Batch batch = batchOf({kRate, kRate / 2});
        Bench b({"nan_input:rank=1,step=3"});
        b.faults->afterBatch(2, batch);
        QVERIFY(torch::isfinite(batch.audio).all().item<bool>());
        b.faults->afterBatch(3, batch);
        for (const auto& audio : {batch.audio, batch.noisy}) {
            QVERIFY(torch::isnan(audio[0]).any().item<bool>());
            QVERIFY(!torch::isnan(audio[0]).all().item<bool>());
            QVERIFY(torch::isfinite(audio[1]).all().item<bool>());
        }
        QVERIFY(b.told.empty()); // batches are prefetched: the fault begins when the step takes the batch
        b.faults->enter(Phase::ToDevice, 3);
        QCOMPARE(b.told.size(), std::size_t(1));
        QCOMPARE(b.told.front().first, 3);
    }

    void lengthenedBatch() {
        Batch batch = batchOf({1000, 400});
        const auto before = batch.audio.clone();
        Bench b({"long_batch:rank=1,step=3,seconds=2"});
        b.faults->afterBatch(3, batch);
        QCOMPARE(batch.samples, std::vector<std::int64_t>(2, 2 * kRate));
        QCOMPARE(batch.audio.size(1), 2 * kRate);
        QVERIFY(batch.audio[1].slice(0, 400, 800).equal(before[1].slice(0, 0, 400))); // the audio is repeated
    }

    void slowFilesOfTheStepOnly() {
        Bench b({"slow_reader:rank=1,step=3,seconds=0.001"});
        b.faults->beforeFile(2);
        QVERIFY(b.told.empty());
        b.faults->beforeFile(3);
        b.faults->beforeFile(3);
        b.faults->beforeFile(4);
        QCOMPARE(b.told.size(), std::size_t(1));
    }

    /// The test does not wait an hour: sleeping faults end with the run.
    void sleepersAreWoken() {
        Bench b({"slow_reader:rank=1,step=0,seconds=3600", "never_joined:rank=1,seconds=3600",
                 "stuck_collective:rank=1,step=0,seconds=3600", "checkpoint:rank=1,seconds=3600"});
        std::thread sleeper([&] {
            b.faults->beforeFile(0);
            b.faults->beforeJoin();
            b.faults->insideCollective("metrics", 0);
            b.faults->inCheckpoint(1);
        });
        b.faults->cancel();
        sleeper.join();
        QCOMPARE(b.told.size(), std::size_t(4));
        Bench spinner({"slow_compute:rank=1,step=0,seconds=3600"});
        spinner.interrupted = true;
        spinner.faults->enter(Phase::Forward, 0);
    }

    void whereInForward() {
        Bench b({"slow_compute:rank=1,step=2,seconds=0.001,layer=1",
                 "slow_compute:rank=1,step=2,seconds=0.001,"
                 "place=decoder",
                 "slow_compute:rank=1,step=2,seconds=0.001,phase=backward",
                 "slow_compute:rank=1,step=2,seconds=0.001,phase=backward,layer=0"});
        std::vector<std::size_t> after;
        const auto note = [&] { after.push_back(b.told.size()); };
        b.faults->enter(Phase::Forward, 2), note();
        b.faults->enter(ForwardSite::Subsampling, -1, 2), note();
        b.faults->enter(ForwardSite::Layer, 0, 2), note();
        b.faults->enter(ForwardSite::Layer, 1, 2), note();
        b.faults->enter(ForwardSite::Decoder, -1, 2), note();
        b.faults->enter(ForwardSite::None, -1, 2), note();
        b.faults->enter(Phase::Loss, 2), note();
        b.faults->enter(Phase::Backward, 2), note();
        b.faults->enter(ForwardSite::Layer, 1, 2), note();
        b.faults->enter(ForwardSite::Layer, 0, 2), note();
        QCOMPARE(after, (std::vector<std::size_t>{0, 0, 0, 1, 2, 2, 2, 3, 3, 4}));
    }

    void phasesOfAnEnd_data() {
        QTest::addColumn<QString>("fault");
        QTest::addColumn<int>("phase");
        QTest::newRow("by itself in forward") << "dead:rank=1,step=1,exit_code=9" << int(Phase::Forward);
        QTest::newRow("data_wait") << "dead:rank=1,step=1,exit_code=9,phase=data_wait" << int(Phase::DataWait);
        QTest::newRow("optimizer") << "dead:rank=1,step=1,exit_code=9,phase=optimizer" << int(Phase::Optimizer);
    }
    void phasesOfAnEnd() {
        QFETCH(QString, fault);
        QFETCH(int, phase);
        Bench b({fault.toStdString()});
        for (const Phase p : {Phase::DataWait, Phase::Forward, Phase::Optimizer}) {
            b.faults->enter(p, 0); // another step
            const pid_t child = ::fork();
            if (child == 0) {
                b.faults->enter(p, 1);
                ::_exit(0);
            }
            int status = 0;
            QCOMPARE(::waitpid(child, &status, 0), child);
            QVERIFY(WIFEXITED(status));
            QCOMPARE(WEXITSTATUS(status), int(p) == phase ? 9 : 0);
        }
    }

    void endBySignal() {
        Bench b({"dead:rank=1,step=1,signal=SIGKILL"});
        const pid_t child = ::fork();
        if (child == 0) {
            b.faults->enter(Phase::Forward, 1);
            ::_exit(0);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFSIGNALED(status));
        QCOMPARE(WTERMSIG(status), SIGKILL);
    }

    /// Runs in a child, because the limit stays with the process. It may take 32 MiB; the test measures how much it
    /// really took.
    void memoryEndsWithAnException() {
        Bench b({"out_of_memory:rank=1,step=1,megabytes=32"});
        const pid_t child = ::fork();
        if (child == 0) {
            rusage before{}, after{};
            ::getrusage(RUSAGE_SELF, &before);
            int code = 1;
            try {
                b.faults->enter(Phase::Forward, 1);
            } catch (const std::bad_alloc&) {
                ::getrusage(RUSAGE_SELF, &after);
                code = after.ru_maxrss - before.ru_maxrss < 64 * 1024 ? 0 : 2;
            }
            ::_exit(code);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }

    void insideTheNamedCollectiveOnce() {
        Bench b({"stuck_collective:rank=1,step=2,seconds=0.001,collective=sync_batchnorm"});
        b.faults->insideCollective("sync_batchnorm:layers.0", 1);
        b.faults->insideCollective("sync_max_audio_length", 2);
        QVERIFY(b.told.empty());
        b.faults->insideCollective("sync_batchnorm:layers.0", 2);
        b.faults->insideCollective("sync_batchnorm:layers.1", 2);
        QCOMPARE(b.told.size(), std::size_t(1));
    }

    void firstCheckpointsFromAStepOn() {
        Bench b({"checkpoint:rank=1,step=5,steps=2,seconds=0.001"});
        b.faults->inCheckpoint(4);
        QVERIFY(b.told.empty());
        b.faults->inCheckpoint(8);
        QCOMPARE(b.told.size(), std::size_t(1));
        QCOMPARE(b.told.front().first, 8);
    }

    /// Measured in processor time, so that a busy machine does not change the result.
    void aSlowRankTakesItsFactor() {
        Bench b({"slow_rank:rank=1,step=1,factor=1.5"});
        const auto step = [&](std::int64_t number) {
            const std::int64_t begin = processorNs();
            b.faults->enter(Phase::Preprocess, number);
            compute(4'000'000);
            b.faults->enter(Phase::Augment, number);
            b.faults->enter(Phase::Forward, number);
            compute(10'000'000);
            b.faults->enter(ForwardSite::Decoder, -1, number);
            compute(10'000'000);
            b.faults->enter(ForwardSite::None, -1, number);
            b.faults->enter(Phase::Loss, number);
            b.faults->enter(Phase::Backward, number);
            compute(10'000'000);
            b.faults->enter(ForwardSite::Layer, 0, number); // backward reports its layers too
            compute(10'000'000);
            b.faults->enter(Phase::Optimizer, number);
            return static_cast<double>(processorNs() - begin) * 1e-6;
        };
        const double healthy = step(0), first = step(1), second = step(2);
        QVERIFY2(healthy < 50, qPrintable(QString::number(healthy)));
        // preprocessing is not slowed down, and the duration of the first backward is not known yet
        QVERIFY2(first >= 4 + 20 * 1.5 + 20 - 1 && first < 54 + 15, qPrintable(QString::number(first)));
        QVERIFY2(second >= 4 + 40 * 1.5 - 1 && second < 64 + 15, qPrintable(QString::number(second)));
        QCOMPARE(b.told.size(), std::size_t(1));
    }

    void signalsByName() {
        QCOMPARE(signalByName("SIGKILL"), SIGKILL);
        QCOMPARE(signalByName("SIGSEGV"), SIGSEGV);
        QCOMPARE(signalByName("SIGNOTHING"), 0);
        QCOMPARE(signalByName(""), 0);
    }

    void everyNamedPhaseIsOne() {
        for (const auto& kind : config::faultKinds()) {
            for (const auto phase : kind.phases) {
                QVERIFY2(phaseNamed(phase), std::string(phase).c_str());
            }
        }
        QVERIFY(!phaseNamed("lunch"));
        QVERIFY(!phaseNamed(""));
        QCOMPARE(placeNamed("decoder").value(), ForwardSite::Decoder);
    }

    void otherSettingsOfOneRank() {
        const QByteArray file = RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml";
        QFile yaml(file);
        QVERIFY(yaml.open(QIODevice::ReadOnly));
        const std::string text = yaml.readAll().toStdString();
        auto recipe = config::readRecipe(text, "quickstart.yaml");
        QVERIFY2(recipe, recipe ? "" : recipe.error().message().c_str());
        const auto fault = config::parseFault("other_settings:rank=1,set=model.train_ds.batch_size=3");
        QVERIFY(fault);
        recipe->rankscope.faults = {*fault};
        const auto mine = textForRank(text, *recipe, 0), theirs = textForRank(text, *recipe, 1);
        QVERIFY(mine && theirs);
        QCOMPARE(*mine, text);
        const auto changed = config::readRecipe(*theirs, "quickstart.yaml");
        QVERIFY2(changed, changed ? "" : changed.error().message().c_str());
        QCOMPARE(changed->train.batchSize, 3);
        QVERIFY(recipe->train.batchSize != 3);
        QVERIFY(changed->configHash != recipe->configHash);
        recipe->rankscope.faults.front().set = "model.train_ds.batch_size=0";
        const auto bad = textForRank(text, *recipe, 1);
        QVERIFY(!bad);
        QVERIFY2(bad.error().message().find("rank 1") != std::string::npos, bad.error().message().c_str());
    }
};

RANKSCOPE_CORE_TEST(TestFaults)
#include "tst_fault_injector.moc"
