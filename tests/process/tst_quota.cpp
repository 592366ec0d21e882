// SPDX-License-Identifier: Apache-2.0
// A rank whose control group allows it only a small part of a processor, on a real machine.
#include "core/base/files/file.h"
#include "core/launch/host/process_usage.h"
#include "tests/process/launched_run.h"
#include "tests/support/test_runner.h"

#include <QJsonArray>
#include <QTest>

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

using namespace rankscope;
using namespace rankscope::test;
using launch::RunState;
namespace fs = std::filesystem;

namespace {

bool write(const fs::path& file, const std::string& text) {
    std::ofstream out(file);
    out << text << std::flush;
    return out.good();
}

/// A control group with 8 % of a processor. The destructor removes it; by then no process may be in it.
class SmallGroup {
public:
    /// Returns null if this user may not create such a group.
    static std::unique_ptr<SmallGroup> make() {
        const auto mounts = launch::groupMounts(readFile("/proc/self/mountinfo", 1u << 20).value_or(""));
        for (const bool v1 : {true, false}) {
            const auto& mount = v1 ? mounts.cpu : mounts.unified;
            std::error_code error;
            if (!mount)
                continue;
            auto group = std::make_unique<SmallGroup>(mount->at / fmt::format("rankscope-test-{}", ::getpid()));
            if (!fs::create_directory(group->m_folder, error))
                continue;
            group->m_made = true;
            if (v1 ? write(group->m_folder / "cpu.cfs_quota_us", "8000")
                   : write(group->m_folder / "cpu.max", "8000 100000"))
                return group;
        }
        return nullptr;
    }
    explicit SmallGroup(fs::path folder) : m_folder(std::move(folder)) {}
    SmallGroup(const SmallGroup&) = delete;
    ~SmallGroup() {
        if (m_made)
            ::rmdir(m_folder.c_str());
    }
    bool take(int pid) const { return write(m_folder / "cgroup.procs", std::to_string(pid)); }

private:
    fs::path m_folder;
    bool m_made = false;
};

} // namespace

class TestQuota : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRankThatItsQuotaHoldsBack() {
        const auto group = SmallGroup::make();
        if (!group)
            QSKIP("this user may make no control group with a CPU quota");
        Workplace w;
        w.setTarget("steps=100000 burn=20");
        auto process = w.start();
        QTRY_VERIFY_WITH_TIMEOUT(w.info().state == RunState::Running && w.reachesStep(30), 30'000);
        QVERIFY(group->take(w.info().rankPids[1]));
        QTRY_VERIFY_WITH_TIMEOUT(!w.incidents().isEmpty(), 30'000);
        QTest::qWait(8'000); // some twenty steps, all part of this incident
        QCOMPARE(w.ctl({"stop", QString::fromStdString(w.run().dir.string()), "--now"}).exitCode, 0);
        QVERIFY(process->waitForFinished(30'000));
        const auto incidents = w.incidents();
        QCOMPARE(incidents.size(), 1);
        const auto incident = incidents[0].toObject();
        QCOMPARE(incident["cause"].toString(), QString("slow_compute"));
        QCOMPARE(incident["holders"].toArray(), QJsonArray{1});
        QVERIFY(incident["straggler"].toBool());
        QCOMPARE(incident["evidence"].toObject()["cpu_quota"].toDouble(), 0.08);
        const QString words = incident["sentence"].toString();
        QVERIFY2(words.contains("allows it 0.08 of a processor") && words.contains("cpu.max"), qPrintable(words));
        qInfo("%s", qPrintable(words));
    }
};

RANKSCOPE_CORE_TEST(TestQuota)
#include "tst_quota.moc"
