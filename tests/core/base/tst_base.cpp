// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/files/paths.h"
#include "core/base/process/heap_trim.h"
#include "core/base/process/process_identity.h"
#include "core/base/text/unit_format.h"
#include "core/base/text/untrusted_json.h"
#include "core/base/values/saturating.h"
#include "tests/sanitized.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <fstream>
#include <vector>

using namespace rankscope;
namespace fs = std::filesystem;

class TestBase : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void durations_data() {
        QTest::addColumn<qint64>("ns");
        QTest::addColumn<QString>("text");
        QTest::newRow("ns") << qint64(850) << "850 ns";
        QTest::newRow("us") << qint64(12'345) << "12 µs";
        QTest::newRow("ms") << qint64(480'400'000) << "480 ms";
        QTest::newRow("just below 1 s") << qint64(999'600'000) << "1.0 s";
        QTest::newRow("s") << qint64(3'240'000'000) << "3.2 s";
        QTest::newRow("min") << qint64(252'000'000'000) << "4 min 12 s";
        QTest::newRow("h") << qint64(7'500'000'000'000) << "2 h 05 min";
        QTest::newRow("two days less a minute") << qint64(172'740'000'000'000) << "47 h 59 min";
        QTest::newRow("three weeks") << qint64(1'825'200'000'000'000) << "21 d 03 h";
        QTest::newRow("negative") << qint64(-480'000'000) << "-480 ms";
    }
    void durations() {
        QFETCH(qint64, ns);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(formatDuration(ns)), text);
    }
    void numbers() {
        QCOMPARE(formatCount(1234567), std::string("1,234,567"));
        QCOMPARE(formatCount(-999), std::string("-999"));
        QCOMPARE(formatBytes(512), std::string("512 B"));
        QCOMPARE(formatBytes(3565158), std::string("3.57 MB"));
    }
    void nearest() {
        QCOMPARE(nearestWord("n_layer", {"d_model", "n_layers", "n_heads"}), std::string("n_layers"));
        QCOMPARE(nearestWord("zzz", {"d_model", "n_layers"}), std::string());
        QCOMPARE(editDistance("kitten", "sitting"), std::size_t{3});
    }
    void whatLiesInAFolder() {
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        std::ofstream(folder / "a") << "a";
        fs::create_directory(folder / "b");
        std::error_code ec;
        QCOMPARE(entriesOf(folder, ec).size(), std::size_t{2});
        QVERIFY(!ec);
        QVERIFY(entriesOf(folder / "c", ec).empty());
        QVERIFY(ec == std::errc::no_such_file_or_directory);
        QVERIFY(entriesOf(folder / "a", ec).empty());
        QVERIFY(ec == std::errc::not_a_directory);
    }
    void freedMemoryStays() {
        if (kSanitized)
            QSKIP("it is of the C library's allocator; a sanitizer brings its own");
        const auto faultsOf = [](std::size_t bytes) {
            rusage before{}, after{};
            ::getrusage(RUSAGE_THREAD, &before);
            {
                const std::vector<char> block(bytes, 1);
                if (block[bytes / 2] != 1)
                    return -1L;
            }
            ::getrusage(RUSAGE_THREAD, &after);
            return after.ru_minflt - before.ru_minflt;
        };
        disableTrim();
        constexpr std::size_t kBytes = 100 << 20; // more than the C library serves from its heap by default
        const long first = faultsOf(kBytes), second = faultsOf(kBytes);
        QVERIFY2(first > 25, qPrintable(QString::number(first))); // 25,600 pages, fewer if pages are huge
        QVERIFY2(second < first / 10, qPrintable(QString("%1 faults, then %2").arg(first).arg(second)));
    }
    void errnoBecomesACode() {
        QCOMPARE(systemError("write", "f", ENOSPC).code, Errc::NoSpace);
        QCOMPARE(systemError("open", "f", EROFS).code, Errc::Permission);
        QCOMPARE(systemError("open", "some/file", ENOENT).message(Language::Chinese),
                 std::string("some/file：无法打开：没有这样的文件或目录"));
        for (int e = 1; e < 134; ++e)
            QCOMPARE(systemError("open", "f", e).message(), "f: cannot open: " + std::generic_category().message(e));
    }

    void atomicWriteReplacesWholeAndKeepsTheMode() {
        QTemporaryDir dir;
        const fs::path file = dir.filePath("a.yaml").toStdString();
        QVERIFY(writeFileAtomic(file, "one"));
        struct stat st {};
        QCOMPARE(::stat(file.c_str(), &st), 0);
        QCOMPARE(st.st_mode & 0777, mode_t(0600));
        ::chmod(file.c_str(), 0644);
        QVERIFY(writeFileAtomic(file, "two"));
        QCOMPARE(*readFile(file), std::string("two"));
        ::stat(file.c_str(), &st);
        QCOMPARE(st.st_mode & 0777, mode_t(0644));
        QCOMPARE(std::distance(fs::directory_iterator(dir.path().toStdString()), fs::directory_iterator{}),
                 1); // no temporary file is left
    }
    void atomicWriteFollowsALink() {
        QTemporaryDir dir;
        const fs::path base = dir.path().toStdString();
        QVERIFY(writeFileAtomic(base / "real", "one"));
        fs::create_symlink("real", base / "link");
        QVERIFY(writeFileAtomic(base / "link", "two"));
        QVERIFY(fs::is_symlink(base / "link"));
        QCOMPARE(*readFile(base / "real"), std::string("two"));
    }
    void failedWriteLeavesTheOldText() {
        QTemporaryDir dir;
        const fs::path file = fs::path(dir.path().toStdString()) / "no" / "such" / "folder";
        const auto r = writeFileAtomic(file, "x");
        QVERIFY(!r);
        QCOMPARE(r.error().code, Errc::NotFound);
        QCOMPARE(r.error().where, file.string());
    }
    void readRefusesFoldersAndGiants() {
        QTemporaryDir dir;
        QCOMPARE(readFile(dir.path().toStdString()).error().code, Errc::BadInput);
        const fs::path file = dir.filePath("big").toStdString();
        std::ofstream(file) << std::string(100, 'x');
        const auto pipe = (dir.path() + "/pipe").toStdString();
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0); // no writer: opening it must not block
        QCOMPARE(readFile(pipe).error().code, Errc::BadInput);
        QVERIFY(readFile(file, 100));
        QCOMPARE(readFile(file, 99).error().code, Errc::BadInput);
    }
    void foldersArePrivate() {
        QTemporaryDir dir;
        const fs::path deep = fs::path(dir.path().toStdString()) / "a" / "b";
        QVERIFY(makePrivateDirs(deep));
        QVERIFY(makePrivateDirs(deep)); // no error if it exists already
        struct stat st {};
        ::stat(deep.c_str(), &st);
        QCOMPARE(st.st_mode & 0777, mode_t(0700));
        std::ofstream(fs::path(dir.path().toStdString()) / "file") << "x";
        QVERIFY(!makePrivateDirs(fs::path(dir.path().toStdString()) / "file" / "x"));
    }

    /// A million nested brackets, read or copied recursively, would crash the process.
    void jsonIsNotNestedWithoutEnd() {
        const auto nested = [](int n) {
            return std::string(static_cast<std::size_t>(n), '[') + std::string(static_cast<std::size_t>(n), ']');
        };
        QVERIFY(readJson(nested(kDeepestJson)));
        QVERIFY(!readJson(nested(kDeepestJson + 1)));
        QVERIFY(!readJson(nested(1'000'000)));
        QVERIFY(!readJson(std::string(1'000'000, '[')));
        QVERIFY(!readJson("{") && !readJson("") && readJson("{\"a\": 1}"));
        QVERIFY(!readCbor(std::string(1'000'000, '\x81')));
        QVERIFY(!readCbor("\xa1") && readCbor(std::string("\x81\x01")));
        nlohmann::json deep;
        for (int i = 0; i < 100'000; ++i) {
            nlohmann::json outer = nlohmann::json::array();
            outer.push_back(std::move(deep));
            deep = std::move(outer);
        }
        QCOMPARE(dumpJson(deep), std::string("a list"));
        QCOMPARE(dumpJson(std::string(100, 'x')).size(), std::size_t{60});
        const nlohmann::json object{{"flag", 1}, {"number", "1"}, {"integer", 18446744073709551615ull}};
        QVERIFY(!boolOr(object, "flag") && boolOr(object, "none", true) && boolOr({{"a", true}}, "a"));
        QCOMPARE(doubleOr(object, "number", 2), 2.0);
        QCOMPARE(intOr(object, "integer", -1), std::int64_t{-1});
        QCOMPARE(intOr({{"a", -5}}, "a"), std::int64_t{-5});
        QCOMPARE(intOr({1, 2}, "a", 7), std::int64_t{7});
    }
    void wholeNumbersAreWhole() {
        int pid = 0;
        assignIfValid(nlohmann::json::parse("-5"), pid);
        QCOMPARE(pid, -5);
        std::uint64_t ticks = 0;
        assignIfValid(nlohmann::json::parse("18446744073709551615"), ticks);
        QCOMPARE(ticks, UINT64_MAX);
        std::vector<int> pids;
        assignIfValid(nlohmann::json::parse("[1, 2147483647]"), pids);
        QCOMPARE(pids, (std::vector<int>{1, INT32_MAX}));
        for (const char* wrong : {"1.5", "1e80", "2147483648", "-2147483649", "\"1\"", "null", "true"})
            QVERIFY_EXCEPTION_THROWN(assignIfValid(nlohmann::json::parse(wrong), pid), std::invalid_argument);
        QVERIFY_EXCEPTION_THROWN(assignIfValid(nlohmann::json::parse("-1"), ticks), std::invalid_argument);
        QVERIFY_EXCEPTION_THROWN(assignIfValid(nlohmann::json::parse("[1, 1e80]"), pids), std::invalid_argument);
        QVERIFY_EXCEPTION_THROWN(assignIfValid(nlohmann::json::parse("1"), pids), nlohmann::json::exception);
        try {
            assignIfValid(nlohmann::json::parse("1e80"), pid);
        } catch (const std::invalid_argument& e) {
            QCOMPARE(std::string(e.what()), std::string("1e+80 is not a whole number from -2147483648 to 2147483647"));
        }
    }
    void numbersAreTruncatedWithinBounds() {
        QCOMPARE(saturatingInt64(-2.9), std::int64_t{-2});
        QCOMPARE(saturatingInt64(std::nan("")), std::int64_t{0});
        QCOMPARE(saturatingInt64(INFINITY), std::int64_t{9'000'000'000'000'000'000});
        QCOMPARE(saturatingInt64(-1e300), std::int64_t{-9'000'000'000'000'000'000});
    }
    /// In a /proc of another PID namespace, a process's own number belongs to a different process.
    void itsOwnStartTimeInAnotherNamespace() {
        const auto self = processStat(::getpid());
        QVERIFY(self);
        const pid_t child = ::fork();
        if (child == 0) {
            if (::unshare(CLONE_NEWPID | (::geteuid() == 0 ? 0 : CLONE_NEWUSER)) != 0)
                ::_exit(77);
            const pid_t first = ::fork();
            if (first == 0) {
                const auto inside = processStat(::getpid());
                const bool others = processStat(2) || isSameProcess(2, 0); // seen in another /proc
                ::_exit(::getpid() == 1 && inside && inside->startTicks >= self->startTicks && !others ? 0 : 1);
            }
            int status = -1;
            ::_exit(::waitpid(first, &status, 0) == first && WIFEXITED(status) ? WEXITSTATUS(status) : 2);
        }
        int status = -1;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status));
        if (WEXITSTATUS(status) == 77)
            QSKIP("no PID namespace to be had here");
        QCOMPARE(WEXITSTATUS(status), 0);
    }
    void processesAreKnownByStartTime() {
        const auto self = processStat(::getpid());
        QVERIFY(self);
        QVERIFY(isSameProcess(::getpid(), self->startTicks));
        QVERIFY(!isSameProcess(::getpid(), self->startTicks + 1));
        const pid_t child = ::fork();
        if (child == 0)
            ::_exit(0);
        QTRY_COMPARE(processStat(child)->state, 'Z');
        QVERIFY(!isSameProcess(child, processStat(child)->startTicks)); // a zombie counts as ended
        ::waitpid(child, nullptr, 0);
        QVERIFY(!processStat(child));
    }
    void runsFolder() {
        qputenv("RANKSCOPE_RUNS", "/somewhere");
        QCOMPARE(*defaultRunsDir(), fs::path("/somewhere"));
        qunsetenv("RANKSCOPE_RUNS");
        qputenv("XDG_DATA_HOME", "/data");
        QCOMPARE(*defaultRunsDir(), fs::path("/data/rankscope/runs"));
        qputenv("XDG_DATA_HOME", "relative"); // the specification says to ignore relative paths
        qputenv("HOME", "/h");
        QCOMPARE(*defaultRunsDir(), fs::path("/h/.local/share/rankscope/runs"));
        qunsetenv("XDG_CACHE_HOME");
        QCOMPARE(userCacheDir(), fs::path("/h/.cache/rankscope"));
        qputenv("XDG_CACHE_HOME", "/cache");
        QCOMPARE(userCacheDir(), fs::path("/cache/rankscope"));
        qunsetenv("XDG_CACHE_HOME");
        qunsetenv("XDG_DATA_HOME");
        qunsetenv("HOME");
        QVERIFY(!defaultRunsDir());
        QVERIFY(userCacheDir().empty());
    }
    void programsAreFoundOrNamed() {
        QVERIFY(findProgram("sh"));
        const auto none = findProgram("no-such-program");
        QVERIFY(!none);
        QVERIFY(none.error().message().find("NO_SUCH_PROGRAM") != std::string::npos);
    }
};

RANKSCOPE_CORE_TEST(TestBase)
#include "tst_base.moc"
