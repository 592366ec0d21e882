// SPDX-License-Identifier: Apache-2.0
// Which checkpoints of a run are kept, and which one it resumes from.
#include "core/trainer/checkpoint/checkpoint_folder.h"
#include "tests/core/trainer/checkpoint/support.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include <cmath>
#include <limits>

using namespace rankscope;
using namespace rankscope::trainer;
using namespace rankscope::trainer::test;

namespace {

using MonitorMode = CheckpointOptions::MonitorMode;

TrainState stateAt(std::int64_t step, double loss = 0) {
    TrainState s;
    s.progress.step = step;
    s.progress.metrics = {{"val_loss", loss}};
    s.model = {{"w", torch::full({8}, static_cast<double>(step))}};
    return s;
}

CheckpointFolder opened(const CheckpointOptions& options) {
    auto folder = CheckpointFolder::open(options);
    if (!folder)
        throw std::runtime_error(folder.error().message());
    return std::move(*folder);
}

} // namespace

class TestCheckpointFolder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsTheBest_data();
    void keepsTheBest();
    void ofSeveralWithoutAValueTheNewestStays();
    void lastFollowsEverySave();
    void aSecondOpenTakesUpWhatIsThere();
    void leftOversGo();
    void theSameStepAgain();
    void namesOfTheCallers();
    void lastAlone();
    void unknownMetric();
    void newestSkipsDamagedFiles();
    void newestSkipsWeightsThatAreNotFinite();
    void newestOfNothing();
    void aFileSystemThatRefuses();
    void aFullDisk();
    void aLinkedFolderIsLeftAlone();

private:
    QStringList files() const { return QDir(m_dir->path()).entryList(QDir::Files | QDir::Hidden, QDir::Name); }
    CheckpointOptions options(int keep, MonitorMode mode = MonitorMode::Min, const char* monitor = "val_loss") const {
        return {m_dir->path().toStdString(), keep, monitor, mode, true};
    }
    std::string at(const char* name) const { return m_dir->filePath(name).toStdString(); }
    std::unique_ptr<QTemporaryDir> m_dir;

private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }
};

void TestCheckpointFolder::keepsTheBest_data() {
    QTest::addColumn<int>("keep");
    QTest::addColumn<bool>("max");
    QTest::addColumn<QString>("monitor");
    QTest::addColumn<QStringList>("stay");
    QTest::newRow("one") << 1 << false << "val_loss" << QStringList{"step-30"};
    QTest::newRow("two") << 2 << false << "val_loss" << QStringList{"step-30", "step-50"};
    QTest::newRow("two, greatest") << 2 << true << "val_loss" << QStringList{"step-10", "step-20"};
    QTest::newRow("five: NaN is the worst")
        << 5 << false << "val_loss" << QStringList{"step-10", "step-20", "step-30", "step-50", "step-60"};
    QTest::newRow("all") << -1 << false << "val_loss"
                         << QStringList{"step-10", "step-20", "step-30", "step-40", "step-50", "step-60"};
    QTest::newRow("none") << 0 << false << "val_loss" << QStringList{};
    QTest::newRow("newest") << 2 << false << "" << QStringList{"step-50", "step-60"};
}

void TestCheckpointFolder::keepsTheBest() {
    QFETCH(int, keep);
    QFETCH(bool, max);
    QFETCH(QString, monitor);
    QFETCH(QStringList, stay);
    auto folder = opened(options(keep, max ? MonitorMode::Max : MonitorMode::Min, monitor.toUtf8().constData()));
    const std::pair<int, double> saves[] = {{10, 5.0}, {20, 4.0}, {30, 1.0}, {40, std::nan("")}, {50, 2.0}, {60, 3.0}};
    for (const auto& [step, loss] : saves) {
        const auto saved = folder.save(stateAt(step, loss));
        QVERIFY2(saved.has_value(), saved ? "" : saved.error().message().c_str());
        const auto read = readTrainState(*saved);
        QVERIFY(read && read->progress.step == step);
    }
    QStringList expected{"last.safetensors"};
    for (const QString& name : stay)
        expected << name + ".safetensors";
    expected.sort();
    QCOMPARE(files(), expected);
    QCOMPARE(folder.entries().size(), static_cast<std::size_t>(stay.size()));
    const auto last = readTrainState(at("last.safetensors"));
    QVERIFY(last && last->progress.step == 60);
}

/// Lightning keeps the first one.
void TestCheckpointFolder::ofSeveralWithoutAValueTheNewestStays() {
    auto folder = opened(options(1));
    for (const int step : {3, 6, 14})
        QVERIFY(folder.save(stateAt(step, std::nan(""))).has_value());
    QCOMPARE(files(), (QStringList{"last.safetensors", "step-14.safetensors"}));
    QVERIFY(folder.save(stateAt(20, 5.0)).has_value());
    QVERIFY(folder.save(stateAt(30, std::nan(""))).has_value());
    QCOMPARE(files(), (QStringList{"last.safetensors", "step-20.safetensors"}));
}

void TestCheckpointFolder::lastFollowsEverySave() {
    auto folder = opened(options(1));
    QVERIFY(folder.save(stateAt(1, 1.0)).has_value());
    QVERIFY(std::filesystem::equivalent(at("last.safetensors"), at("step-1.safetensors"))); // no second copy
    const auto worse = folder.save(stateAt(2, 9.0));
    QVERIFY(worse && *worse == at("last.safetensors"));
    QCOMPARE(readTrainState(at("last.safetensors"))->progress.step, 2);
    QCOMPARE(readTrainState(at("step-1.safetensors"))->progress.step, 1);
    auto options2 = options(1);
    options2.saveLast = false;
    auto bestOnly = opened(options2);
    const auto nowhere = bestOnly.save(stateAt(3, 9.0));
    QVERIFY(nowhere && nowhere->empty());
    QCOMPARE(files(), (QStringList{"last.safetensors", "step-1.safetensors"}));
}

void TestCheckpointFolder::aSecondOpenTakesUpWhatIsThere() {
    {
        auto folder = opened(options(3));
        for (const auto& [step, loss] : {std::pair{1, 5.0}, {2, 1.0}, {3, 3.0}})
            QVERIFY(folder.save(stateAt(step, loss)).has_value());
    }
    auto folder = opened(options(3));
    QCOMPARE(folder.entries().size(), std::size_t(3));
    QCOMPARE(folder.entries().front().step, 2);
    QCOMPARE(folder.entries().back().step, 1);
    QVERIFY(folder.save(stateAt(4, 2.0)).has_value());
    QCOMPARE(files(),
             (QStringList{"last.safetensors", "step-2.safetensors", "step-3.safetensors", "step-4.safetensors"}));
}

void TestCheckpointFolder::leftOversGo() {
    QVERIFY(opened(options(2)).save(stateAt(1)).has_value());
    for (const char* name :
         {".step-2.safetensors.aB3xYz.part", ".last.safetensors.000000.part", ".last.safetensors.link"})
        putBytes(at(name), "half");
    for (const char* name :
         {"notes.txt", ".hidden", "step-x.safetensors", "step-.safetensors", "step-7.safetensors.bak"})
        putBytes(at(name), "mine");
    // only the writer cleans up
    QVERIFY(CheckpointFolder::newest(m_dir->path().toStdString()).has_value());
    QVERIFY(files().contains(".step-2.safetensors.aB3xYz.part"));
    const auto folder = opened(options(2));
    QCOMPARE(folder.entries().size(), std::size_t(1));
    QCOMPARE(folder.problems().size(), std::size_t(2)); // step-x and step- are not safetensors files
    QCOMPARE(files().size(), 7);
    QVERIFY(!files().filter("part").size() && !files().filter("link").size());
}

void TestCheckpointFolder::theSameStepAgain() {
    auto folder = opened(options(2));
    QVERIFY(folder.save(stateAt(1, 1.0)).has_value());
    QVERIFY(folder.save(stateAt(2, 2.0)).has_value());
    QVERIFY(folder.save(stateAt(2, 0.5)).has_value()); // resumed from step 1
    QCOMPARE(folder.entries().size(), std::size_t(2));
    QCOMPARE(folder.entries().front().step, 2);
    QCOMPARE(readTrainState(at("last.safetensors"))->progress.metrics.at("val_loss"), 0.5);
}

void TestCheckpointFolder::namesOfTheCallers() {
    auto named = options(2);
    named.name = [](const TrainProgress& p) { return fmt::format("run--val_loss={:.1f}", p.metrics.at("val_loss")); };
    auto folder = opened(named);
    QVERIFY(folder.save(stateAt(1, 2.0)).has_value());
    QVERIFY(folder.save(stateAt(2, 2.0)).has_value()); // the name is taken
    QCOMPARE(files(),
             (QStringList{"last.safetensors", "run--val_loss=2.0-v1.safetensors", "run--val_loss=2.0.safetensors"}));
    QVERIFY(writeSafetensors(at("exported.safetensors"), {{"w", torch::ones({2})}}).has_value()); // not a checkpoint
    auto again = opened(named);
    QCOMPARE(again.entries().size(), std::size_t(2));
    QVERIFY(again.problems().empty());
    QCOMPARE(again.entries().front().step, 2);
    QVERIFY(again.save(stateAt(3, 1.0)).has_value());
    QCOMPARE(files(), (QStringList{"exported.safetensors", "last.safetensors", "run--val_loss=1.0.safetensors",
                                   "run--val_loss=2.0-v1.safetensors"}));
    const auto newest = CheckpointFolder::newest(m_dir->path().toStdString());
    QVERIFY(newest && newest->state && newest->skipped.empty());
    QCOMPARE(newest->state->progress.step, 3);
}

void TestCheckpointFolder::lastAlone() {
    auto folder = opened(options(2));
    QVERIFY(folder.save(stateAt(1, 2.0)).has_value());
    const auto saved = folder.saveLast(stateAt(5));
    QVERIFY(saved && *saved == at("last.safetensors"));
    QCOMPARE(files(), (QStringList{"last.safetensors", "step-1.safetensors"}));
    QCOMPARE(readTrainState(at("last.safetensors"))->progress.step, 5);
    QCOMPARE(readTrainState(at("step-1.safetensors"))->progress.step, 1); // not through the link
}

void TestCheckpointFolder::unknownMetric() {
    auto folder = opened(options(1, MonitorMode::Min, "val_acc"));
    const auto saved = folder.save(stateAt(1));
    QVERIFY(!saved && saved.error().code == Errc::BadInput);
    QVERIFY2(says(saved.error(), "val_acc: the metric to monitor is not measured; available: val_loss"),
             saved.error().message().c_str());
    QVERIFY(files().isEmpty());
}

void TestCheckpointFolder::newestSkipsWeightsThatAreNotFinite() {
    auto folder = opened(options(-1));
    TrainState sound = stateAt(1);
    sound.model.emplace_back("norm.running_var", torch::tensor({INFINITY})); // training does not depend on it
    QVERIFY(folder.save(sound).has_value());
    TrainState spoiled = stateAt(2);
    spoiled.model.emplace_back("count", torch::zeros({1}, torch::kInt64));
    spoiled.model.emplace_back("b", torch::tensor({1.0F, NAN}));
    QVERIFY(folder.save(spoiled).has_value());
    const auto newest = CheckpointFolder::newest(m_dir->path().toStdString());
    QVERIFY(newest && newest->state);
    QCOMPARE(newest->state->progress.step, 1);
    QVERIFY(!newest->skipped.empty());
    QVERIFY2(says(newest->skipped.front(), "its weights are not finite (first in tensor b)"),
             newest->skipped.front().message().c_str());
}

void TestCheckpointFolder::newestSkipsDamagedFiles() {
    auto folder = opened(options(-1));
    for (int step = 1; step <= 4; ++step)
        QVERIFY(folder.save(stateAt(step)).has_value());
    const auto newest = [&] {
        auto found = CheckpointFolder::newest(m_dir->path().toStdString());
        if (!found)
            throw std::runtime_error(found.error().message());
        return std::move(*found);
    };
    auto found = newest();
    QVERIFY(found.state && found.state->progress.step == 4 && found.skipped.empty());
    // damage inside a tensor, found only by the checksum; last is a link to the same file
    std::string bytes = bytesOf(at("step-4.safetensors"));
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    putBytes(at("step-4.safetensors"), bytes);
    putBytes(at("step-3.safetensors"), bytesOf(at("step-3.safetensors")).substr(0, 100));
    putBytes(at("step-9.safetensors"), "");
    found = newest();
    QVERIFY(found.state);
    QCOMPARE(found.state->progress.step, 2);
    QVERIFY(torch::equal(found.state->model[0].second, torch::full({8}, 2.0)));
    QCOMPARE(found.file, std::filesystem::path(at("step-2.safetensors")));
    QCOMPARE(found.skipped.size(), std::size_t(4)); // 9, 3, 4 and last
    for (const char* name : {"step-9", "step-4", "step-3", "last"})
        QVERIFY(std::any_of(found.skipped.begin(), found.skipped.end(), [&](const Error& e) { return says(e, name); }));
    // the writer leaves them alone, reports them, and continues
    auto again = opened(options(1));
    QCOMPARE(again.problems().size(), std::size_t(2)); // those with a truncated header
    QVERIFY(again.save(stateAt(10, -1)).has_value());
    QCOMPARE(newest().state->progress.step, 10);
    QVERIFY(files().contains("step-9.safetensors"));
}

void TestCheckpointFolder::newestOfNothing() {
    const auto none = CheckpointFolder::newest(at("not there"));
    QVERIFY(none && !none->state && none->skipped.empty());
    putBytes(at("step-1.safetensors"), "x");
    const auto damaged = CheckpointFolder::newest(m_dir->path().toStdString());
    QVERIFY(damaged && !damaged->state);
    QCOMPARE(damaged->skipped.size(), std::size_t(1));
    QVERIFY(!CheckpointFolder::newest(at("step-1.safetensors")).has_value()); // not a folder
}

void TestCheckpointFolder::aFileSystemThatRefuses() {
    putBytes(at("file"), "x");
    auto inFile = options(1);
    inFile.folder = at("file");
    QVERIFY(!CheckpointFolder::open(inFile).has_value());
    auto folder = opened(options(1));
    QVERIFY(folder.save(stateAt(1, 2.0)).has_value());
    // a folder is in place of the next file: saving fails, and the old file is still the newest
    QVERIFY(QDir(m_dir->path()).mkpath("step-2.safetensors/x"));
    const auto refused = folder.save(stateAt(2, 1.0));
    QVERIFY(!refused && says(refused.error(), "is a folder"));
    const auto found = CheckpointFolder::newest(m_dir->path().toStdString());
    QVERIFY(found && found->state && found->state->progress.step == 1);
}

/// Neither cleared up when it is opened, nor written to once a link is in its place.
void TestCheckpointFolder::aLinkedFolderIsLeftAlone() {
    auto inRun = options(1);
    inRun.folder = at("run/checkpoints");
    auto folder = opened(inRun);
    QVERIFY(QDir(m_dir->path()).rename("run/checkpoints", "run/before") && QDir(m_dir->path()).mkdir("elsewhere"));
    for (const char* name : {"elsewhere/.x.AbCdEf.part", "elsewhere/last.safetensors"})
        putBytes(at(name), "mine");
    QVERIFY(QFile::link(m_dir->filePath("elsewhere"), m_dir->filePath("run/checkpoints")));
    for (const auto& refused : {folder.save(stateAt(1)), folder.saveLast(stateAt(1))})
        QVERIFY(!refused && says(refused.error(), "is a link"));
    const auto again = CheckpointFolder::open(inRun);
    QVERIFY(!again && says(again.error(), "is a link"));
    const QDir elsewhere(m_dir->filePath("elsewhere"));
    QCOMPARE(elsewhere.entryList(QDir::Files | QDir::Hidden, QDir::Name),
             (QStringList{".x.AbCdEf.part", "last.safetensors"}));
    QFile kept(elsewhere.filePath("last.safetensors"));
    QVERIFY(kept.open(QIODevice::ReadOnly) && kept.readAll() == "mine");
}

void TestCheckpointFolder::aFullDisk() {
    auto folder = opened(options(1));
    QVERIFY(folder.save(stateAt(1, 2.0)).has_value());
    for (const rlim_t bytes : {0, 100, 250}) {
        const FullDisk full(bytes);
        const auto refused = folder.save(stateAt(2, 1.0));
        QVERIFY2(!refused, std::to_string(bytes).c_str());
        QVERIFY2(says(refused.error(), "cannot write"), refused.error().message().c_str());
    }
    QCOMPARE(files(), (QStringList{"last.safetensors", "step-1.safetensors"}));
    QVERIFY(folder.save(stateAt(3, 1.0)).has_value()); // there is space again
    QCOMPARE(files(), (QStringList{"last.safetensors", "step-3.safetensors"}));
    QCOMPARE(CheckpointFolder::newest(m_dir->path().toStdString())->state->progress.step, 3);
}

RANKSCOPE_CORE_TEST(TestCheckpointFolder)
#include "tst_checkpoint_folder.moc"
