// SPDX-License-Identifier: Apache-2.0
// One loader per manifest of a list, and the names of their losses, as in NeMo's resolve_validation_dataloaders.
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe.h"
#include "core/config/recipe/validation_sets.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope;
using namespace rankscope::config;
using namespace rankscope::config::test;

class TestValidationSets : public QObject {
    Q_OBJECT

    static Effective evaluated(std::vector<std::string> overrides) {
        return evaluate(goodRecipe(), "r.yaml", overrides);
    }
    static std::vector<ValidationSet> sets(const std::vector<std::string>& overrides) {
        const Effective effective = evaluated(overrides);
        const auto recipe = readRecipe(effective.text, "r.yaml");
        if (!recipe)
            qFatal("%s", recipe.error().message().c_str());
        return validationSets(*recipe);
    }
    static QString errorOf(const std::vector<std::string>& overrides) {
        const auto error = firstError(evaluated(overrides), "r.yaml");
        return error ? QString::fromStdString(error->message()) : QString();
    }
    static std::string manifests(const std::string& value) { return "model.validation_ds.manifest_filepath=" + value; }

private Q_SLOTS:
    void oneForEachManifest() {
        const auto two = sets({manifests("[/data/val_a.json,/data/val-b_manifest.json]")});
        QCOMPARE(two.size(), std::size_t{2});
        COMPARE_TEXT(two[0].lossName, "val_a_val_loss");
        COMPARE_TEXT(two[1].lossName, "val_b_val_loss");
        QVERIFY(two[0].monitored && !two[1].monitored);
        QCOMPARE(two[1].data.manifests, std::vector<std::string>{"/data/val-b_manifest.json"});
        QCOMPARE(two[1].data.buckets.size(), std::size_t{1});
        QVERIFY(sets({manifests("[a.json,b.json]"), "+model.validation_ds.val_dl_idx=1"})[1].monitored);
        const auto named = sets({manifests("[a.json,b.json]"), "+model.validation_ds.name=[clean,very-noisy]"});
        COMPARE_TEXT(named[1].lossName, "very_noisy_val_loss");
    }

    void oneWhereNemoMakesOne_data() {
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("more");
        QTest::addColumn<int>("manifests");
        QTest::newRow("a path") << "a.json"
                                << "" << 1;
        QTest::newRow("a list of one") << "[a.json]"
                                       << "" << 1;
        QTest::newRow("joined by a comma") << "'a.json,b.json'"
                                           << "" << 2;
        QTest::newRow("buckets") << "[[a.json],[b.json]]"
                                 << "" << 2;
        QTest::newRow("a negative index") << "[a.json,b.json]"
                                          << "+model.validation_ds.val_dl_idx=-1" << 2;
    }
    void oneWhereNemoMakesOne() {
        QFETCH(QString, value);
        QFETCH(QString, more);
        QFETCH(int, manifests);
        std::vector<std::string> overrides{TestValidationSets::manifests(value.toStdString())};
        if (!more.isEmpty())
            overrides.push_back(more.toStdString());
        const auto one = sets(overrides);
        QCOMPARE(one.size(), std::size_t{1});
        COMPARE_TEXT(one[0].lossName, "val_loss");
        QVERIFY(one[0].monitored);
        QCOMPARE(one[0].data.manifests.size(), static_cast<std::size_t>(manifests));
    }

    void none() { QVERIFY(sets({"~model.validation_ds"}).empty()); }

    void namesAsNemoMakesThem() {
        COMPARE_TEXT(validationSetName("/x/dev_other.json"), "dev_other_");
        COMPARE_TEXT(validationSetName("librispeech-dev_manifest.json"), "librispeech_dev_");
        COMPARE_TEXT(validationSetName("a.b.json"), "a.b_");
        COMPARE_TEXT(validationSetName("manifest_dataset_5.json"), "__5_");
        COMPARE_TEXT(validationSetName("manifest.json"), "");
    }

    void whatCannotBe() {
        const std::string two = manifests("[a.json,b.json]");
        QVERIFY2(errorOf({two, "+model.validation_ds.val_dl_idx=2"}).contains("val_dl_idx is 2, but there are 2 sets"),
                 qPrintable(errorOf({two, "+model.validation_ds.val_dl_idx=2"})));
        QVERIFY(errorOf({manifests("a.json"), "+model.validation_ds.val_dl_idx=1"}).contains("is one validation set"));
        QVERIFY(errorOf({two, "+model.validation_ds.name=[x]"}).contains("has 1 items"));
        QVERIFY(errorOf({manifests("[manifest.json,b.json]")}).contains("leaves no name"));
        const Effective alike = evaluated({manifests("[x/dev.json,y/dev.json]")});
        const Problem* problem = problemOf(alike, "model.validation_ds.manifest_filepath");
        QVERIFY(problem && problem->severity == Problem::Severity::Warning && !problem->blocksLaunch);
    }

    void eachLossCanBeMonitored() {
        const std::string two = manifests("[val_a.json,val_b.json]");
        const auto monitor = [](const std::string& name) {
            return "exp_manager.checkpoint_callback_params.monitor=" + name;
        };
        const auto blocked = [](const Effective& effective) {
            const Problem* problem = problemOf(effective, "exp_manager.checkpoint_callback_params.monitor");
            return problem && problem->blocksLaunch;
        };
        for (const char* name : {"val_loss", "val_b_val_loss", "train_loss", "null"})
            QVERIFY2(!blocked(evaluated({two, monitor(name)})), name);
        QVERIFY(blocked(evaluated({two, monitor("val_c_val_loss")})));
        QVERIFY(blocked(evaluated({manifests("val_b.json"), monitor("val_b_val_loss")})));
    }
};

RANKSCOPE_CORE_TEST(TestValidationSets)
#include "tst_validation_sets.moc"
