// SPDX-License-Identifier: Apache-2.0
// What happens to links, pipes and other irregular files in a run's folder, and how files are written in their place.
#include "core/base/files/atomic_file.h"
#include "core/base/files/guarded_folder.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

using namespace rankscope;
namespace fs = std::filesystem;

class TestGuardedFolder : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path at(const std::string& name) const { return fs::path(m_dir->path().toStdString()) / name; }
    void put(const std::string& name, const std::string& text = "x") const {
        fs::create_directories(at(name).parent_path());
        std::ofstream(at(name), std::ios::binary) << text;
    }
    static std::string bytesOf(const fs::path& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void fifo(const std::string& name) const { QCOMPARE(::mkfifo(at(name).c_str(), 0600), 0); }

private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void regularFilesAreRead() {
        put("run/run.json", "{}");
        put("run/ranks/3/log.txt", "line");
        QCOMPARE(*readRunFile(at("run/run.json")), std::string("{}"));
        QCOMPARE(*readRunFile(at("run/ranks/3/log.txt"), 100, GuardedFolder::Rank), std::string("line"));
        QCOMPARE(readRunFile(at("run/run.json"), 1).error().code, Errc::BadInput);
        QCOMPARE(readRunFile(at("run/none")).error().code, Errc::NotFound);
        QCOMPARE(readRunFile(at("none/ranks/3/log.txt"), 1, GuardedFolder::Rank).error().code, Errc::NotFound);
        const auto folder = GuardedFolder::open(at("run/ranks/"), GuardedFolder::Ranks);
        QVERIFY(folder);
        std::error_code ec;
        QCOMPARE(folder->names(ec), std::vector<std::string>{"3"});
        QVERIFY(!ec && !folder->hasFile("3") && folder->folder("3")->hasFile("log.txt"));
    }
    /// None of them may block the caller, whatever the flags.
    void whatIsNoRegularFileIsRefused() {
        put("run/target");
        fifo("run/fifo");
        fs::create_directory(at("run/folder"));
        fs::create_symlink("target", at("run/link"));
        fs::create_symlink("none", at("run/dangling"));
        const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string name = at("run/socket").string();
        QVERIFY(name.size() < sizeof address.sun_path);
        std::copy(name.begin(), name.end(), address.sun_path);
        QCOMPARE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        for (const char* file : {"run/fifo", "run/link", "run/dangling", "run/socket", "run/folder"})
            for (const int flags : {O_RDONLY, O_WRONLY | O_APPEND, O_RDWR | O_CREAT}) {
                const auto opened = openRunFile(at(file), GuardedFolder::Run, flags);
                QVERIFY2(!opened, file);
                const bool folder = opened.error().code == Errc::Io; // EISDIR
                QVERIFY2(opened.error().code == Errc::Malformed || folder, opened.error().message().c_str());
            }
        ::close(socket);
        QVERIFY(!fs::exists(at("run/none")));
    }
    void linkedFoldersAreNotEntered() {
        put("elsewhere/journal.000000");
        put("run/run.json");
        fs::create_directory(at("run/ranks"));
        fs::create_symlink("../../elsewhere", at("run/ranks/0"));
        fs::create_symlink("../elsewhere", at("run/checkpoints"));
        QCOMPARE(GuardedFolder::open(at("run/ranks/0"), GuardedFolder::Rank).error().code, Errc::Malformed);
        QCOMPARE(GuardedFolder::open(at("run/checkpoints"), GuardedFolder::Checkpoints).error().code, Errc::Malformed);
        QCOMPARE(openRunFile(at("run/ranks/0/journal.000000"), GuardedFolder::Rank).error().code, Errc::Malformed);
        // the run's own folder may be reached through a link
        fs::create_directory_symlink("run", at("last"));
        QVERIFY(openRunFile(at("last/run.json")));
        QVERIFY(GuardedFolder::open(at("last/ranks"), GuardedFolder::Ranks));
        // nor is a folder made behind one
        QCOMPARE(GuardedFolder::open(at("run"))->makeFolder("checkpoints").error().code, Errc::Malformed);
        const auto ranks = GuardedFolder::open(at("run"))->makeFolder("ranks");
        QVERIFY(ranks && ranks->makeFolder("1") && ranks->makeFolder("1") && fs::is_directory(at("run/ranks/1")));
    }
    void onlyRegularFilesAreRemoved() {
        put("run/a");
        put("run/target");
        fifo("run/fifo");
        fs::create_symlink("target", at("run/link"));
        const auto folder = GuardedFolder::open(at("run"));
        for (const char* name : {"a", "fifo", "link", "none"})
            folder->removeFile(name);
        QVERIFY(!fs::exists(at("run/a")) && fs::exists(at("run/fifo")) && fs::is_symlink(at("run/link")));
        QVERIFY(fs::exists(at("run/target")));
    }
    void filesAreMadeRenamedAndLinked() {
        put("precious", "mine");
        fs::create_directory(at("run"));
        fs::create_symlink("../precious", at("run/link"));
        const auto folder = GuardedFolder::open(at("run"));
        const auto one = folder->createAside("x"), two = folder->createAside("x");
        QVERIFY(one && two && one->name != two->name);
        QVERIFY(AtomicFile::isLeftOver(one->name) && AtomicFile::isLeftOver(two->name));
        QCOMPARE(folder->modeOf(one->name).value_or(0), 0600u);
        QVERIFY(!folder->modeOf("link") && !folder->modeOf("none"));
        QCOMPARE(::write(one->fd.get(), "text", 4), ssize_t(4));
        QVERIFY(folder->renameFile(one->name, "link")); // replaced, not followed
        QCOMPARE(bytesOf(at("precious")), std::string("mine"));
        QCOMPARE(bytesOf(at("run/link")), std::string("text"));
        QVERIFY(folder->linkFile("link", "second") && !folder->linkFile("link", "second"));
        QCOMPARE(fs::hard_link_count(at("run/second")), std::uintmax_t(2));
        QVERIFY(!folder->renameFile("none", "link"));
        QVERIFY(folder->sync());
    }
    /// A folder that becomes a link while a file in it is written: the file stays in the folder that it was begun in.
    void aFolderThatBecomesALinkIsNotEntered() {
        fs::create_directories(at("run/ranks/0"));
        fs::create_directory(at("elsewhere"));
        auto file = AtomicFile::createInRun(at("run/ranks/0/board"), GuardedFolder::Rank);
        QVERIFY(file);
        fs::rename(at("run/ranks/0"), at("run/ranks/before"));
        fs::create_directory_symlink(at("elsewhere"), at("run/ranks/0"));
        QVERIFY(file->commit());
        QVERIFY(fs::exists(at("run/ranks/before/board")) && fs::is_empty(at("elsewhere")));
        QCOMPARE(AtomicFile::createInRun(at("run/ranks/0/board"), GuardedFolder::Rank).error().code, Errc::Malformed);
    }
    void aLinkInTheFilesPlaceIsReplaced() {
        put("precious", "mine");
        fs::create_directory(at("run"));
        fs::create_symlink("../precious", at("run/run.json"));
        QVERIFY(writeRunFile(at("run/run.json"), "{}"));
        QVERIFY(!fs::is_symlink(at("run/run.json")));
        QCOMPARE(bytesOf(at("run/run.json")), std::string("{}"));
        QCOMPARE(bytesOf(at("precious")), std::string("mine"));
        struct stat st {};
        QCOMPARE(::stat(at("run/run.json").c_str(), &st), 0);
        QCOMPARE(st.st_mode & 0777, mode_t(0600));
        fs::create_directory(at("run/folder"));
        QCOMPARE(writeRunFile(at("run/folder"), "{}").error().code, Errc::BadInput);
    }
    /// A pipe is written to, as a shell's > does, and remains a pipe.
    void aPipeIsNotReplaced() {
        fifo("pipe");
        const auto unread = writeFileAtomic(at("pipe"), "text");
        QVERIFY(!unread);
        QCOMPARE(unread.error().code, Errc::BadInput);
        QVERIFY2(unread.error().what.english().find("no process reads") != std::string::npos,
                 unread.error().what.english().c_str());
        std::string read;
        const int reading = ::open(at("pipe").c_str(), O_RDONLY | O_NONBLOCK);
        QVERIFY(reading >= 0);
        const std::string text(200'000, 'x'); // more than a pipe buffers
        std::thread reader([&] {
            ::fcntl(reading, F_SETFL, 0);
            char block[4096];
            for (ssize_t n = 1; (n = ::read(reading, block, sizeof block)) > 0;)
                read.append(block, static_cast<std::size_t>(n));
        });
        const auto written = writeFileAtomic(at("pipe"), text);
        reader.join();
        ::close(reading);
        QVERIFY2(written.has_value(), written ? "" : written.error().message().c_str());
        QVERIFY(read == text);
        QVERIFY(fs::is_fifo(at("pipe")));
        fs::create_symlink("pipe", at("link")); // also through a link
        QVERIFY(!writeFileAtomic(at("link"), "text"));
        QVERIFY(fs::is_fifo(at("pipe")) && fs::is_symlink(at("link")));
        QCOMPARE(std::distance(fs::directory_iterator(m_dir->path().toStdString()), fs::directory_iterator{}), 2);
    }
    /// Uses a device node of its own rather than the machine's /dev/null.
    void aDeviceIsNotReplaced() {
        if (::mknod(at("null").c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0)
            QSKIP("only root may make a device, where the system lets it");
        if (const int fd = ::open(at("null").c_str(), O_WRONLY); fd < 0)
            QSKIP("devices may not be opened on this file system");
        else
            ::close(fd);
        const auto written = writeFileAtomic(at("null"), "text");
        QVERIFY2(written.has_value(), written ? "" : written.error().message().c_str());
        QVERIFY(fs::is_character_file(at("null")));
        QVERIFY(isSpecialFile(at("null")) && !isSpecialFile(at("none")) && !isSpecialFile(m_dir->path().toStdString()));
    }
    /// Reading a pipe below /dev that another process holds open would never end.
    void aPipeInDevShmIsNotRead() {
        const fs::path pipe = fs::path("/dev/shm") / ("rankscope-" + std::to_string(::getpid()));
        if (::mkfifo(pipe.c_str(), 0600) != 0)
            QSKIP("there is no /dev/shm");
        const int held = ::open(pipe.c_str(), O_RDWR);
        const auto read = readFile(pipe);
        ::close(held);
        ::unlink(pipe.c_str());
        QVERIFY(!read);
        QCOMPARE(read.error().code, Errc::BadInput);
    }
    void whatAShellGivesIsRead() {
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        QCOMPARE(::write(ends[1], "text", 4), ssize_t(4));
        ::close(ends[1]);
        const auto read = readFile("/dev/fd/" + std::to_string(ends[0]));
        ::close(ends[0]);
        QVERIFY2(read.has_value(), read ? "" : read.error().message().c_str());
        QCOMPARE(*read, std::string("text"));
    }
};

RANKSCOPE_TEST(TestGuardedFolder)
#include "tst_guarded_folder.moc"
