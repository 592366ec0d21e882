// SPDX-License-Identifier: Apache-2.0
// Which LibTorch an installed trainer uses, and the error if there is none.
#include "core/base/files/atomic_file.h"
#include "core/base/process/libtorch_location.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <memory>

using namespace rankscope;
namespace fs = std::filesystem;

class TestLibTorch : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_prefix, m_starter;

    static void write(const fs::path& file, const std::string& text) {
        fs::create_directories(file.parent_path());
        QVERIFY(writeFileAtomic(file, text, 0755));
    }
    static fs::path torch(const fs::path& dir, const std::string& version) {
        write(dir / "lib" / "libtorch_cpu.so", "");
        write(dir / "build-version", version + "\n");
        return dir;
    }
    QString message() const {
        const auto found = findLibTorch(m_starter);
        return found ? QString() : QString::fromStdString(found.error().message());
    }

private Q_SLOTS:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        m_prefix = m_dir->filePath("prefix").toStdString();
        m_starter = m_prefix / "bin" / "rankscope-trainer";
        write(m_starter, "");
        write(m_prefix / "lib" / "rankscope" / "rankscope-trainer", "");
        write(m_prefix / "lib" / "rankscope" / "libtorch-version", "2.11.0\n");
        qputenv("XDG_DATA_HOME", m_dir->filePath("data").toUtf8());
        qunsetenv("RANKSCOPE_LIBTORCH");
        qunsetenv("RANKSCOPE_TRAINER");
    }

    void aBuildFoldersTrainerIsNoStarter() {
        QVERIFY(installedTrainer(m_starter) == m_prefix / "lib" / "rankscope" / "rankscope-trainer");
        QVERIFY(installedTrainer(m_prefix / "lib" / "rankscope" / "rankscope-trainer").empty());
        fs::remove_all(m_prefix / "lib");
        QVERIFY(installedTrainer(m_starter).empty());
    }
    void theUsersGoesBeforeThePrefixs() {
        const auto prefixs = torch(m_prefix / "var" / "rankscope" / "libtorch", "2.11.1+cpu");
        QVERIFY(*findLibTorch(m_starter) == fs::canonical(prefixs));
        const auto users = torch(fs::path(m_dir->filePath("data").toStdString()) / "rankscope" / "libtorch", "2.11.0");
        QVERIFY(*findLibTorch(m_starter) == fs::canonical(users));
        const auto named = torch(fs::path(m_dir->filePath("mine").toStdString()), "2.11.0");
        qputenv("RANKSCOPE_LIBTORCH", named.c_str());
        QVERIFY(*findLibTorch(m_starter) == fs::canonical(named));
    }
    void aLinkToTheStarterFindsItsPrefix() {
        torch(m_prefix / "var" / "rankscope" / "libtorch", "2.11.0");
        const fs::path link = m_dir->filePath("rankscope-trainer").toStdString();
        fs::create_symlink(m_starter, link);
        QVERIFY(findLibTorch(link));
    }
    void noneIsSaidWithWhatToDo() {
        if (fs::exists("/var/lib/rankscope/libtorch"))
            QSKIP("this machine has /var/lib/rankscope/libtorch");
        for (const char* part : {"rankscope-setup", "--libtorch DIR", "/var/lib/rankscope/libtorch", "data/rankscope"})
            QVERIFY2(message().contains(part), qPrintable(message()));
        qputenv("RANKSCOPE_TRAINER", m_starter.c_str());
        QVERIFY(!findTrainer());
        torch(m_prefix / "var" / "rankscope" / "libtorch", "2.11.0");
        QVERIFY(*findTrainer() == m_starter);
    }
    void aLinkThatLeadsNowhereIsSaid() {
        if (fs::exists("/var/lib/rankscope/libtorch"))
            QSKIP("this machine has /var/lib/rankscope/libtorch");
        const fs::path link = m_prefix / "var" / "rankscope" / "libtorch";
        fs::create_directories(link.parent_path());
        fs::create_symlink("/no/such/folder", link);
        QVERIFY2(message().contains("a link to /no/such/folder, which does not exist"), qPrintable(message()));
        if (::geteuid() == 0)
            QSKIP("root may read every folder");
        const fs::path closed = m_dir->filePath("closed").toStdString();
        torch(closed / "torch", "2.11.0");
        fs::permissions(closed, fs::perms::none);
        fs::remove(link);
        fs::create_symlink(closed / "torch", link);
        const QString said = message();
        fs::permissions(closed, fs::perms::owner_all);
        QVERIFY2(said.contains("which you do not have permission to read"), qPrintable(said));
    }
    void anotherVersionIsSaid() {
        const auto other = torch(m_prefix / "var" / "rankscope" / "libtorch", "2.9.1+cu128");
        QVERIFY2(message().contains("is LibTorch 2.9.1+cu128, but this trainer was built with 2.11.0"),
                 qPrintable(message()));
        QVERIFY(message().startsWith(QString::fromStdString(other.string())));
        QVERIFY2(message().contains("run rankscope-setup"), qPrintable(message()));
        qputenv("RANKSCOPE_LIBTORCH", other.c_str()); // rankscope-setup would not help
        QVERIFY2(message().contains("or unset it") && !message().contains("rankscope-setup"), qPrintable(message()));
    }
    void aFolderWithoutAVersionIsSaid() {
        const auto other = torch(m_prefix / "var" / "rankscope" / "libtorch", "2.11.0");
        fs::remove(other / "build-version");
        QVERIFY2(message().contains("has no build-version or version.py") &&
                     message().contains("needs LibTorch 2.11.0"),
                 qPrintable(message()));
    }
    void aFolderWithoutLibrariesIsSaid() {
        qputenv("RANKSCOPE_LIBTORCH", m_prefix.c_str());
        QVERIFY2(message().contains("lib/libtorch_cpu.so"), qPrintable(message()));
    }
    void versionOfAWheel() {
        const fs::path dir = m_dir->filePath("wheel").toStdString();
        write(dir / "version.py", "from typing import Optional\n__version__ = '2.11.0+cu130'\ndebug = False\n");
        QCOMPARE(libTorchVersion(dir), std::string("2.11.0+cu130"));
        QCOMPARE(libTorchVersion(m_prefix), std::string());
    }
};

RANKSCOPE_CORE_TEST(TestLibTorch)
#include "tst_libtorch_location.moc"
