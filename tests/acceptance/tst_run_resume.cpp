// SPDX-License-Identifier: Apache-2.0
// A run that is killed at any moment and resumed has exactly the losses of an uninterrupted run.
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/launch/run/checkpoint_list.h"
#include "core/telemetry/board/board.h"
#include "tests/acceptance/trained_run.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QIODevice>
#include <QJsonDocument>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

#include <bit>
#include <csignal>
#include <fstream>
#include <map>
#include <random>

using namespace rankscope;
using namespace rankscope::test;

namespace {

constexpr int kSteps = 60;

/// Losses of both ranks, bit for bit.
using Losses = std::map<std::int64_t, std::vector<std::uint64_t>>;

Losses lossesOf(const launch::RunPaths& run, int ranks) {
    auto reader = store::RunReader::open(run.store());
    if (!reader)
        throw std::runtime_error(reader.error().message());
    Losses out;
    for (int rank = 0; rank < ranks; ++rank) {
        const auto points = reader->series(store::Metric::Loss, rank, 0, 1'000'000, 2'000'000);
        if (!points)
            throw std::runtime_error(points.error().message());
        for (const auto& point : *points) {
            if (point.count != 1)
                throw std::runtime_error("more than one value of a step");
            out[point.firstStep].push_back(std::bit_cast<std::uint64_t>(point.mean));
        }
    }
    return out;
}

std::uint64_t weightsOf(const launch::RunPaths& run) {
    auto reader = store::RunReader::open(run.store());
    const auto ranks = reader ? reader->ranks() : tl::unexpected(reader.error());
    return ranks && !ranks->empty() ? ranks->front().weightsHash : 0;
}

QString nameOf(const launch::RunPaths& run) {
    return QString::fromStdString(run.dir.filename().string());
}

} // namespace

class AcceptResume : public QObject {
    Q_OBJECT

private:
    /// Returns the recipe of a test row, with all sources of randomness on.
    static RunOptions recipe(TestRun& run, const QStringList& more) {
        RunOptions o;
        o.manifest = toneManifest(run.dir(), 30, {1.0, 1.6, 2.3});
        o.noiseManifest = o.manifest;
        o.steps = kSteps;
        o.workers = 2;
        o.more =
            QStringList{"+rankscope.seed=11",
                        "model.validation_ds.manifest_filepath=" + o.manifest,
                        "model.validation_ds.noise_manifest=" + o.manifest,
                        "+trainer.limit_val_batches=1",
                        "trainer.val_check_interval=10",
                        "+exp_manager={name: small, checkpoint_callback_params: {monitor: val_loss, save_top_k: 2, "
                        "every_n_train_steps: 4, every_n_epochs: 0}}"} +
            more;
        return o;
    }
    static std::vector<launch::RunEntry> runs(const TestRun& run) {
        auto all = launch::listRuns(run.runsDir().toStdString());
        return all ? std::move(*all) : std::vector<launch::RunEntry>{};
    }
    static launch::RunPaths newest(const TestRun& run) { return runs(run).front().paths; }
    static Outcome resume(const TestRun& run, const QStringList& more = {}, const QString& what = "last") {
        return ctl(QStringList{"launch", "--resume", what, "--runs", run.runsDir()} + more);
    }
    static std::vector<QString> checkpoints(const launch::RunPaths& run) {
        std::vector<QString> out;
        for (const auto& file :
             QDir(QString::fromStdString(run.checkpoints().string())).entryList({"*.safetensors"}, QDir::Files))
            out.push_back(file);
        return out;
    }

    /// Starts the run in the background and kills the supervisor, a rank or all ranks: after a few steps, or while rank
    /// 0 writes a checkpoint. Returns false if the run was over before that.
    bool killOnce(TestRun& run, const QStringList& args, bool inCheckpoint) {
        const std::size_t before = runs(run).size();
        QProcess process;
        process.setWorkingDirectory(RANKSCOPE_SOURCE_DIR);
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), args);
        QElapsedTimer clock;
        clock.start();
        const auto wait = static_cast<std::int64_t>(m_random() % 10);
        std::int64_t firstStep = -1;
        while (process.state() != QProcess::NotRunning && clock.elapsed() < 120'000) {
            process.waitForFinished(1);
            const auto all = runs(run);
            if (all.size() == before || !std::filesystem::exists(all.front().paths.board(0)))
                continue;
            const auto board = telemetry::BoardReader::open(all.front().paths.board(0));
            if (!board || board->snapshot().step < 0)
                continue;
            if (firstStep < 0)
                firstStep = board->snapshot().step;
            const bool writes = board->snapshot().phase == telemetry::Phase::Checkpoint;
            // a checkpoint may be missed between two looks at the board
            if ((inCheckpoint && writes) || board->snapshot().step >= firstStep + (inCheckpoint ? 20 : wait))
                break;
        }
        if (process.state() == QProcess::NotRunning)
            return false;
        const auto info = launch::readRunInfo(newest(run).dir.empty() ? launch::RunPaths{} : newest(run));
        const auto whom = m_random() % 3;
        if (!info || info->rankPids.size() < 2 || whom == 0)
            process.kill();
        else
            for (std::size_t r = 0; r < info->rankPids.size(); ++r)
                if (whom == 1 || r == 1)
                    ::kill(info->rankPids[r], SIGKILL);
        return process.waitForFinished(30'000);
    }

    static QByteArray logOf(const launch::RunPaths& paths, int rank) {
        QFile file(QString::fromStdString((paths.log(rank)).string()));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("no log");
    }

    /// Checks that the chain's runs have all steps, each once per run and with the loss of the uninterrupted run.
    void compareChain(const TestRun& run, const Losses& expected, int ranks) {
        Losses seen;
        for (const auto& entry : runs(run)) {
            if (ctl({"show", QString::fromStdString(entry.paths.dir.string())}).exitCode != 0)
                continue; // killed before there was a store
            const Losses losses = lossesOf(entry.paths, ranks);
            for (const auto& [step, values] : losses) {
                const auto& right = expected.at(step);
                for (std::size_t r = 0; r < values.size() && values.size() == right.size(); ++r)
                    QVERIFY2(values[r] == right[r], qPrintable(QString("%1: step %2, rank %3: %4 instead of %5")
                                                                   .arg(nameOf(entry.paths))
                                                                   .arg(step)
                                                                   .arg(r)
                                                                   .arg(std::bit_cast<double>(values[r]), 0, 'g', 17)
                                                                   .arg(std::bit_cast<double>(right[r]), 0, 'g', 17)));
                seen[step] = values;
            }
        }
        QCOMPARE(seen.size(), expected.size());
    }

    std::mt19937 m_random{std::random_device{}()};

private Q_SLOTS:
    void killedAnywhere() {
        TestRun unbroken;
        const RunOptions o = recipe(unbroken, {});
        const Outcome whole = unbroken.launch(o);
        QVERIFY2(whole.exitCode == 0, whole.err.constData());
        const Losses expected = lossesOf(unbroken.paths(), 2);
        QCOMPARE(expected.size(), std::size_t(kSteps));

        TestRun broken;
        int kills = 0;
        QStringList args = broken.launchArgs(o);
        while (kills < 7 && killOnce(broken, args, kills % 2 == 1)) {
            ++kills;
            const bool any = !checkpoints(newest(broken)).empty();
            args = any ? QStringList{"launch", "--resume", "last", "--runs", broken.runsDir()} : broken.launchArgs(o);
        }
        QVERIFY2(kills >= 3, qPrintable(QString::number(kills)));
        if (launch::readRunInfo(newest(broken))->state != launch::RunState::Finished) {
            const Outcome rest = ctl(args);
            QVERIFY2(rest.exitCode == 0, (rest.err + logOf(newest(broken), 0) + logOf(newest(broken), 1)).constData());
        }
        compareChain(broken, expected, 2);
        QCOMPARE(weightsOf(newest(broken)), weightsOf(unbroken.paths()));
        qInfo("%d kills, %d runs", kills, static_cast<int>(runs(broken).size()));
    }

    void everyWayToTrain_data() {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<int>("ranks");
        QTest::newRow("own running statistics, accumulation")
            << QStringList{"trainer.sync_batchnorm=false", "+rankscope.ddp={broadcast_buffers: false}",
                           "trainer.accumulate_grad_batches=3"}
            << 2;
        QTest::newRow("DDP's buffers, sgd, saved aside")
            << QStringList{"trainer.sync_batchnorm=false", "model.optim={name: sgd, lr: 0.05, momentum: 0.9}",
                           "+exp_manager.checkpoint_callback_params.async_save=true"}
            << 2;
        QTest::newRow("three ranks, whose sums depend on their order")
            << QStringList{"+rankscope.ddp={bucket_cap_mb: 0.05}"} << 3;
        QTest::newRow("alone, part of an epoch, validated inside it")
            << QStringList{"+trainer.limit_train_batches=7", "trainer.accumulate_grad_batches=2",
                           "trainer.val_check_interval=3"}
            << 1;
    }
    void everyWayToTrain() {
        QFETCH(QStringList, more);
        QFETCH(int, ranks);
        TestRun unbroken;
        RunOptions o = recipe(unbroken, more);
        o.ranks = ranks;
        o.steps = 24;
        const Outcome whole = unbroken.launch(o);
        QVERIFY2(whole.exitCode == 0, whole.err.constData());
        const Losses expected = lossesOf(unbroken.paths(), ranks);
        QCOMPARE(expected.size(), std::size_t(24));
        TestRun broken;
        o.faults = "[{kind: dead, rank: 0, step: 15, signal: SIGKILL}]";
        QCOMPARE(broken.launch(o).exitCode, 3);
        const Outcome rest = resume(broken, {"rankscope.faults=[]"});
        QVERIFY2(rest.exitCode == 0, rest.err.constData());
        const Losses after = lossesOf(newest(broken), ranks);
        // after 12 steps or at a validation; one written in the background may not have been complete
        QVERIFY2(after.begin()->first >= 8 && after.begin()->first <= 15,
                 qPrintable(QString::number(after.begin()->first)));
        compareChain(broken, expected, ranks);
        QCOMPARE(weightsOf(newest(broken)), weightsOf(unbroken.paths()));
    }

    /// 24 utterances in 4 tar files of 6, read by 4 workers: in each epoch, each worker gives one batch of 4 and drops
    /// 2 utterances. NeMo 2.7.3 and 3.0.0 make 8 steps in two epochs but compute the cosine schedule for 12; these are
    /// the learning rates that they used.
    void tarFilesByWorkers() {
        const auto recipe = [](TestRun& run) {
            RunOptions o;
            o.manifest = toneManifest(run.dir(), 24, {1.0, 1.6, 2.3});
            o.ranks = 1;
            o.batchSize = 4;
            o.workers = 4;
            o.steps = -1;
            for (int shard = 0; shard < 4; ++shard) {
                QStringList args{"-cf", run.dir().filePath(QString("t_%1.tar").arg(shard)), "-C", run.dir().path()};
                for (int i = 0; i < 6; ++i)
                    args << QString("tone%1.wav").arg(6 * shard + i);
                if (QProcess::execute("tar", args) != 0)
                    qFatal("tar failed");
            }
            o.more = QStringList{"+model.train_ds.is_tarred=true",
                                 "+model.train_ds.tarred_audio_filepaths=" + run.dir().path() + "/t__OP_0..3_CL_.tar",
                                 "model.train_ds.drop_last=true",
                                 "model.train_ds.shuffle=false",
                                 "+rankscope.seed=11",
                                 "trainer.max_epochs=2",
                                 "~model.validation_ds",
                                 "model.optim.sched={name: CosineAnnealing, warmup_steps: 2, min_lr: 1e-6}",
                                 "model.optim.lr=0.02",
                                 "trainer.devices=1",
                                 "+exp_manager={name: small, checkpoint_callback_params: {every_n_train_steps: 2, "
                                 "every_n_epochs: 0, monitor: null, save_top_k: 1}}"};
            return o;
        };
        TestRun unbroken;
        RunOptions o = recipe(unbroken);
        const Outcome whole = unbroken.launch(o);
        QVERIFY2(whole.exitCode == 0, whole.err.constData());
        QStringList rates;
        for (const auto& point : unbroken.series(store::Metric::LearningRate, 0))
            rates << QString::number(point.mean, 'f', 5);
        QCOMPARE(rates.join(' '), QString("0.00667 0.01333 0.02000 0.01951 0.01809 0.01588 0.01309 0.01000"));
        for (const auto& point : unbroken.series(store::Metric::BatchSize, 0))
            QCOMPARE(point.mean, 4.0);
        const Losses expected = lossesOf(unbroken.paths(), 1);

        // killed in the second epoch and resumed with a different number of workers: the files are read as before
        TestRun broken;
        o = recipe(broken);
        o.faults = "[{kind: dead, rank: 0, step: 6, signal: SIGKILL}]";
        QCOMPARE(broken.launch(o).exitCode, 3);
        const Outcome rest = resume(broken, {"rankscope.faults=[]", "model.train_ds.num_workers=1"});
        QVERIFY2(rest.exitCode == 0, (rest.err + logOf(newest(broken), 0)).constData());
        compareChain(broken, expected, 1);
        const auto gone = newest(broken);
        auto text = readFile(gone.effective());
        QVERIFY(text && text->find("tar_readers: 4") != std::string::npos);
        const auto refused = [&](const QStringList& more) {
            const Outcome outcome = resume(broken, QStringList{"trainer.max_epochs=3"} + more, nameOf(gone));
            QVERIFY2(outcome.exitCode == 3 &&
                         (outcome.err + outcome.out).contains("read by 4 readers, but are now read one after another"),
                     (outcome.err + outcome.out).constData());
        };
        refused({"rankscope.data.tar_readers=1"});
        // a run of a version without the key, as its effective.yaml shows, read one file after another
        const auto at = text->find("    tar_readers:");
        text->erase(at, text->find('\n', at) - at + 1);
        QVERIFY(writeFileAtomic(gone.effective(), *text));
        refused({});
        text = readFile(newest(broken).effective());
        QVERIFY(text && text->find("tar_readers: 1") != std::string::npos);
        QVERIFY(text->find("reorder_buckets: true") != std::string::npos);
    }

    /// NeMo's train_loss, by which checkpoints may be named and selected, is the loss of the step's last batch.
    void trainLossOfAccumulatedBatches() {
        const auto options = [](TestRun& run, int accumulate) {
            RunOptions o;
            o.manifest = toneManifest(run.dir(), 12, {1.0, 1.6, 2.3});
            o.ranks = 1;
            o.steps = 1;
            o.more = QStringList{"+rankscope.seed=11", "~model.validation_ds",
                                 QString("trainer.accumulate_grad_batches=%1").arg(accumulate),
                                 "+exp_manager={name: small, checkpoint_callback_params: {monitor: train_loss, "
                                 "every_n_train_steps: 1, every_n_epochs: 0, filename: 'l{train_loss:.5f}'}}"};
            return o;
        };
        const auto lossOf = [](const TestRun& run) { return run.series(store::Metric::Loss, 0).front().mean; };
        TestRun one, two;
        for (const auto& [run, accumulate] : {std::pair(&one, 1), std::pair(&two, 2)}) {
            const Outcome done = run->launch(options(*run, accumulate));
            QVERIFY2(done.exitCode == 0, done.err.constData());
        }
        // the mean of the first and the second batch, both with the initial weights
        const double second = 2 * lossOf(two) - lossOf(one);
        QVERIFY(std::abs(second - lossOf(two)) > 1e-3);
        const auto name = QString("ltrain_loss=%1.safetensors").arg(second, 0, 'f', 5);
        const auto names = checkpoints(two.paths());
        QVERIFY2(std::find(names.begin(), names.end(), name) != names.end(), qPrintable(name));
    }

    void stopWritesALastCheckpoint() {
        TestRun run;
        RunOptions o = recipe(run, {});
        o.steps = 100'000;
        QVERIFY(run.start(o));
        QTRY_VERIFY_WITH_TIMEOUT(run.lastStep(0) >= 9, 120'000);
        QCOMPARE(ctl({"stop", QString::fromStdString(run.paths().dir.string())}).exitCode, 0);
        QCOMPARE(run.waitForEnd(30'000), 4);
        const auto stopped = run.paths();
        const std::int64_t last = run.lastStep(0);
        const Outcome rest = resume(run, {QString("trainer.max_steps=%1").arg(last + 6)});
        QVERIFY2(rest.exitCode == 0, rest.err.constData());
        const auto losses = lossesOf(newest(run), 2);
        QCOMPARE(losses.begin()->first, last + 1); // neither lost nor done twice
        QCOMPARE(losses.size(), std::size_t(5));
        const auto info = launch::readRunInfo(newest(run));
        QCOMPARE(QString::fromStdString(info->resumedFrom), nameOf(stopped));
        const Outcome shown = ctl({"show", "last", "--runs", run.runsDir(), "--json"});
        const auto json = QJsonDocument::fromJson(shown.out).object();
        QCOMPARE(json["resumed_from"].toString(), nameOf(stopped));
        // the new folder has the other run's checkpoints too, so it does not need the old one
        QVERIFY(std::filesystem::remove_all(stopped.dir) > 0);
        const Outcome further = resume(run, {QString("trainer.max_steps=%1").arg(last + 9)});
        QVERIFY2(further.exitCode == 0, further.err.constData());
    }

    /// Killed after the checkpoint of its last step, before it reported that it was done: only the end is missing.
    void diedAtItsVeryEnd() {
        TestRun run;
        RunOptions o = recipe(run, {});
        o.steps = 12; // a multiple of the checkpoints' interval
        const Outcome whole = run.launch(o);
        QVERIFY2(whole.exitCode == 0, whole.err.constData());
        const auto first = run.paths();
        auto info = launch::readRunInfo(first);
        QVERIFY(info.has_value());
        info->state = launch::RunState::Failed;
        QVERIFY(launch::writeRunInfo(first, *info).has_value());
        const Outcome rest = resume(run);
        QVERIFY2(rest.exitCode == 0, (rest.err + logOf(newest(run), 0)).constData());
        QVERIFY(nameOf(newest(run)) != nameOf(first));
        QCOMPARE(weightsOf(newest(run)), weightsOf(first));
        QVERIFY(lossesOf(newest(run), 2).empty());
        QVERIFY(launch::readRunInfo(newest(run))->state == launch::RunState::Finished);
    }

    void damagedAndUnfitCheckpoints() {
        TestRun run;
        RunOptions o = recipe(run, {});
        o.steps = 13;
        const Outcome whole = run.launch(o);
        QVERIFY2(whole.exitCode == 0, whole.err.constData());
        const auto first = run.paths();
        const Outcome done = resume(run);
        QCOMPARE(done.exitCode, 2);
        QVERIFY2(done.err.contains("is finished with all its steps"), done.err.constData());

        const auto refused = [&](const QStringList& more, const char* part) {
            const Outcome outcome = resume(run, more, nameOf(first));
            QVERIFY2(outcome.exitCode == 2 && outcome.err.contains(part), outcome.err.constData());
            QCOMPARE(outcome.err.trimmed().count('\n'), 0);
        };
        refused({"--ranks", "1"}, "but the run had 2 ranks");
        refused({"model.encoder.n_layers=2"}, "model.encoder.n_layers was 3 and is now 2");
        refused({"model.train_ds.batch_size=3"}, "model.train_ds.batch_size was 2 and is now 3");
        QCOMPARE(resume(run, {}, "nothing").exitCode, 2);

        // the newest is damaged: the one before it is used, and a message says so
        const auto last = first.checkpoints() / "last.safetensors";
        auto bytes = readFile(last);
        QVERIFY(bytes);
        bytes->back() = static_cast<char>(bytes->back() ^ 1);
        {
            std::ofstream out(last, std::ios::binary | std::ios::trunc);
            out << *bytes;
        }
        const Outcome fallback = resume(run, {"trainer.max_steps=15"}, nameOf(first));
        QVERIFY2(fallback.exitCode == 0, fallback.err.constData());
        const auto losses = lossesOf(newest(run), 2);
        QCOMPARE(losses.begin()->first, std::int64_t(12));
        auto reader = store::RunReader::open(newest(run).store());
        const auto notes = reader->notes(0, 1000);
        QVERIFY(std::any_of(notes->begin(), notes->end(), [](const store::Note& n) {
            return n.text.find("last.safetensors") != std::string::npos && n.text.find("damaged") != std::string::npos;
        }));
        // no complete checkpoint is left
        for (const QString& name : checkpoints(first))
            std::filesystem::resize_file(first.checkpoints() / name.toStdString(), 100);
        const Outcome none = resume(run, {"trainer.max_steps=15"}, nameOf(first));
        QVERIFY2(none.exitCode == 2, none.err.constData()); // before anything is started
        QVERIFY2(none.err.contains("has no checkpoint to resume from"), none.err.constData());
    }

    /// One NaN in one batch spoils all weights: the run has failed, and resumes from a checkpoint before the NaN.
    void aRunWhoseLossIsNaN() {
        TestRun run;
        RunOptions o = recipe(run, {"--fault", "nan_input:rank=1,step=21"});
        o.steps = 40;
        const Outcome outcome = run.launch(o);
        QVERIFY2(outcome.exitCode == 3, outcome.err.constData());
        const launch::RunPaths first = run.paths();
        const QByteArray useless = "the loss has been NaN since step 21, and the weights are useless";
        QCOMPARE(QByteArray::fromStdString(run.info().cause.english()), useless);
        const auto failedAsItIs = [&] {
            const Outcome shown = ctl({"show", nameOf(first), "--runs", run.runsDir(), "--json"});
            const QJsonObject object = QJsonDocument::fromJson(shown.out).object();
            QCOMPARE(object["state"].toString(), QString("failed"));
            QCOMPARE(object["cause"].toString().toUtf8(), useless);
            QVERIFY(object["failed_checkpoints"].toObject()["count"].toInt() > 0);
            QCOMPARE(ctl({"watch", nameOf(first), "--runs", run.runsDir()}).exitCode, 3);
            const QString page = run.dir().filePath("page.html");
            QCOMPARE(
                ctl({"export", nameOf(first), "--runs", run.runsDir(), "--format", "html", "--output", page}).exitCode,
                0);
            QVERIFY(readFile(page.toStdString())->find(useless.toStdString()) != std::string::npos);
        };
        failedAsItIs();
        // all checkpoints are from before the NaN
        const auto kept = launch::listCheckpoints(first);
        QVERIFY(kept && !kept->files.empty() && kept->models.empty());
        for (const auto& file : kept->files)
            QVERIFY2(file.steps <= 21 && file.problem.empty(), file.name.c_str());
        QCOMPARE(kept->files.front().steps, 20);
        QVERIFY(kept->files.front().last);
        // an older version did not check this and called the run finished
        auto info = launch::recordedRunInfo(first);
        QVERIFY(info);
        info->state = launch::RunState::Finished;
        info->cause = "finished";
        info->exitCode = 0;
        QVERIFY(launch::writeRunInfo(first, *info));
        failedAsItIs();
        const Outcome resumed = resume(run, {"++rankscope.faults=[]"});
        QVERIFY2(resumed.exitCode == 0, resumed.err.constData());
        QCOMPARE(lossesOf(newest(run), 2).begin()->first, std::int64_t(20));
        QVERIFY(std::filesystem::exists(newest(run).checkpoints() / "small.nemo"));
    }

    void filesAreAsTheKeysSay() {
        TestRun run;
        RunOptions o = recipe(run, {"+exp_manager.checkpoint_callback_params.always_save_nemo=true",
                                    "+exp_manager.checkpoint_callback_params.filename='m-{val_loss:.2f}-{step}'"});
        o.steps = 22;
        const Outcome whole = run.launch(o);
        QVERIFY2(whole.exitCode == 0, whole.err.constData());
        const auto files =
            QDir(QString::fromStdString(run.paths().checkpoints().string())).entryList(QDir::Files | QDir::Hidden);
        QCOMPARE(files.filter(QRegularExpression("^m-val_loss=\\d+\\.\\d\\d-step=\\d+\\.safetensors$")).size(), 2);
        QVERIFY(files.contains("last.safetensors") && files.contains("small.nemo"));
        QCOMPARE(files.size(), 4);
        const Outcome weights =
            ctl({"weights", QString::fromStdString((run.paths().checkpoints() / "small.nemo").string())});
        QVERIFY2(weights.exitCode == 0 && weights.out.contains("encoder.layers.0"), weights.err.constData());
        const auto listed = launch::listCheckpoints(run.paths());
        QVERIFY(listed && listed->models.size() == 1);
        QCOMPARE(listed->models.front().steps, 22); // the newest weights
        auto reader = run.reader();
        const auto notes = reader.notes(0, 1000);
        QVERIFY(notes.has_value());
        QStringList told;
        for (const auto& note : *notes)
            if (note.text.starts_with("checkpoint after "))
                told << QString::fromStdString(note.text).section(' ', 2, 2);
        // every 4 steps, `last` at every validation (after steps 10 and 20), and at the end
        QCOMPARE(told, (QStringList{"4", "8", "10", "12", "16", "20", "22"}));
    }
};

RANKSCOPE_CORE_TEST(AcceptResume)
#include "tst_run_resume.moc"
