// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/file.h"
#include "core/launch/recording/run_creation.h"
#include "core/launch/run/checkpoint_list.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

using namespace rankscope;
using namespace rankscope::launch;
namespace fs = std::filesystem;

class TestCheckpointList : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;

    RunPaths run() const { return RunPaths{fs::path(m_dir->path().toStdString()) / "run"}; }

    void write(const std::string& name, const nlohmann::json& state, const char* format = "rankscope-train-state") {
        const nlohmann::json header{{"__metadata__", {{"format", format}, {"version", "1"}, {"state", state.dump()}}},
                                    {"model.x", {{"dtype", "F32"}, {"shape", {1}}, {"data_offsets", {0, 4}}}}};
        std::string text = header.dump();
        text.resize((text.size() + 7) / 8 * 8, ' ');
        std::ofstream file(run().checkpoints() / name, std::ios::binary);
        for (int byte = 0; byte < 8; ++byte)
            file.put(static_cast<char>(text.size() >> (8 * byte) & 0xff));
        file << text << std::string(4, '\0');
    }
    static nlohmann::json state(int step, const char* loss) {
        return {{"step", step}, {"epoch", 2}, {"metrics", {{"val_loss", loss}}}};
    }
    void recipe(const std::string& mode) {
        const auto quickstart = readFile(fs::path(RANKSCOPE_SOURCE_DIR) / "configs" / "quickstart.yaml");
        QVERIFY(quickstart);
        std::ofstream(run().effective()) << *quickstart
                                         << "\nexp_manager:\n  checkpoint_callback_params:\n    monitor: val_loss\n"
                                            "    mode: "
                                         << mode << "\n";
    }

private Q_SLOTS:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        fs::create_directories(run().checkpoints());
    }

    void aRunWithout() {
        fs::remove_all(run().checkpoints());
        const auto none = listCheckpoints(run());
        QVERIFY(none && none->files.empty() && none->models.empty() && !newestUsable(*none));
    }
    void newestFirstWithBestAndLast() {
        recipe("min");
        write("a.safetensors", state(20, "4.5"));
        write("b.safetensors", state(40, "4.25"));
        write("c.safetensors", state(60, "nan"));
        fs::create_hard_link(run().checkpoints() / "c.safetensors", run().checkpoints() / "last.safetensors");
        std::ofstream(run().checkpoints() / "x.nemo") << "1234";
        std::ofstream(run().checkpoints() / ".d.safetensors.abc123.part") << "";
        const auto all = listCheckpoints(run());
        QVERIFY(all);
        QCOMPARE(all->files.size(), 3u); // two names of one file are listed once
        QCOMPARE(all->files[0].name, std::string("c.safetensors"));
        QVERIFY(all->files[0].last && !all->files[0].best);
        QVERIFY(all->files[1].best);
        QCOMPARE(all->files[1].metrics.at("val_loss"), 4.25);
        QCOMPARE(all->files[2].steps, 20);
        QCOMPARE(all->files[2].epoch, 2);
        QCOMPARE(all->models.size(), 1u);
        QCOMPARE(all->models[0].bytes, 4u);
        QCOMPARE(all->models[0].steps, -1); // it does not say
        QCOMPARE(newestUsable(*all)->steps, 60);
        recipe("max");
        QVERIFY(listCheckpoints(run())->files[2].best);
    }
    /// Older versions did not record whether the weights are finite: only the loss shows it.
    void weightsThatAreNotFinite() {
        const auto after = [](int step, const char* loss) {
            return nlohmann::json{{"step", step}, {"metrics", {{"train_loss", loss}}}};
        };
        write("a.safetensors", after(20, "4.5"));
        write("b.safetensors", after(40, "nan"));
        auto known = after(30, "nan"); // only this step's loss is NaN
        known["extras"] = {{"weights", "finite"}};
        write("c.safetensors", known);
        const auto all = listCheckpoints(run());
        QVERIFY(all && all->files.size() == 3);
        QCOMPARE(all->files[0].problem, std::string("its weights are not finite"));
        QCOMPARE(newestUsable(*all)->name, std::string("c.safetensors"));
    }
    void withoutARecipeTheSmallestValidationIsBest() {
        write("a.safetensors", state(20, "4.5"));
        write("b.safetensors", state(40, "4.75"));
        const auto all = listCheckpoints(run());
        QVERIFY(all && all->files[1].best && !all->files[0].best);
    }
    void damagedOnesAreNamed() {
        write("a.safetensors", state(20, "4.5"));
        write("foreign.safetensors", state(30, "1"), "pt");
        write("nostep.safetensors", {{"epoch", 1}});
        std::ofstream(run().checkpoints() / "cut.safetensors") << "abc";
        const auto all = listCheckpoints(run());
        QVERIFY(all);
        QCOMPARE(all->files.size(), 4u);
        QCOMPARE(all->files[0].name, std::string("a.safetensors"));
        QVERIFY(all->files[0].problem.empty());
        for (std::size_t i = 1; i < 4; ++i)
            QVERIFY2(!all->files[i].problem.empty() && !all->files[i].best, all->files[i].name.c_str());
        QCOMPARE(newestUsable(*all)->name, std::string("a.safetensors"));
    }
    /// A run that is resumed from a chosen checkpoint begins with that one as its newest.
    void theChosenOneAloneIsTaken() {
        write("a.safetensors", state(20, "4.5"));
        write("b.safetensors", state(40, "4.25"));
        PreparedLaunch plan;
        plan.run.dir = fs::path(m_dir->path().toStdString()) / "runs" / "20260101-100000-x-0001";
        plan.checkpoints = run().checkpoints();
        plan.checkpoint = "a.safetensors";
        RunInfo info;
        info.id = plan.run.dir.filename().string();
        info.worldSize = 1;
        const auto lock = createRunFolder(plan, info);
        QVERIFY2(lock.has_value(), lock ? "" : lock.error().message().c_str());
        const auto taken = listCheckpoints(plan.run);
        QVERIFY(taken);
        QCOMPARE(taken->files.size(), 1u);
        QCOMPARE(taken->files[0].steps, 20);
    }
};

RANKSCOPE_CORE_TEST(TestCheckpointList)
#include "tst_checkpoint_list.moc"
