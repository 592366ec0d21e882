// SPDX-License-Identifier: GPL-3.0-or-later
// Which runs are read again at the next start, and what happens to the file in which ended runs are kept.
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/values/clock.h"
#include "run_folders.h"
#include "tests/support/test_runner.h"
#include "widgets/runs/scan/runs_folder_scanner.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>

using namespace rankscope;
using namespace rankscope::ui;
namespace fs = std::filesystem;

class TestEndedRuns : public QObject {
    Q_OBJECT

private slots:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        QVERIFY(m_dir->isValid());
    }

    void unchangedRunsAreNotReadAgain() {
        auto sound = described("20260101-000000-sound-0001"), useless = described("20260102-000000-useless-0002");
        sound.validation = 2.5;
        useless.loss = [](int, std::int64_t step) {
            return step < 10 ? 1.0 : std::numeric_limits<double>::quiet_NaN();
        };
        make(sound);
        make(useless);
        const Start first = start(), second = start();
        QCOMPARE(first.read, 2);
        QCOMPARE(second.read, 0);
        QCOMPARE(second.rows.size(), 2);
        for (qsizetype i = 0; i < 2; ++i) {
            QCOMPARE(settings(second.rows[i]), settings(first.rows[i]));
            QCOMPARE(figures(second.rows[i]), figures(first.rows[i]));
            QCOMPARE(second.rows[i].lastStep, first.rows[i].lastStep);
            QVERIFY(second.rows[i].info.state == first.rows[i].info.state);
            QCOMPARE(second.rows[i].info.cause.english(), first.rows[i].info.cause.english());
        }
        QVERIFY(second.rows[0].info.state == launch::RunState::Failed); // its loss is NaN
        QCOMPARE(second.rows[1].figures->lastValidation, 2.5);
        struct stat st {};
        QCOMPARE(::stat(file().c_str(), &st), 0);
        QCOMPARE(st.st_mode & 0777, mode_t{0600});
    }

    void changedFilesAreReadAgain() {
        const auto run = make(described("20260101-000000-run-0001"));
        QCOMPARE(start().read, 1);
        QVERIFY(writeFileAtomic(run.effective(), "model:\n  lr: 0.25\n"));
        settle();
        const Start changed = start();
        QCOMPARE(changed.read, 1);
        QCOMPARE(*changed.rows.front().settings->find("model.lr"), std::string("0.25"));
        QCOMPARE(start().read, 0);
        fs::permissions(run.store(), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
        settle();
        QCOMPARE(start().read, 1); // only the time of its last change of status is another
        std::ofstream(run.store().string() + "-wal").flush();
        settle();
        QCOMPARE(start().read, 1);
        QCOMPARE(start().read, 0);
    }

    void filesThatAppearAreRead() {
        auto spec = described("20260101-000000-run-0001");
        spec.yaml.clear();
        spec.withStore = false;
        const auto run = make(spec);
        QCOMPARE(start().read, 1);
        QCOMPARE(start().read, 0);
        QVERIFY(writeFileAtomic(run.effective(), "lr: 1\n"));
        settle();
        const Start now = start();
        QCOMPARE(now.read, 1);
        QVERIFY(now.rows.front().settings);
    }

    /// A file that is changed again at once may keep its size and, by the kernel's clock, its times.
    void runsThatHaveJustChangedAreNotKept() {
        RunStamps stamps;
        QVERIFY(stamps.areOld()); // there is no file
        stamps.store.changedNs = realtimeNs();
        QVERIFY(!stamps.areOld());
        stamps.store.changedNs -= 1'000'000'000;
        QVERIFY(stamps.areOld());
    }

    void liveRunsAreNotKept() {
        auto live = described("20260102-000000-live-0002");
        live.state = launch::RunState::Running;
        make(described("20260101-000000-ended-0001"));
        make(live);
        QCOMPARE(start().read, 1);
        const auto kept = readEndedRuns(file(), root(), std::make_shared<StringInterner>());
        QCOMPARE(kept.size(), std::size_t{1});
        QVERIFY(kept.contains("20260101-000000-ended-0001"));
        const Start again = start();
        QVERIFY(again.rows.front().isLive() && again.rows.front().figures);
    }

    void damagedRunsAreNotKept() {
        const auto run = make(described("20260101-000000-run-0001"));
        QVERIFY(writeFileAtomic(run.store(), "no store"));
        settle();
        QCOMPARE(start().read, 1);
        const Start again = start();
        QCOMPARE(again.read, 1);
        QVERIFY(!again.rows.front().storeProblem.isEmpty());
    }

    void aDamagedFileIsReplaced_data() {
        QTest::addColumn<QByteArray>("bytes"); // null: the file with one bit changed
        QTest::newRow("one bit") << QByteArray();
        QTest::newRow("empty") << QByteArray("");
        QTest::newRow("short") << QByteArray("abc");
        QTest::newRow("text") << QByteArray("no such file at all, but a text of some length");
        QTest::newRow("zeros") << QByteArray(5000, '\0');
    }
    void aDamagedFileIsReplaced() {
        QFETCH(const QByteArray, bytes);
        make(described("20260101-000000-run-0001"));
        QCOMPARE(start().read, 1);
        auto damaged = readFile(file());
        QVERIFY(damaged);
        if (bytes.isNull())
            (*damaged)[damaged->size() / 2] ^= 4;
        else
            *damaged = bytes.toStdString();
        QVERIFY(writeFileAtomic(file(), *damaged));
        const Start after = start();
        QCOMPARE(after.read, 1);
        QVERIFY(after.rows.front().settings && after.rows.front().figures);
        QCOMPARE(start().read, 0);
    }

    void anotherFoldersFileIsIgnored() {
        make(described("20260101-000000-run-0001"));
        QCOMPARE(start().read, 1);
        fs::rename(root(), root().string() + "-2");
        RunScan scan(root().string() + "-2", file());
        QCOMPARE(readNow(scan).read, 1);
    }

    void anotherUsersFileIsIgnored() {
        if (::geteuid() != 0)
            QSKIP("only root can give a file to another user");
        make(described("20260101-000000-run-0001"));
        QCOMPARE(start().read, 1);
        QCOMPARE(::chown(file().c_str(), 65534, 65534), 0);
        QCOMPARE(start().read, 1);
    }

    void foldersThatCannotBeWritten() {
        make(described("20260101-000000-run-0001"));
        fs::permissions(root(), fs::perms::owner_read | fs::perms::owner_exec);
        QCOMPARE(start().read, 1);
        QCOMPARE(start().read, 0); // nothing is written into the runs folder
        fs::permissions(root(), fs::perms::owner_all);
        const fs::path nowhere = "/dev/null/kept";
        for (int i = 0; i < 2; ++i) {
            RunScan scan(root(), nowhere);
            const Start without = readNow(scan);
            QCOMPARE(without.read, 1);
            QVERIFY(without.rows.front().figures && without.rows.front().settings);
        }
    }

    void eachFolderHasItsOwnFile() {
        qputenv("XDG_CACHE_HOME", "/cache");
        fs::create_directories(root());
        fs::create_directory_symlink(root(), root().string() + "-link");
        QCOMPARE(endedRunsFile(root()).parent_path(), fs::path("/cache/rankscope/runs"));
        QCOMPARE(endedRunsFile(root()), endedRunsFile(root().string() + "-link"));
        QVERIFY(endedRunsFile(root()) != endedRunsFile(root().parent_path()));
    }

    void theNewestOfManyRunsAreListedFirst() {
        constexpr int kRuns = 230;
        const auto info = [](int i) { return QStringLiteral("20260101-%1-run-0001").arg(i, 6, 10, QLatin1Char('0')); };
        auto first = described("20260101-000000-run-0001");
        const auto run = test::makeFolder(root(), first);
        for (int i = 1; i < kRuns; ++i) {
            fs::create_directories(root() / info(i).toStdString());
            fs::copy_file(run.runJson(), root() / info(i).toStdString() / "run.json");
        }
        RunScan scan(root());
        QList<RunRow> early;
        int times = 0;
        QVERIFY(scan.list([&] {
            early = scan.rows();
            ++times;
        }));
        QCOMPARE(times, 1);
        QCOMPARE(early.size(), 200);
        QCOMPARE(early.front().dir(), scan.rows().front().dir());
        QCOMPARE(early.back().dir(), scan.rows()[199].dir());
        QCOMPARE(scan.rows().size(), kRuns);
        QVERIFY(!*scan.list([&] { ++times; })); // nothing has changed
        QCOMPARE(times, 1);
    }

private:
    /// What one start of the program sees.
    struct Start {
        QList<RunRow> rows;
        int read = 0; ///< ended runs whose recipe and store were read
    };

    static Start readNow(RunScan& scan) {
        if (!scan.list())
            return {};
        scan.fill([] {}, [] { return false; });
        return {scan.rows(), scan.endedRead()};
    }
    Start start() const {
        RunScan scan(root(), file());
        return readNow(scan);
    }

    /// Waits until the files are old enough for what is read of them to be kept.
    static void settle() { QTest::qWait(150); }

    static test::FolderSpec described(const char* id) {
        test::FolderSpec spec;
        spec.id = id;
        spec.name = "run";
        spec.yaml = "name: run\nmodel:\n  lr: 0.1 # from the file\n  betas: [0.9, 0.98]\n";
        return spec;
    }
    launch::RunPaths make(const test::FolderSpec& spec) const {
        const auto run = test::makeFolder(root(), spec);
        settle();
        return run;
    }

    static QStringList settings(const RunRow& row) {
        QStringList lines;
        for (const auto& entry : row.settings->entries)
            lines << QString::fromStdString(*entry.key + "=" + *entry.value);
        return lines;
    }
    static QString figures(const RunRow& row) {
        const RunFigures& f = *row.figures;
        return QStringLiteral("%1 %2 %3 %4 %5 %6 %7 %8 %9")
            .arg(f.lastStep)
            .arg(f.lastLoss)
            .arg(f.bestLoss)
            .arg(f.lastValidation)
            .arg(f.stepsPerSecond)
            .arg(f.samplesPerSecond)
            .arg(f.waitedNs)
            .arg(slowestOf(f.held).rank)
            .arg(slowestOf(f.held).ns);
    }

    fs::path root() const { return fs::path(m_dir->path().toStdString()) / "runs"; }
    fs::path file() const { return fs::path(m_dir->path().toStdString()) / "cache" / "kept"; }
    std::unique_ptr<QTemporaryDir> m_dir;
};

RANKSCOPE_CORE_TEST(TestEndedRuns)
#include "tst_ended_runs.moc"
