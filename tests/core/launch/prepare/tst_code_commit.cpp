// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/atomic_file.h"
#include "core/launch/prepare/code_commit.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

#include <filesystem>
#include <memory>

using namespace rankscope;
namespace fs = std::filesystem;

class TestCodeCommit : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;

    fs::path at(const char* path) const { return m_dir->filePath(QLatin1String(path)).toStdString(); }
    void write(const char* path, const std::string& text) const {
        fs::create_directories(at(path).parent_path());
        QVERIFY(writeFileAtomic(at(path), text));
    }
    std::string commit(const char* folder = "work/src") const {
        fs::create_directories(at(folder));
        return launch::codeCommit(at(folder));
    }
    const std::string m_first = std::string(40, 'a'), m_second = std::string(40, 'b');

private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void ofABranch() {
        write("work/.git/HEAD", "ref: refs/heads/main\n");
        QCOMPARE(commit(), std::string()); // nothing is committed yet
        write("work/.git/packed-refs", "# pack-refs with: peeled fully-peeled sorted\n" + m_second +
                                           " refs/heads/main2\n" + m_first + " refs/heads/main\n");
        QCOMPARE(commit(), m_first);
        write("work/.git/refs/heads/main", m_second + '\n'); // newer than the packed one
        QCOMPARE(commit(), m_second);
        QCOMPARE(commit("work"), m_second);
    }
    void withoutABranch() {
        write("work/.git/HEAD", m_first + '\n');
        QCOMPARE(commit(), m_first);
    }
    void ofAWorktree() {
        write("main/.git/refs/heads/side", m_first + '\n');
        write("main/.git/worktrees/side/HEAD", "ref: refs/heads/side\n");
        write("main/.git/worktrees/side/commondir", "../..\n");
        write("work/.git", "gitdir: ../main/.git/worktrees/side\n");
        QCOMPARE(commit(), m_first);
    }
    void noCheckout() { QCOMPARE(commit("elsewhere"), std::string()); }
    /// Only a commit is ever returned, and no other file is read as one.
    void damagedOnes() {
        write("outside", m_first + '\n');
        for (const std::string& head : {std::string(), std::string("ref: "), std::string("ref: refs/../../../outside"),
                                        std::string("ref: ../outside"), std::string(40, 'x'), std::string(39, 'a')}) {
            write("work/.git/HEAD", head);
            QVERIFY2(commit().empty(), head.c_str());
        }
        fs::remove(at("work/.git/HEAD"));
        QCOMPARE(::mkfifo(at("work/.git/HEAD").c_str(), 0600), 0);
        QCOMPARE(commit(), std::string());
    }
};

RANKSCOPE_CORE_TEST(TestCodeCommit)
#include "tst_code_commit.moc"
