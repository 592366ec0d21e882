// SPDX-License-Identifier: Apache-2.0
// The folder that a watched program loads the observer from must be changed by nobody else; and that of its reports.
#include "core/launch/command/observer_folder.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace rankscope;
using namespace rankscope::launch;

class TestObserverFolder : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;

    std::filesystem::path path(const char* below = "") const { return m_dir->filePath(below).toStdString(); }
    void changeMode(const char* below, mode_t mode) const { QCOMPARE(::chmod(path(below).c_str(), mode), 0); }

private Q_SLOTS:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>(); // below /tmp, which everybody may write to, but with the sticky bit
        QVERIFY(QDir(m_dir->path()).mkpath("lib/observer/package"));
        for (const char* name : {"lib/observer/sitecustomize.py", "lib/observer/package/a.py"}) {
            QFile file(m_dir->filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.close();
            changeMode(name, 0644);
        }
        for (const char* name : {"lib", "lib/observer", "lib/observer/package"})
            changeMode(name, 0755);
    }
    void mine() { QVERIFY(checkNobodyElseWrites(path("lib/observer"))); }
    void writtenByOthers_data() {
        QTest::addColumn<QString>("what");
        for (const char* name : {"lib", "lib/observer", "lib/observer/package", "lib/observer/sitecustomize.py",
                                 "lib/observer/package/a.py"})
            QTest::newRow(name) << name;
    }
    void writtenByOthers() {
        QFETCH(QString, what);
        changeMode(qPrintable(what), 0777);
        const auto checked = checkNobodyElseWrites(path("lib/observer"));
        QVERIFY(!checked);
        QCOMPARE(checked.error().code, Errc::Permission);
        QVERIFY(checked.error().message().find("chmod go-w " + path(qPrintable(what)).string()) != std::string::npos);
    }
    void ofAGroup() {
        changeMode("lib/observer", 0775);
        QCOMPARE(::chown(path("lib/observer").c_str(), uid_t(-1), ::getegid()), 0);
        const bool own = ::getegid() == 0 || ::getegid() == ::geteuid();
        QCOMPARE(checkNobodyElseWrites(path("lib/observer")).has_value(), own);
    }
    void ofAnotherUser() {
        if (::geteuid() != 0)
            QSKIP("only root can give a file away");
        QCOMPARE(::chown(path("lib/observer/sitecustomize.py").c_str(), 12345, gid_t(-1)), 0);
        QVERIFY(!checkNobodyElseWrites(path("lib/observer")));
        QCOMPARE(::chown(path("lib").c_str(), 12345, gid_t(-1)), 0);
        QCOMPARE(makeReportFolder(path("lib")).error().code, Errc::Permission);
    }
    void missing() { QVERIFY(!checkNobodyElseWrites(path("none"))); }

    void reportsArePrivate() {
        QVERIFY(makeReportFolder(path("a/b")));
        struct stat st {};
        QCOMPARE(::stat(path("a/b").c_str(), &st), 0);
        QCOMPARE(st.st_mode & 0777, mode_t(0700));
        QVERIFY(makeReportFolder(path("lib")));
        QCOMPARE(::stat(path("lib").c_str(), &st), 0);
        QCOMPARE(st.st_mode & 0777, mode_t(0700));
    }
    void environment() {
        qputenv("RANKSCOPE_OBSERVER", "off");
        const auto off = observerEnvironment("/runs/7");
        QVERIFY(off);
        QCOMPARE(*off, (Environment{{"RANKSCOPE_RUN_DIR", "/runs/7"}}));
        QVERIFY(!observes(*off));
        qunsetenv("RANKSCOPE_OBSERVER");
    }
};

RANKSCOPE_CORE_TEST(TestObserverFolder)
#include "tst_observer_folder.moc"
