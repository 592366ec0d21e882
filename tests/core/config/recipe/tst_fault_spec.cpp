// SPDX-License-Identifier: Apache-2.0
// Faults as they are requested: in a recipe and on the command line.
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/fault_spec.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope;
using namespace rankscope::config;
using namespace rankscope::config::test;

class TestFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void kindsAreThoseThatTheRecipeTakes() {
        const SectionSpec* spec = builtinSchema().section("rankscope.faults[]");
        QVERIFY(spec);
        std::vector<std::string> kinds;
        for (const auto& kind : faultKinds()) {
            kinds.emplace_back(kind.name);
            QVERIFY(!kind.does.empty());
            for (const auto key : kind.keys)
                QVERIFY2(spec->find(key), std::string(key).c_str());
            for (const auto phase : kind.phases) {
                const auto& all = spec->find("phase")->choices;
                QVERIFY2(std::find(all.begin(), all.end(), phase) != all.end(), std::string(phase).c_str());
            }
            const bool takesPhase = std::find(kind.keys.begin(), kind.keys.end(), "phase") != kind.keys.end();
            QCOMPARE(takesPhase, !kind.phases.empty());
        }
        QCOMPARE(kinds, spec->find("kind")->choices);
    }

    void everyKeyOfSomeKind() {
        for (const auto& key : builtinSchema().section("rankscope.faults[]")->keys) {
            const bool used = std::any_of(faultKinds().begin(), faultKinds().end(), [&](const FaultKind& kind) {
                return std::find(kind.keys.begin(), kind.keys.end(), key.name) != kind.keys.end();
            });
            QVERIFY2(used || key.name == "kind" || key.name == "rank", key.name.c_str());
        }
    }

    void argument() {
        const auto fault = parseFault("slow_compute:rank=3,step=40,steps=2,seconds=0.5,layer=1");
        QVERIFY2(fault, fault ? "" : fault.error().message().c_str());
        COMPARE_TEXT(fault->kind, "slow_compute");
        QCOMPARE(fault->rank, 3);
        QCOMPARE(fault->step, 40);
        QCOMPARE(fault->steps, 2);
        QCOMPARE(fault->seconds, 0.5);
        QCOMPARE(fault->layer, 1);
        const auto bare = parseFault("stopped");
        QVERIFY(bare);
        QCOMPARE(bare->rank, 0);
        QCOMPARE(bare->seconds, 5.0);
        QCOMPARE(parseFault("slow_rank:rank=1")->steps, kToTheEnd);
        QCOMPARE(parseFault("slow_rank:rank=1,steps=4")->steps, 4);
        COMPARE_TEXT(parseFault("other_settings:rank=1,set=model.train_ds.batch_size=4")->set,
                     "model.train_ds.batch_size=4");
        COMPARE_TEXT(parseFault("dead:signal=SIGSEGV")->signal, "SIGSEGV");
    }

    void refused_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("says");
        const auto row = [](const char* text, const QStringList& says) { QTest::newRow(text) << text << says; };
        row("dataloading:rank=1", {"\"dataloading\" is not a kind of fault", "did you mean data_loading", "slow_rank"});
        row("", {"\"\" is not a kind of fault"});
        row("dead:rank", {"\"rank\" must be key=value"});
        row("dead:rank=", {"\"rank=\" must be key=value"});
        row("dead:=3", {"\"=3\" must be key=value"});
        row("dead:rank=one", {"rank must be a whole number"});
        row("dead:rank=1.5", {"rank must be a whole number"});
        row("dead:rank=-1", {"rank is -1, must be at least 0"});
        row("dead:rank=99999999999999999999", {"rank 99999999999999999999 does not fit in 64 bits"});
        row("dead:rank=1,rank=2", {"rank is given twice"});
        row("dead:rank=1,", {"ends with a comma"});
        row("dead:rank=1,,step=2", {"\"\" must be key=value"});
        row("dead:rnk=1", {"dead does not take rnk", "it takes rank, step, signal", "did you mean rank"});
        row("dead:seconds=3", {"dead does not take seconds"});
        row("dead:signal=SIGFOO", {"signal is SIGFOO, must be one of"});
        row("data_loading:seconds=0", {"seconds is 0, must be above 0"});
        row("data_loading:seconds=nan", {"seconds"});
        row("slow_rank:factor=1", {"factor is 1, must be above 1"});
        row("slow_compute:phase=data_wait", {"phase is data_wait, but a slow_compute fault takes forward, loss"});
        row("preprocessing:phase=lunch", {"phase is lunch, must be one of"});
        row("other_settings:rank=1", {"needs set=KEY=VALUE"});
        row("other_settings:set=batch_size", {"set is batch_size, must be key=value"});
        row("other_settings:set=a='b", {"must not contain quotes"});
    }
    void refused() {
        QFETCH(QString, text);
        QFETCH(QStringList, says);
        const auto fault = parseFault(text.toStdString());
        QVERIFY(!fault);
        QCOMPARE(fault.error().code, Errc::BadInput);
        COMPARE_TEXT(fault.error().where, "--fault " + text.toStdString());
        for (const QString& part : says)
            QVERIFY2(QString::fromStdString(fault.error().what.english()).contains(part),
                     fault.error().what.english().c_str());
    }

    /// A fault from the command line is unchanged after a round trip through the effective recipe.
    void throughTheRecipe_data() {
        QTest::addColumn<QString>("text");
        for (const char* text : {"data_loading:rank=1,step=40,seconds=5",
                                 "slow_reader:rank=1,step=3,steps=9,seconds=0.25",
                                 "preprocessing:phase=augment,seconds=3",
                                 "long_batch:step=2,seconds=60",
                                 "uneven_batches:rank=1,step=7",
                                 "no_length_sync:rank=1,step=5",
                                 "other_settings:rank=1,set=model.train_ds.batch_size=4",
                                 "never_joined:rank=2,seconds=90",
                                 "stopped:rank=1,step=6,phase=backward",
                                 "dead:signal=SIGABRT,step=2",
                                 "dead:exit_code=9,phase=data_wait",
                                 "out_of_memory:rank=1,megabytes=64",
                                 "slow_compute:layer=1",
                                 "slow_compute:place=decoder,steps=3",
                                 "slow_rank:rank=1,factor=1.3",
                                 "slow_rank:steps=20",
                                 "checkpoint:step=5,seconds=2.5",
                                 "nan_input:rank=1,step=3",
                                 "inf_loss:step=3",
                                 "empty_batch:step=3,steps=2",
                                 "stuck_collective:rank=1,step=4,collective=sync_batchnorm:layers.0"})
            QTest::newRow(text) << text;
    }
    void throughTheRecipe() {
        QFETCH(QString, text);
        const auto asked = parseFault(text.toStdString());
        QVERIFY2(asked, asked ? "" : asked.error().message().c_str());
        const Effective e = evaluate(goodRecipe(), "r.yaml", {"++rankscope.faults=[" + faultYaml(*asked) + "]"});
        const auto error = firstError(e, "r.yaml");
        QVERIFY2(!error, error ? error->message().c_str() : "");
        const auto recipe = readRecipe(e.text, "effective.yaml");
        QVERIFY2(recipe, recipe ? "" : recipe.error().message().c_str());
        QCOMPARE(recipe->rankscope.faults.size(), std::size_t(1));
        const FaultConfig& got = recipe->rankscope.faults.front();
        COMPARE_TEXT(faultYaml(got), faultYaml(*asked));
        COMPARE_TEXT(faultSpecText(got), faultSpecText(*asked));
        QCOMPARE(got.rank, asked->rank);
        QCOMPARE(got.step, asked->step);
        QCOMPARE(got.steps, asked->steps);
        QCOMPARE(got.seconds, asked->seconds);
        QCOMPARE(got.factor, asked->factor);
        QCOMPARE(got.layer, asked->layer);
        QCOMPARE(got.megabytes, asked->megabytes);
        COMPARE_TEXT(got.phase, asked->phase);
        COMPARE_TEXT(got.place, asked->place);
        COMPARE_TEXT(got.collective, asked->collective);
        COMPARE_TEXT(got.set, asked->set);
    }

    void described() {
        COMPARE_TEXT(faultSpecText(*parseFault("data_loading:rank=1,step=60,seconds=5")),
                     "data_loading on rank 1 at step 60, 5 s");
        COMPARE_TEXT(faultSpecText(*parseFault("slow_compute:rank=0,step=2,steps=3,seconds=0.5,layer=1")),
                     "slow_compute on rank 0 at step 2 to 4, 0.5 s, layer 1");
        COMPARE_TEXT(faultSpecText(*parseFault("dead:rank=2,step=7,signal=SIGKILL")),
                     "dead on rank 2 at step 7, signal SIGKILL");
        COMPARE_TEXT(faultSpecText(*parseFault("slow_rank:rank=2,step=7,factor=1.5")),
                     "slow_rank on rank 2 at step 7 and all that follow, factor 1.5");
        COMPARE_TEXT(faultSpecText(*parseFault("never_joined:rank=2,seconds=90")), "never_joined on rank 2, 90 s");
    }

    void keyOfAnotherKindInARecipe() {
        const auto bad = [](const char* item) {
            return firstError(evaluate(goodRecipe(), "r.yaml", {std::string("++rankscope.faults=[") + item + "]"}),
                              "r.yaml");
        };
        QVERIFY(!bad("{kind: dead, rank: 1, step: 3}"));
        auto error = bad("{kind: dead, rank: 1, seconds: 3}");
        QVERIFY(error);
        QVERIFY2(error->message().find("rankscope.faults.seconds is not a key of a dead fault; it takes rank, step") !=
                     std::string::npos,
                 error->message().c_str());
        error = bad("{kind: other_settings, rank: 1}");
        QVERIFY(error);
        QVERIFY2(error->message().find("rankscope.faults.set is missing") != std::string::npos,
                 error->message().c_str());
        error = bad("{kind: slow_compute, phase: augment}");
        QVERIFY(error);
        QVERIFY2(error->message().find("takes forward, loss, backward, optimizer") != std::string::npos,
                 error->message().c_str());
    }
};

RANKSCOPE_CORE_TEST(TestFaults)
#include "tst_fault_spec.moc"
