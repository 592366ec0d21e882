// SPDX-License-Identifier: Apache-2.0
// Kills for lack of memory, as recorded files of control groups count them.
#include "core/base/files/atomic_file.h"
#include "core/base/process/process_identity.h"
#include "core/launch/host/memory_kills.h"
#include "core/launch/host/resource_monitor.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

using namespace rankscope;
using namespace rankscope::launch;
namespace fs = std::filesystem;

class TestMemoryKills : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;

    fs::path root() const { return m_dir->path().toStdString(); }
    void put(const std::string& path, const std::string& text) const {
        fs::create_directories((root() / path).parent_path());
        QVERIFY(writeFileAtomic(root() / path, text));
    }

private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    /// Each rank may be in a group with a separate limit, and its supervisor in another one.
    void inTheGroupOfARank_data() {
        QTest::addColumn<QString>("job");
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("membership");
        QTest::newRow("version 1") << "memory/job/"
                                   << "memory.oom_control"
                                   << "4:memory:/job/%1\n0::/\n";
        QTest::newRow("version 2") << "job/"
                                   << "memory.events"
                                   << "0::/job/%1\n";
    }
    void inTheGroupOfARank() {
        QFETCH(QString, job);
        QFETCH(QString, file);
        QFETCH(QString, membership);
        const auto mounts = usualGroupMounts(root());
        const auto count = [&](const char* group, int kills) {
            put((job + QLatin1String(group) + file).toStdString(),
                "oom_kill_disable 0\nunder_oom 0\noom 5\noom_kill " + std::to_string(kills) + "\n");
        };
        const auto of = [&](const char* rank) { return membership.arg(QLatin1String(rank)).toStdString(); };
        count("", 7);
        count("rank1/", 2);
        fs::create_directories(root() / (job + "rank2").toStdString()); // a kernel that does not count
        MemoryKills kills;
        for (const std::string& one : {of("rank1"), of("rank2"), std::string()})
            kills.watch(one, mounts);
        QVERIFY(!kills.hasIncreased());
        count("", 8); // perhaps a process of somebody else
        QVERIFY(!kills.hasIncreased());
        count("rank1/", 3);
        QVERIFY(kills.hasIncreased());
        kills.watch(of("rank1"), mounts); // the first count is kept
        QVERIFY(kills.hasIncreased());
        fs::remove_all(root() / (job + "rank1").toStdString());
        QVERIFY(!kills.hasIncreased()); // nothing is known any more
    }

    void theyAreWatchedWhileResourcesAreMeasured() {
        const auto self = processStat(::getpid());
        QVERIFY(self);
        const ResourceWatch watch({{::getpid(), self->startTicks}}, false);
        QTRY_VERIFY_WITH_TIMEOUT(watch.newest().memoryKills != nullptr, 10'000);
    }

    void aContainerSeesItsGroupAtTheRoot() {
        put("memory.events", "oom_kill 4\n");
        MemoryKills kills;
        kills.watch("0::/kubepods/pod1/abc\n", usualGroupMounts(root()));
        QVERIFY(!kills.hasIncreased());
        put("memory.events", "oom_kill 5\n");
        QVERIFY(kills.hasIncreased());
    }
};

RANKSCOPE_CORE_TEST(TestMemoryKills)
#include "tst_memory_kills.moc"
