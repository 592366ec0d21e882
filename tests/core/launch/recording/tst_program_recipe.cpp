// SPDX-License-Identifier: Apache-2.0
// The recipe that a watched program writes into the run's folder.
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/config/recipe/recipe.h"
#include "core/launch/recording/program_recipe.h"
#include "core/launch/run/run_folder.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace rankscope;
using namespace rankscope::launch;
using diagnosis::ProgramKeys;
using diagnosis::Settings;

/// What the observer writes for a NeMo program, without the sections that do not matter here.
static constexpr char kCtc[] = R"(# What NeMo trains with
model:
  sample_rate: 8000
  train_ds:
    batch_size: 4
    num_workers: 2
    drop_last: false
  encoder:
    _target_: nemo.collections.asr.modules.ConformerEncoder
    sync_max_audio_length: false
  decoder:
    _target_: nemo.collections.asr.modules.ConvASRDecoder
  target: nemo.collections.asr.models.EncDecCTCModelBPE
  nemo_version: 2.7.3
trainer:
  max_steps: 6
  devices: 2
rankscope:
  nemo: 2.7.3
)";

class TestProgramRecipe : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;

    RunPaths run() const { return {m_dir->path().toStdString()}; }
    void put(const std::string& text) const { QVERIFY(writeFileAtomic(run().programRecipe(), text)); }
    static std::string quickstart() { return readFile(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml").value_or(""); }
    /// Returns the recipe of the text.
    std::optional<ProgramRecipe> read(const std::string& text) const {
        put(text);
        auto found = ProgramRecipeFile(run()).changed();
        if (!found)
            qWarning("%s", found.error().message().c_str());
        return found ? std::move(*found) : std::nullopt;
    }

private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void eachRecipeComesOnce() {
        ProgramRecipeFile file(run());
        auto found = file.changed();
        QVERIFY(found && !*found); // there is none yet
        put(kCtc);
        found = file.changed();
        QVERIFY(found && *found);
        QCOMPARE((*found)->text, std::string(kCtc));
        QCOMPARE((*found)->from, std::string("NeMo 2.7.3"));
        found = file.changed();
        QVERIFY(found && !*found);
        put(quickstart()); // the program has begun another training
        found = file.changed();
        QVERIFY(found && *found);
        QCOMPARE((*found)->from, std::string("NeMo"));
    }
    void whatCannotBeReadIsAnErrorOnce() {
        for (const std::string& text : {std::string("a: [1"), std::string("- 1\n"), std::string(2u << 20, '#')}) {
            put(text);
            ProgramRecipeFile file(run());
            QVERIFY(!file.changed());
            const auto again = file.changed();
            QVERIFY(again && !*again);
        }
    }
    void onlyARegularFileIsRead() {
        const auto elsewhere = m_dir->filePath("elsewhere").toStdString();
        QVERIFY(writeFileAtomic(elsewhere, kCtc));
        QCOMPARE(::symlink(elsewhere.c_str(), run().programRecipe().c_str()), 0);
        QVERIFY(!ProgramRecipeFile(run()).changed());
        QCOMPARE(::unlink(run().programRecipe().c_str()), 0);
        QCOMPARE(::mkfifo(run().programRecipe().c_str(), 0600), 0);
        QVERIFY(!ProgramRecipeFile(run()).changed()); // and does not wait for a writer
    }
    void itBecomesTheRunsRecipe() {
        const auto recipe = read(quickstart());
        QVERIFY(recipe);
        RunInfo info;
        info.attached = true;
        QVERIFY(!info.hasRecipe());
        QVERIFY(keepProgramRecipe(run(), *recipe, info));
        QVERIFY(info.hasRecipe());
        QVERIFY(writeRunInfo(run(), info));
        const auto again = recordedRunInfo(run());
        QVERIFY(again && again->watched());
        QCOMPARE(again->recipeFrom, std::string("NeMo"));
        QVERIFY(again->canRelaunch());
        QCOMPARE(readFile(run().config()).value_or(""), quickstart());
        const auto now = recordedRecipe(run());
        QVERIFY(now && now->model.encoder.dModel == 64);
    }
    void anotherModelIsKeptAndNamed() {
        const auto recipe = read(kCtc);
        QVERIFY(recipe);
        RunInfo info;
        info.attached = true;
        QVERIFY(keepProgramRecipe(run(), *recipe, info));
        QVERIFY(info.hasRecipe() && !info.canRelaunch());
        const auto now = recordedRecipe(run());
        QVERIFY(!now);
        QVERIFY2(now.error().message().find("is not a NEST recipe") != std::string::npos,
                 now.error().message().c_str());
    }
    void theDetectorGetsItsKeys() {
        const auto ctc = read(kCtc);
        QVERIFY(ctc);
        Settings before;
        before.recipe = false;
        const Settings s = ctc->appliedTo(before);
        QCOMPARE(s.recipe, false);
        QCOMPARE(s.programKeys, ProgramKeys::Known);
        QCOMPARE(s.numWorkers, 2);
        QCOMPARE(s.limitsDuration, false);
        QCOMPARE(s.dropLast, std::optional(false));
        QCOMPARE(s.lengthSync, false);
        QCOMPARE(s.sampleRate, 8000);
        const auto hydra = read(std::string(kCtc) + "hydra:\n  config_name: ctc\n  overrides: []\n");
        QVERIFY(hydra);
        QCOMPARE(hydra->appliedTo(before).programKeys, ProgramKeys::Hydra);
        const auto bare = read("model:\n  train_ds:\n    is_tarred: true\n");
        QVERIFY(bare);
        const Settings little = bare->appliedTo(before);
        QCOMPARE(little.numWorkers, -1);
        QCOMPARE(little.lengthSync, true);
        QCOMPARE(little.dropLast, std::optional(true)); // of tar files, it decides nothing
        QCOMPARE(little.sampleRate, before.sampleRate);
    }
};

RANKSCOPE_TEST(TestProgramRecipe)
#include "tst_program_recipe.moc"
