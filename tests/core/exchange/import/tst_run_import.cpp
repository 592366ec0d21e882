// SPDX-License-Identifier: Apache-2.0
// Files of PyTorch, Lightning and NeMo, intact or damaged, are imported as runs.
#include "core/base/files/file.h"
#include "core/exchange/import/run_import.h"
#include "core/store/open/store_health.h"
#include "tests/core/store/synthetic.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>
#include <limits>
#include <random>

using namespace rankscope;
using namespace rankscope::exchange;
using namespace rankscope::store;
using synthetic::take;
namespace fs = std::filesystem;

static const fs::path kData = fs::path(RANKSCOPE_SOURCE_DIR) / "tests/data/exchange";
static const fs::path kPyTorch = kData / "pytorch/events.out.tfevents.1795314801.host.1.0";

class TestImport : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path path(const std::string& name) const { return fs::path(m_dir->path().toStdString()) / name; }

    Result<Imported> import(std::vector<fs::path> paths, fs::path config = {}) const {
        return importRun({std::move(paths), std::move(config), "", path("runs"), {"rankscopectl", "import"}});
    }
    fs::path write(const std::string& name, const std::string& bytes) const {
        fs::create_directories(path(name).parent_path());
        if (!std::ofstream(path(name), std::ios::binary)
                 .write(bytes.data(), static_cast<std::streamsize>(bytes.size())))
            qFatal("cannot write");
        return path(name);
    }
    std::vector<std::string> leftovers() const {
        std::vector<std::string> names;
        std::error_code ec;
        for (const auto& entry : fs::directory_iterator(path("runs"), ec))
            names.push_back(entry.path().filename().string());
        return names;
    }
    static std::vector<StepRow> steps(const Imported& imported, int rank = 0) {
        auto reader = take(RunReader::open(imported.run.store()));
        std::vector<StepRow> rows;
        const auto read = reader.eachStep(rank, {0, INT64_MAX}, [&](const StepRow& row) {
            rows.push_back(row);
            return Result<void>();
        });
        return read ? rows : std::vector<StepRow>{};
    }
    static std::map<std::string, std::vector<double>> scalars(const Imported& imported) {
        auto reader = take(RunReader::open(imported.run.store()));
        std::map<std::string, std::vector<double>> values;
        const auto read = reader.eachScalar(0, [&](const ScalarRow& row) {
            values[row.tag].push_back(row.value);
            return Result<void>();
        });
        return read ? values : std::map<std::string, std::vector<double>>{};
    }
    static bool says(const Imported& imported, const std::string& words) {
        return std::any_of(imported.remarks.begin(), imported.remarks.end(),
                           [&](const auto& remark) { return remark.english().find(words) != std::string::npos; });
    }

private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void pytorch() {
        const auto imported = take(import({kPyTorch}));
        const auto rows = steps(imported);
        QCOMPARE(rows.size(), std::size_t{20});
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto step = static_cast<double>(i);
            QCOMPARE(*rows[i].value(Metric::Loss), static_cast<double>(static_cast<float>(10.0 / (step + 1))));
            QCOMPARE(*rows[i].value(Metric::LearningRate), static_cast<double>(static_cast<float>(1e-3 * step)));
            const auto norm = *rows[i].value(Metric::GradientNorm);
            QVERIFY(i % 4 == 0 ? norm == 1.5 : std::isnan(norm));
        }
        QCOMPARE(scalars(imported).at("accuracy").size(), std::size_t{20});
        QCOMPARE(scalars(imported).at("accuracy")[13], 13 / 20.0); // double precision
        auto reader = take(RunReader::open(imported.run.store()));
        const auto validations = take(reader.validations(-1, 10));
        QCOMPARE(validations.size(), std::size_t{1});
        QVERIFY(validations[0].step == 19 && validations[0].loss == 0.75);
        QVERIFY(says(imported, "skipped 2 non-scalar values"));
        QCOMPARE(take(reader.notes(0, 10)).size(), std::size_t{2});
        QCOMPARE(take(reader.ranks())[0].lastLoss.value(), *rows[19].value(Metric::Loss));
    }

    /// Each step begins when the previous one ends, as every reader of a store expects.
    void timesNeverGoBack() {
        const auto rows = steps(take(import({kPyTorch})));
        std::int64_t last = 0;
        for (const auto& row : rows) {
            QVERIFY(row.beginNs == last && row.endNs >= row.beginNs);
            last = row.endNs;
        }
        QVERIFY(last > 0);
    }

    void lightning() {
        const auto imported = take(import({kData / "lightning"}));
        const auto rows = steps(imported);
        QCOMPARE(rows.size(), std::size_t{12});
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QCOMPARE(*rows[i].value(Metric::Loss), 100.0 - static_cast<double>(i));
            QCOMPARE(*rows[i].value(Metric::LearningRate),
                     static_cast<double>(static_cast<float>(0.25 * std::pow(0.1, static_cast<double>(i / 4)))));
            QCOMPARE(rows[i].epoch, std::int64_t{0});
        }
        auto reader = take(RunReader::open(imported.run.store()));
        const auto validations = take(reader.validations(-1, 10));
        QCOMPARE(validations.size(), std::size_t{2});
        QCOMPARE(validations[0].loss, 44.0);
        QCOMPARE(*readFile(imported.run.config()),
                 *readFile(kData / "lightning/lightning_logs/version_0/hparams.yaml"));
    }

    void expManager() {
        const auto imported = take(import({kData / "exp_manager"}));
        QCOMPARE(imported.info.state, launch::RunState::Imported);
        QCOMPARE(imported.info.name, std::string("exp_manager"));
        const auto rows = steps(imported);
        QCOMPARE(rows.size(), std::size_t{12});
        for (const auto& row : rows) {
            const auto took = row.value(Metric::StepTime);
            QVERIFY(took && *took > 1e4 && *took < 1e10); // in ns, converted from seconds
            QVERIFY(row.value(Metric::Backward));
        }
        QVERIFY(scalars(imported).contains("validation_step_timing in s"));
        const auto config = take(readFile(imported.run.config()));
        QVERIFY(config.starts_with("model:\n  sample_rate: 16000\n"));
        QCOMPARE(*readFile(imported.run.log(0)),
                 *readFile(kData / "exp_manager/tiny/v0/nemo_log_globalrank-0_localrank-0.txt"));
    }

    /// As read by `rankscopectl list`, `show` and the window: never live, with its source.
    void runJson() {
        const auto imported = take(import({kPyTorch}));
        const auto info = take(launch::readRunInfo(imported.run));
        QVERIFY(info.state == launch::RunState::Imported && !launch::isLive(info.state));
        QCOMPARE(info.importedFrom, kPyTorch.string());
        QVERIFY(info.cause.english().find(kPyTorch.string()) != std::string::npos);
        QCOMPARE(info.tags, std::vector<std::string>{"imported"});
        const auto runs = take(launch::listRuns(path("runs")));
        QCOMPARE(runs.size(), std::size_t{1});
        QVERIFY(runs[0].problem.empty() && runs[0].info.state == launch::RunState::Imported);
        QVERIFY(info.endRealtimeNs > info.startRealtimeNs);
    }

    void aRecipeOfOnesOwn() {
        const auto config = write("mine.yaml", "name: mine\nmodel:\n  num_books: 2\n");
        const auto imported = take(import({kPyTorch}, config));
        QCOMPARE(imported.info.name, std::string("mine"));
        QCOMPARE(*readFile(imported.run.config()), *readFile(config));
        const auto missing = import({kPyTorch}, path("none.yaml"));
        QVERIFY(!missing && missing.error().where.find("none.yaml") != std::string::npos);
    }

    void ranksByTheirFolders() {
        const auto bytes = take(readFile(kPyTorch));
        write("r/rank_0/events.out.tfevents.1", bytes);
        write("r/rank_2/events.out.tfevents.1", bytes);
        write("r/nemo_log_globalrank-3_localrank-1.txt", "newest\n");
        write("r/run_10/nemo_log_globalrank-3_localrank-1.txt", "second\n");
        write("r/run_9/nemo_log_globalrank-3_localrank-1.txt", "first\n");
        const auto imported = take(import({path("r")}));
        QCOMPARE(imported.info.worldSize, 4);
        QCOMPARE(steps(imported, 2).size(), std::size_t{20});
        QVERIFY(steps(imported, 1).empty());
        QCOMPARE(*readFile(imported.run.log(3)), std::string("first\nsecond\nnewest\n"));
    }

    /// A run that was resumed in the same folder: if a step was repeated, the newer value counts.
    void aSecondFileGoesOn() {
        std::string first, second;
        first = framed(firstEvent(1000, "a"));
        second = framed(firstEvent(2000, "a"));
        for (int step = 0; step < 10; ++step)
            first += framed(scalarEvent(1000 + step, step, {{"loss", 1}}));
        for (int step = 5; step < 15; ++step)
            second += framed(scalarEvent(2000 + step, step, {{"loss", 2}}));
        write("run/events.out.tfevents.0000001000.a", first);
        write("run/events.out.tfevents.0000002000.a", second);
        const auto rows = steps(take(import({path("run")})));
        QCOMPARE(rows.size(), std::size_t{15});
        for (const auto& row : rows)
            QCOMPARE(*row.value(Metric::Loss), row.step < 5 ? 1.0 : 2.0);
        QCOMPARE(rows[5].endNs, std::int64_t{1005} * 1'000'000'000);
    }

    void foldersBelowKeepTheirName() {
        write("run/events.out.tfevents.1", framed(firstEvent(1000, "")) + framed(scalarEvent(1001, 1, {{"loss", 1}})));
        write("run/loss_val/events.out.tfevents.1",
              framed(firstEvent(1000, "")) + framed(scalarEvent(1001, 1, {{"loss", 7}})));
        const auto imported = take(import({path("run")}));
        QCOMPARE(*steps(imported).at(0).value(Metric::Loss), 1.0);
        QCOMPARE(scalars(imported).at("loss_val/loss"), std::vector<double>{7});
    }

    void severalRunsAreAnError() {
        const auto both = import({kData / "pytorch", kData / "lightning"});
        QVERIFY(!both && both.error().message().find("several runs") != std::string::npos);
        QVERIFY(both.error().message().find("pytorch") != std::string::npos);
        QVERIFY(leftovers().empty());
    }

    void twoTagsOfOneMeaningAreNotMixed() {
        write("run/events.out.tfevents.1",
              framed(firstEvent(1000, "")) + framed(scalarEvent(1001, 1, {{"train_loss", 1}, {"loss", 7}})));
        const auto imported = take(import({path("run")}));
        QCOMPARE(*steps(imported).at(0).value(Metric::Loss), 1.0);
        QCOMPARE(scalars(imported).at("loss"), std::vector<double>{7});
    }

    void foreignFiles_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("words");
        QTest::newRow("empty") << QByteArray() << "is empty";
        QTest::newRow("text") << QByteArray("a text that is longer than the head of a record") << "wrong checksum";
        QTest::newRow("zeros") << QByteArray(64, '\0') << "wrong checksum";
        QTest::newRow("short") << QByteArray("abc") << "the file ends 3 bytes into";
        QTest::newRow("other records") << QByteArray::fromStdString(framed("an example")) << "not TensorBoard events";
        QTest::newRow("no scalars") << QByteArray::fromStdString(framed(firstEvent(1000, ""))) << "contain no scalars";
        QTest::newRow("impossible steps")
            << QByteArray::fromStdString(framed(firstEvent(1000, "")) + framed(scalarEvent(1001, -1, {{"loss", 1}})))
            << "impossible";
        QTest::newRow("impossible time") << QByteArray::fromStdString(framed(firstEvent(1e18, ""))) << "since 1970";
    }
    void foreignFiles() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, words);
        const auto file = write("events.out.tfevents.1", bytes.toStdString());
        const auto imported = import({file});
        QVERIFY(!imported);
        const auto message = QString::fromStdString(imported.error().message());
        QVERIFY2(message.contains(words) && message.contains(QString::fromStdString(file.string())),
                 qPrintable(message));
        QVERIFY(leftovers().empty());
    }

    void nothingThere() {
        const auto missing = import({path("none")});
        QVERIFY(!missing && missing.error().code == Errc::NotFound);
        fs::create_directories(path("empty"));
        const auto empty = import({path("empty")});
        QVERIFY(!empty && empty.error().message().find("neither a TensorBoard event file") != std::string::npos);
        QVERIFY(leftovers().empty());
    }

    /// Everything before the cut is imported; the rest is reported with file and offset.
    void truncated() {
        const auto bytes = take(readFile(kPyTorch));
        std::size_t before = 0;
        for (std::size_t size = bytes.size() / 2; size < bytes.size(); size += 293) {
            const auto file = write("events.out.tfevents.1", bytes.substr(0, size));
            const auto imported = take(import({file}));
            QVERIFY2(says(imported, file.string() + ": offset "), std::to_string(size).c_str());
            QVERIFY(says(imported, "bytes were not read"));
            QVERIFY(imported.remarks.front().text(Language::Chinese).find("字节未读取") != std::string::npos);
            const auto now = steps(imported).size();
            QVERIFY(now >= before && now > 5 && now <= 20);
            before = now;
        }
    }

    void damaged() {
        const auto bytes = take(readFile(kPyTorch));
        std::mt19937 random(3);
        int shorter = 0;
        for (int i = 0; i < 30; ++i) {
            std::string bad = bytes;
            bad[100 + random() % (bytes.size() - 100)] ^= static_cast<char>(1 << random() % 8);
            const auto imported = import({write("events.out.tfevents.1", bad)});
            if (!imported)
                continue; // damaged so early that no value is left
            QVERIFY(says(*imported, ": offset "));
            shorter += imported->points < 81 ? 1 : 0;
        }
        QVERIFY2(shorter > 5, std::to_string(shorter).c_str());
    }

    /// If one of two files is damaged, the other is still imported.
    void oneFileOfTwo() {
        write("run/events.out.tfevents.1", take(readFile(kPyTorch)));
        const auto bad = write("run/events.out.tfevents.2", "nothing of the kind, and long enough for a head");
        const auto imported = take(import({path("run")}));
        QCOMPARE(steps(imported).size(), std::size_t{20});
        QVERIFY(says(imported, bad.string()) && says(imported, "none of it was read"));
    }

    void oddTags() {
        std::vector<Scalar> values{
            {"a\xFF\x00z", 1}, {std::string(2000, 'x'), 2}, {"gut: \xC3\xA4", 3}, {"'; DROP", 4}};
        values[0].tag = std::string("a\xFF\0z", 4);
        write("run/events.out.tfevents.1", framed(firstEvent(1000, "")) + framed(scalarEvent(1001, 1, values)));
        const auto imported = take(import({path("run")}));
        const auto found = scalars(imported);
        QCOMPARE(found.size(), std::size_t{3});
        QVERIFY(found.contains("a??z") && found.contains("gut: \xC3\xA4") && found.contains("'; DROP"));
        QVERIFY(says(imported, "skipped 1 values"));
    }

    /// Times that readers would treat as damage are left out, so that the imported run is sound.
    void timesWithoutEnd() {
        const auto soundness = [&](const std::vector<double>& times) {
            fs::remove_all(path("run"));
            std::string bytes = framed(firstEvent(times.front(), ""));
            for (std::size_t i = 0; i < times.size(); ++i)
                bytes += framed(scalarEvent(times[i], static_cast<std::int64_t>(i), {{"loss", 1}}));
            write("run/events.out.tfevents.1", bytes);
            const auto imported = take(import({path("run")}));
            auto reader = take(RunReader::open(imported.run.store()));
            (void)take(reader.series(Metric::Loss, 0, 0, 1000, 100));
            (void)reader.ranks();
            if (!reader.condition().sound())
                qFatal("%s", store::describe(reader.condition(), imported.run.store()).english().c_str());
            const auto info = take(launch::readRunInfo(imported.run));
            if (info.endRealtimeNs < info.startRealtimeNs)
                qFatal("it ended before it began");
            return imported;
        };
        QVERIFY(says(soundness({0, 1, 3.9e9}), "skipped 1 values"));
        QVERIFY(says(soundness({1.7e9, 1e300, -1, std::numeric_limits<double>::quiet_NaN()}), "skipped 3 values"));
        QCOMPARE(steps(soundness({3.99e9, 3.999e9})).size(), std::size_t{2});
    }
    /// A folder's name must not create a run of 65,536 ranks.
    void ranksWithoutEnd() {
        const auto bytes = take(readFile(kPyTorch));
        write("run/rank_65535/events.out.tfevents.1", bytes);
        const auto refused = import({path("run")});
        QVERIFY(!refused);
        QVERIFY2(refused.error().what.english().find("is from rank 65535") != std::string::npos,
                 refused.error().what.english().c_str());
        QVERIFY(leftovers().empty());
        write("some/rank_1000/events.out.tfevents.1", bytes);
        QCOMPARE(take(import({path("some")})).info.worldSize, 1001);
    }
    void aStoreThatCannotBeMade() {
        const auto failed = importRun({{kPyTorch}, {}, "", "/proc/runs", {}});
        QVERIFY(!failed && failed.error().message().find("/proc/runs") != std::string::npos);
    }
};

RANKSCOPE_TEST(TestImport)
#include "tst_run_import.moc"
