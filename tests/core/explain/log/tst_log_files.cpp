// SPDX-License-Identifier: Apache-2.0
#include "core/explain/log/log_files.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

using namespace rankscope;
using namespace rankscope::explain;
namespace fs = std::filesystem;

namespace {

constexpr const char* kGloo =
    "RuntimeError: [../gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 1800000ms for recv "
    "operation to complete\n";

} // namespace

class TestLogFiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aNameMaySayTheRank() {
        QCOMPARE(rankOfFileName("logs/rank_3.log"), 3);
        QCOMPARE(rankOfFileName("rank3.txt"), 3);
        QCOMPARE(rankOfFileName("nemo_log_globalrank-3_localrank-1.txt"), 3);
        QCOMPARE(rankOfFileName("log.3.txt"), 3);
        QCOMPARE(rankOfFileName("run/attempt_0/3/stderr.log"), 3);
        QCOMPARE(rankOfFileName("train.log.3"), -1); // rotated
        QCOMPARE(rankOfFileName("slurm-1234.out"), -1);
        QCOMPARE(rankOfFileName("rank_99999.log"), -1);
    }
    void aFolderIsWalked() {
        QTemporaryDir dir;
        write(dir, "logs/rank_1.log", kGloo);
        write(dir, "logs/attempt_0/0/stderr.log", kGloo);
        write(dir, "logs/trace_0", std::string("\x80\x02}q\0", 5));
        write(dir, "logs/trace_1.json", R"({"version": "2.10", "entries": []})");
        write(dir, "logs/model.ckpt", std::string("PK\x03\x04\0\0", 6) + kGloo);
        write(dir, "outside.log", kGloo);
        fs::create_symlink("../outside.log", path(dir, "logs/link.log"));
        fs::create_symlink("..", path(dir, "logs/up"));
        const auto found = readLogs({path(dir, "logs")});
        QVERIFY(found);
        QCOMPARE(found->evidence.files.size(), std::size_t(2));
        QCOMPARE(found->evidence.files[1].name, std::string("rank_1.log"));
        QVERIFY(found->evidence.files[1].ranks == std::vector<int>{1});
        QCOMPARE(found->evidence.timeouts.size(), std::size_t(2));
        QCOMPARE(found->evidence.timeouts[1].rank.value_or(-1), 1);
        QCOMPARE(found->dumps.size(), std::size_t(2));
        QCOMPARE(found->dumps[0].name, std::string("trace_0"));
    }
    void filesAreNamedBelowAFolder() {
        QTemporaryDir dir;
        write(dir, "logs/rank_1.log", "a line\n");
        const std::filesystem::path below = path(dir, "logs");
        const auto found = readLogs({below / "rank_1.log", "/none.log"}, {nullptr, below});
        QVERIFY(found);
        QCOMPARE(found->evidence.files.size(), std::size_t{2});
        QCOMPARE(found->evidence.files[0].name, std::string("rank_1.log"));
        QCOMPARE(found->evidence.files[1].name, std::string("/none.log")); // it is not below the folder
    }
    void aRotatedLogThatIsCompressedIsNamed() {
        QTemporaryDir dir;
        write(dir, "logs/train.log", kGloo);
        write(dir, "logs/train.log.1.gz", std::string("\x1F\x8B\x08\0\0\0", 6) + "xyz");
        write(dir, "logs/utf16.log", std::string("\xFF\xFEr\0a\0", 6));
        fs::create_symlink(".", path(dir, "logs/loop"));
        const auto found = readLogs({path(dir, "logs")});
        QVERIFY(found);
        QCOMPARE(found->evidence.files.size(), std::size_t(3));
        QVERIFY(found->evidence.files[0].problem.empty());
        QVERIFY(found->evidence.files[1].problem.english().find("zcat") != std::string::npos);
        QVERIFY(found->evidence.files[2].problem.english().find("UTF-16") != std::string::npos);
    }
    void aFileThatShrinksIsSaid() {
        QTemporaryDir dir;
        write(dir, "a.log", kGloo + std::string(5'000'000, 'x'));
        const auto found = readLogs({path(dir, "a.log")}, {[&](std::int64_t done, std::int64_t) {
                                        if (done < 2'000'000)
                                            fs::resize_file(path(dir, "a.log"), 2'000'000);
                                        return true;
                                    }});
        QVERIFY(found && found->evidence.timeouts.size() == 1);
        QVERIFY(found->evidence.files[0].bytes < 5'000'000);
        QVERIFY(found->evidence.files[0].problem.english().find("shorter") != std::string::npos);
    }
    void aMessageOutweighsTheName() {
        QTemporaryDir dir;
        write(dir, "rank_1.log", std::string("[rank5]: hello\n") + kGloo);
        const auto found = readLogs({path(dir, "rank_1.log")});
        QVERIFY(found && !found->evidence.timeouts.front().rank);
        QVERIFY(found->evidence.files.front().ranks == std::vector<int>{5});
    }
    void aPipeIsRead() {
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        QCOMPARE(::write(ends[1], kGloo, std::strlen(kGloo)), ssize_t(std::strlen(kGloo)));
        ::close(ends[1]);
        const auto found = readLogs({"/dev/fd/" + std::to_string(ends[0])});
        ::close(ends[0]);
        QVERIFY(found);
        QCOMPARE(found->evidence.timeouts.size(), std::size_t(1));
    }
    void whatCannotBeReadIsSaid() {
        QTemporaryDir dir;
        QCOMPARE(::mkfifo(path(dir, "fifo").c_str(), 0600), 0);
        const auto found = readLogs({path(dir, "none.log"), path(dir, "fifo"), "/dev/zero"});
        QVERIFY(found);
        QCOMPARE(found->evidence.files.size(), std::size_t(3));
        const auto& files = found->evidence.files;
        QCOMPARE(files[0].problem.text(rankscope::Language::Chinese), std::string("无法打开：没有这样的文件或目录"));
        QCOMPARE(files[2].problem.text(rankscope::Language::Chinese), std::string("不是普通文件"));
    }
    void itCanBeCancelled() {
        QTemporaryDir dir;
        write(dir, "a.log", std::string(5'000'000, 'x'));
        std::int64_t last = 0;
        const auto found = readLogs({path(dir, "a.log")}, {[&](std::int64_t done, std::int64_t all) {
                                        last = done;
                                        return all == 5'000'000 && done < 2'000'000;
                                    }});
        QVERIFY(!found && found.error().code == Errc::Busy);
        QVERIFY(last >= 2'000'000 && last < 5'000'000);
    }

private:
    static fs::path path(const QTemporaryDir& dir, const std::string& name) {
        return fs::path(dir.path().toStdString()) / name;
    }
    static void write(const QTemporaryDir& dir, const std::string& name, const std::string& text) {
        fs::create_directories(path(dir, name).parent_path());
        std::ofstream(path(dir, name), std::ios::binary) << text;
    }
};

RANKSCOPE_TEST(TestLogFiles)
#include "tst_log_files.moc"
