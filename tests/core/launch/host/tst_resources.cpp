// SPDX-License-Identifier: Apache-2.0
// Values from recorded texts of /proc, control groups and NVIDIA's library, and from damaged ones.
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/process/process_identity.h"
#include "core/launch/host/nvml.h"
#include "core/launch/host/process_usage.h"
#include "core/launch/host/resource_monitor.h"
#include "core/launch/host/thread_waits.h"
#include "core/launch/host/worker_processes.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

using namespace rankscope;
using namespace rankscope::launch;
namespace fs = std::filesystem;

static const std::string kStat =
    "4242 (rank (1) train) R 4200 4242 4200 0 -1 4194304 81234 12 37 0 15021 345 0 0 20 0 17 0 5123456 9876543210 "
    "262144 18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
static const std::string kStatus =
    "Name:\trank (1) train\nVmPeak:\t 9645062 kB\nVmRSS:\t 1048576 kB\nRssAnon:\t  900000 "
    "kB\nVmSwap:\t    2048 kB\nThreads:\t17\n";
static const std::string kIo = "rchar: 323934931\nwchar: 323929600\nsyscr: 632687\nsyscw: 632675\nread_bytes: 4096\n"
                               "write_bytes: 323932160\ncancelled_write_bytes: 0\n";
static const std::string kMeminfo =
    "MemTotal:       32768000 kB\nMemFree:         1000000 kB\nMemAvailable:   20480000 kB\n";

class TestResources : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;

    fs::path root() const { return m_dir->path().toStdString(); }
    void put(const std::string& path, const std::string& text) const {
        fs::create_directories((root() / path).parent_path());
        QVERIFY(writeFileAtomic(root() / path, text));
    }
    static Nvml nvml() {
        auto loaded = Nvml::load(RANKSCOPE_NVML_ANSWERS);
        if (!loaded)
            qFatal("%s", loaded.error().message().c_str());
        return std::move(*loaded);
    }

private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }
    void cleanup() { qunsetenv("RANKSCOPE_NVML"); }

    void aProcess() {
        const auto f = processFacts(kStat, kStatus, kIo, 100);
        QCOMPARE(f.cpuNs, std::int64_t(15021 + 345) * 10'000'000);
        QCOMPARE(f.majorFaults, std::int64_t(37));
        QCOMPARE(f.rssBytes, std::int64_t(1) << 30);
        QCOMPARE(f.swapBytes, std::int64_t(2) << 20);
        QCOMPARE(f.writtenBytes, std::int64_t(323932160));
    }
    void whatIsMissingIsUnknown() {
        const auto none = processFacts("", "", "", 100);
        QCOMPARE(none.cpuNs, std::int64_t(-1));
        QCOMPARE(none.majorFaults, std::int64_t(-1));
        QCOMPARE(none.rssBytes, std::int64_t(-1));
        QCOMPARE(none.swapBytes, std::int64_t(-1));
        QCOMPARE(none.writtenBytes, std::int64_t(-1));
        QCOMPARE(processFacts(kStat, "VmRSS:\tmany kB\n", "", 100).rssBytes, std::int64_t(-1));
        QCOMPARE(processFacts(kStat, "VmRSS:\t-5 kB\n", "", 100).rssBytes, std::int64_t(-1));
        QCOMPARE(processFacts(kStat, "VmRSS:\t99999999999999999999 kB\n", "", 100).rssBytes, std::int64_t(-1));
        QCOMPARE(processFacts(kStat, "VmRSS:\t9000000000000000000 kB\n", "", 100).rssBytes, std::int64_t(-1));
        QCOMPARE(processFacts(kStat, "XVmRSS:\t5 kB\nVmRSSX: 7 kB\n", "", 100).rssBytes, std::int64_t(-1));
        QCOMPARE(processFacts(kStat, "", "", 0).cpuNs, std::int64_t(-1));
    }
    void howLongTheMainThreadWaited() {
        QCOMPARE(processFacts("", "", "", 100, "5000 7000 3\n").cpuWaitNs, std::int64_t(7000));
        QCOMPARE(processFacts("", "", "", 100, "5000\n").cpuWaitNs, std::int64_t(-1));
        QCOMPARE(processFacts("", "", "", 100, "5000 x 3\n").cpuWaitNs, std::int64_t(-1));
        QCOMPARE(processFacts("", "", "", 100, "5000 7000 3\n").cpuRunNs, std::int64_t(5000));
        QVERIFY(processFacts(kStat, "", "", 100).isRunnable);
        QVERIFY(!processFacts("7 (a) S 1", "", "", 100).isRunnable);
    }
    /// The kernel counts a wait for a processor only when it ends.
    void aWaitThatGoesOn_data() {
        QTest::addColumn<bool>("runnable");
        QTest::addColumn<int>("ran");
        QTest::addColumn<double>("share");
        QTest::newRow("without a processor") << true << 0 << 1.0;
        QTest::newRow("it ran") << true << 1 << 0.0;
        QTest::newRow("it slept") << false << 0 << 0.0;
    }
    void aWaitThatGoesOn() {
        QFETCH(bool, runnable);
        QFETCH(int, ran);
        QFETCH(double, share);
        ProcessFacts p;
        p.isRunnable = runnable;
        p.cpuRunNs = 5000;
        p.cpuWaitNs = 7000;
        ResourceMeter meter;
        meter.measure(p, {}, {}, 1, 50'000'000'000);
        p.cpuRunNs += ran;
        QCOMPARE(meter.measure(p, {}, {}, 1, 51'000'000'000).cpuWaitShare, share);
    }
    void theThreadThatWaitedLongest() {
        const auto facts = [](bool runnable, std::int64_t ran, std::int64_t waited) {
            ProcessFacts f;
            f.isRunnable = runnable;
            f.cpuRunNs = ran;
            f.cpuWaitNs = waited;
            return f;
        };
        ThreadWaits waits;
        QCOMPARE(waits.measure({{7, facts(false, 5, 0)}, {8, facts(true, 5, 0)}}, 50'000'000'000), -1.0);
        QCOMPARE(waits.measure({{7, facts(false, 6, 200'000'000)}, {8, facts(true, 5, 0)}}, 51'000'000'000), 1.0);
        QCOMPARE(waits.measure({{7, facts(false, 6, 400'000'000)}, {9, facts(true, 5, 0)}}, 52'000'000'000), 0.2);
        QCOMPARE(waits.measure({}, 53'000'000'000), -1.0);
    }
    void workersThatWait() {
        const auto facts = [](std::int64_t ran, std::int64_t waited) {
            ProcessFacts f;
            f.cpuRunNs = ran;
            f.cpuWaitNs = waited;
            return f;
        };
        const ProcessFactsById before{{1, facts(0, 0)}, {2, facts(0, 0)}, {3, facts(0, 0)}};
        const std::int64_t ns = 2'000'000'000;
        const ProcessFactsById now{{1, facts(400'000'000, 1'600'000'000)},
                                   {2, facts(800'000'000, 1'200'000'000)},
                                   {3, facts(1'000'000, 0)},
                                   {4, facts(0, 0)}}; // an idle one, and a new one
        QCOMPARE(cpuWaitShareOf(before, now, ns), 0.7);
        QCOMPARE(cpuWaitShareOf({}, now, ns), -1.0);
        QCOMPARE(cpuWaitShareOf(before, before, ns), -1.0);
    }
    void aWorker() {
        auto f = workerFacts(kStat, kStatus);
        QCOMPARE(f.name, std::string("rank (1) train"));
        QVERIFY(!f.isZombie);
        QCOMPARE(f.rssBytes, std::int64_t(900000) * 1024); // without files, which the processes share
        QCOMPARE(workerFacts(kStat, "VmRSS:\t5 kB\n").rssBytes, std::int64_t(5) * 1024);
        QCOMPARE(workerFacts("", "").rssBytes, std::int64_t(-1));
        std::string ended = kStat;
        ended.replace(ended.find(") R "), 4, ") Z ");
        const std::string before = ended.substr(0, ended.rfind(" 0\n"));
        f = workerFacts(before + " 9\n", "");
        QVERIFY(f.isZombie);
        QCOMPARE(f.signal, 9);
        QCOMPARE(f.exitCode, 0);
        f = workerFacts(before + " 256\n", "");
        QCOMPARE(f.signal, 0);
        QCOMPARE(f.exitCode, 1);
        f = workerFacts(before + " x\n", "");
        QVERIFY(f.isZombie && f.signal == 0 && f.exitCode == 0);
    }
    void children() {
        QCOMPARE(childrenIn("12 345 6 "), (std::vector<int>{12, 345, 6}));
        QCOMPARE(childrenIn("12 x 99999999999 -3 0 7\n"), (std::vector<int>{12, 7}));
        QVERIFY(childrenIn("").empty());
    }
    /// One child is killed and not waited for, another one lives and has a child.
    void workersOfThisProcess() {
        if (!readFile(fmt::format("/proc/self/task/{}/children", ::gettid())))
            QSKIP("this kernel does not list the children of a process");
        const auto start = [](bool withChild) {
            const pid_t pid = ::fork();
            if (pid == 0) {
                const pid_t parent = ::getpid();
                if (withChild && ::fork() == 0) {
                    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
                    if (::getppid() != parent)
                        ::_exit(0); // the parent was killed before the request was made, so no signal will come
                }
                for (;;)
                    ::pause();
            }
            return pid;
        };
        const pid_t killed = start(false), living = start(true);
        diagnosis::ResourceView view;
        QTRY_VERIFY_WITH_TIMEOUT((WorkerScan().addTo(view, ::getpid(), 1), view.workers == 3), 10'000);
        QVERIFY(view.workersRssBytes > 0);
        QCOMPARE(view.workersDied, std::int64_t(0));
        ::kill(killed, SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT((WorkerScan().addTo(view, ::getpid(), 1), view.workersDied == 1), 10'000);
        QCOMPARE(view.workerSignal, SIGKILL);
        QCOMPARE(view.workers, std::int64_t(2));
        ::waitpid(killed, nullptr, 0);
        WorkerScan scan;
        scan.addTo(view, ::getpid(), 1'000'000'000);
        QCOMPARE(view.workersDied, std::int64_t(0));
        ::kill(living, SIGKILL);
        ::waitpid(living, nullptr, 0);
        scan.addTo(view, ::getpid(), 2'000'000'000); // too early to look again
        QCOMPARE(view.workers, std::int64_t(2));
        scan.addTo(view, ::getpid(), 3'000'000'000);
        QVERIFY(view.workers < 2);
    }
    /// Truncated anywhere and with any byte changed, no text is read beyond its end, and no value is below -1.
    void damagedTexts() {
        std::mt19937 random(7);
        for (int i = 0; i < 3000; ++i) {
            std::string stat = kStat.substr(0, random() % kStat.size()), status = kStatus, io = kIo;
            status[random() % status.size()] = static_cast<char>(random());
            io[random() % io.size()] = static_cast<char>(random());
            const auto f = processFacts(stat, status, io, 100);
            QVERIFY(f.cpuNs >= -1 && f.majorFaults >= -1 && f.rssBytes >= -1 && f.swapBytes >= -1 &&
                    f.writtenBytes >= -1);
        }
    }
    void ourselves() {
        const std::string proc = "/proc/self/";
        const auto f = processFacts(readFile(proc + "stat").value_or(""), readFile(proc + "status").value_or(""),
                                    readFile(proc + "io").value_or(""), ::sysconf(_SC_CLK_TCK));
        const auto stat = processStat(::getpid());
        QVERIFY(stat);
        QVERIFY(f.rssBytes > 1 << 20 && f.rssBytes < stat->rssBytes * 2);
        QVERIFY(f.cpuNs >= 0 && f.cpuNs <= stat->cpuNs);
        QVERIFY(f.majorFaults >= 0);
    }

    void version2() {
        put("a/b/memory.max", "8589934592\n");
        put("a/b/memory.current", "6442450944\n");
        put("a/b/memory.stat", "anon 100\nfile 200\nactive_file 9\ninactive_file 1073741824\n");
        put("a/b/cpu.stat", "usage_usec 5\nnr_periods 200\nnr_throttled 50\nthrottled_usec 123456\n");
        put("a/memory.max", "max\n");
        put("a/memory.current", "7442450944\n");
        const auto f = groupFacts("0::/a/b\n", kMeminfo, usualGroupMounts(root()));
        QCOMPARE(f.memoryLimitBytes, std::int64_t(8589934592));
        QCOMPARE(f.memoryUsedBytes, std::int64_t(6442450944 - 1073741824));
        QCOMPARE(f.periods, std::int64_t(200));
        QCOMPARE(f.throttledPeriods, std::int64_t(50));
    }
    void aQuotaOfVersion2() {
        put("a/b/cpu.max", "8000 100000\n");
        put("a/b/cpu.stat", "usage_usec 5\nnr_periods 200\nnr_throttled 180\nthrottled_usec 123456\n");
        put("a/cpu.max", "150000 100000\n");
        put("a/cpu.stat", "usage_usec 5\nnr_periods 900\nnr_throttled 1\nthrottled_usec 7\n");
        const auto f = groupFacts("0::/a/b\n", kMeminfo, usualGroupMounts(root()));
        QCOMPARE(f.cpuQuota, 0.08); // the tighter one, to which the periods belong
        QCOMPARE(f.periods, std::int64_t(200));
        QCOMPARE(f.throttledPeriods, std::int64_t(180));
        QCOMPARE(f.throttledNs, std::int64_t(123456) * 1000);
        QCOMPARE(groupFacts("0::/a\n", kMeminfo, usualGroupMounts(root())).cpuQuota, 1.5);
    }
    /// The group itself has no quota, or one that is not a number; the outer group's applies.
    void noQuotaInTheGroupItself() {
        put("a/b/cpu.stat", "usage_usec 5\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
        put("a/cpu.max", "50000 100000\n");
        put("a/cpu.stat", "nr_periods 30\nnr_throttled 3\nthrottled_usec 1\n");
        for (const char* text : {"max 100000\n", "", "much 100000\n", "-1 100000\n", "5000\n", "5000 0\n"}) {
            put("a/b/cpu.max", text);
            const auto f = groupFacts("0::/a/b\n", kMeminfo, usualGroupMounts(root()));
            QCOMPARE(f.cpuQuota, 0.5);
            QCOMPARE(f.periods, std::int64_t(30));
        }
    }
    void aQuotaOfVersion1() {
        put("cpu/slow/cpu.cfs_quota_us", "8000\n");
        put("cpu/slow/cpu.cfs_period_us", "100000\n");
        put("cpu/slow/cpu.stat", "nr_periods 10\nnr_throttled 9\nthrottled_time 99\n");
        put("cpu/cpu.cfs_quota_us", "-1\n"); // none
        put("cpu/cpu.cfs_period_us", "100000\n");
        put("cpu/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
        const auto mounts = usualGroupMounts(root());
        const auto f = groupFacts("4:memory:/\n1:cpu:/slow\n0::/\n", kMeminfo, mounts);
        QCOMPARE(f.cpuQuota, 0.08);
        QCOMPARE(f.throttledPeriods, std::int64_t(9));
        QCOMPARE(f.throttledNs, std::int64_t(99));
        QCOMPARE(groupFacts("1:cpu:/\n", kMeminfo, mounts).cpuQuota, -1.0);
    }
    /// The system tells where groups are mounted and from which group on: a container may see a part under another
    /// name.
    void whereGroupsAreMounted() {
        const std::string mountinfo =
            "23 1 254:0 / / rw,relatime - ext4 /dev/root rw\n"
            "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
            "32 31 0:29 /docker/x " +
            (root() / "cpu here").string().replace((root() / "cpu").string().size(), 1, "\\040") +
            " rw,nosuid shared:9 master:3 - cgroup cgroup rw,cpuacct,cpu\n"
            "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
            "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
        const auto mounts = groupMounts(mountinfo);
        QVERIFY(mounts.cpu && mounts.memory && mounts.unified);
        QCOMPARE(mounts.cpu->at.string(), (root() / "cpu here").string());
        QCOMPARE(mounts.cpu->group, std::string("/docker/x"));
        QCOMPARE(mounts.memory->at.string(), std::string("/sys/fs/cgroup/memory"));
        QCOMPARE(mounts.unified->at.string(), std::string("/sys/fs/cgroup/unified"));
        put("cpu here/rank1/cpu.cfs_quota_us", "25000\n");
        put("cpu here/rank1/cpu.cfs_period_us", "100000\n");
        QCOMPARE(groupFacts("3:cpu,cpuacct:/docker/x/rank1\n", kMeminfo, mounts).cpuQuota, 0.25);
        QCOMPARE(groupFacts("3:cpu,cpuacct:/docker/xyz/rank1\n", kMeminfo, mounts).cpuQuota, -1.0);
    }
    void damagedMounts() {
        const std::string sound = "32 31 0:29 / /sys/fs/cgroup/c\\040u rw shared:9 - cgroup cgroup rw,cpu\n";
        std::mt19937 random(7);
        for (int i = 0; i < 3000; ++i) {
            std::string text = sound.substr(0, random() % sound.size());
            if (!text.empty())
                text[random() % text.size()] = static_cast<char>(random());
            (void)groupMounts(text);
        }
        QVERIFY(!groupMounts("- - - - - - - - -\n1 2 3\n").cpu);
    }
    void theTightestLimitCounts() {
        put("a/b/memory.max", "9000000000\n");
        put("a/b/memory.current", "1000000000\n");
        put("a/memory.max", "10000000000\n");
        put("a/memory.current", "9900000000\n"); // another process in the same outer group
        const auto f = groupFacts("0::/a/b\n", kMeminfo, usualGroupMounts(root()));
        QCOMPARE(f.memoryLimitBytes, std::int64_t(10000000000));
        QCOMPARE(f.memoryUsedBytes, std::int64_t(9900000000));
        const auto host =
            groupFacts("0::/a/b\n", "MemTotal: 16000000 kB\nMemAvailable: 1000 kB\n", usualGroupMounts(root()));
        QCOMPARE(host.memoryLimitBytes, std::int64_t(16000000) * 1024);
    }
    void version1() {
        put("memory/docker/x/memory.limit_in_bytes", "4294967296\n");
        put("memory/docker/x/memory.usage_in_bytes", "3221225472\n");
        put("memory/docker/x/memory.stat", "cache 1\ninactive_file 7\ntotal_inactive_file 1073741824\n");
        put("memory/memory.limit_in_bytes", "9223372036854771712\n"); // none
        put("memory/memory.usage_in_bytes", "5000000000\n");
        put("cpu/docker/x/cpu.stat", "nr_periods 10\nnr_throttled 4\nthrottled_time 99\n");
        const auto f =
            groupFacts("4:memory:/docker/x\n3:cpu,cpuacct:/docker/x\n0::/\n", kMeminfo, usualGroupMounts(root()));
        QCOMPARE(f.memoryLimitBytes, std::int64_t(4294967296));
        QCOMPARE(f.memoryUsedBytes, std::int64_t(2147483648));
        QCOMPARE(f.periods, std::int64_t(10));
        QCOMPARE(f.throttledPeriods, std::int64_t(4));
    }
    /// In a container the path is the host's, and the container's own group is at the root.
    void containersSeeTheirGroupAtTheRoot() {
        put("memory.max", "1000000000\n");
        put("memory.current", "400000000\n");
        put("cpu.stat", "nr_periods 0\nnr_throttled 0\n");
        const auto f = groupFacts("0::/kubepods/pod1/abc\n", kMeminfo, usualGroupMounts(root()));
        QCOMPARE(f.memoryLimitBytes, std::int64_t(1000000000));
        QCOMPARE(f.periods, std::int64_t(0));
    }
    void noGroupsTheHostCounts() {
        const auto f = groupFacts("0::/\n", kMeminfo, usualGroupMounts(root()));
        QCOMPARE(f.memoryLimitBytes, std::int64_t(32768000) * 1024);
        QCOMPARE(f.memoryUsedBytes, std::int64_t(32768000 - 20480000) * 1024);
        QCOMPARE(f.periods, std::int64_t(-1));
        const auto nothing = groupFacts("", "", usualGroupMounts(root()));
        QCOMPARE(nothing.memoryLimitBytes, std::int64_t(-1));
        QCOMPARE(nothing.memoryUsedBytes, std::int64_t(-1));
    }
    void pathsThatLeadAwayAreNotFollowed() {
        put("memory.max", "5\n");
        put("memory.current", "1\n");
        fs::create_directories(root() / "sub");
        const auto f = groupFacts("0::/../..\n", kMeminfo, usualGroupMounts(root() / "sub"));
        QCOMPARE(f.memoryLimitBytes, std::int64_t(32768000) * 1024);
        QVERIFY(groupFacts("::::\n0:\n:\n0::relative\n" + std::string(100'000, '/'), kMeminfo, usualGroupMounts(root()))
                    .periods == -1);
    }

    void ratesBetweenTwoMoments() {
        ResourceMeter meter;
        ProcessFacts p{1'000'000'000, 10, 500, 0, 1000};
        GroupFacts g{70, 100, 100, 10, 0.08, 1'000'000'000};
        const auto first = meter.measure(p, g, {}, 1, 50'000'000'000);
        QCOMPARE(first.cpuShare, -1.0); // a single sample gives no rate
        QCOMPARE(first.cpuThrottledShare, -1.0);
        QCOMPARE(first.rssBytes, std::int64_t(500));
        QCOMPARE(first.memoryUsedBytes, std::int64_t(70));
        QCOMPARE(first.gpuUsedBytes, std::int64_t(-1));
        p = {4'000'000'000, 30, 600, 5, 9000};
        g = {80, 100, 140, 20, 0.08, 2'400'000'000};
        const auto second = meter.measure(p, g, {}, 1, 52'000'000'000);
        QCOMPARE(second.cpuShare, 1.5);
        QCOMPARE(second.cpuThrottledShare, 0.25);
        QCOMPARE(second.cpuThrottledTimeShare, 0.7);
        QCOMPARE(second.cpuQuota, 0.08);
        QCOMPARE(second.majorFaultsPerSecond, 10.0);
        QCOMPARE(second.writeBytesPerSecond, 4000.0);
        QCOMPARE(second.swapBytes, std::int64_t(5));
        p.cpuNs = 1; // the counter went backward: perhaps another process
        p.majorFaults = -1;
        g.periods = 140;
        const auto third = meter.measure(p, g, {}, 1, 53'000'000'000);
        QCOMPARE(third.cpuShare, -1.0);
        QCOMPARE(third.majorFaultsPerSecond, -1.0);
        QCOMPARE(third.cpuThrottledShare, 0.0);
    }
    void theDeviceOfAProcess() {
        GpuFacts a, b;
        a.totalBytes = 100;
        a.processes = {{7, 30}};
        a.smClockMHz = 990;
        a.smClockMaxMHz = 1980;
        a.celsius = 50;
        b.totalBytes = 200;
        b.processes = {{8, 40}, {9, -1}};
        b.throttle = "power limit";
        const auto of = [&](const std::vector<GpuFacts>& gpus, pid_t pid) {
            return ResourceMeter().measure({}, {}, gpus, pid, 1);
        };
        QCOMPARE(of({a, b}, 7).gpuUsedBytes, std::int64_t(30));
        QCOMPARE(of({a, b}, 7).gpuTotalBytes, std::int64_t(100));
        QCOMPARE(of({a, b}, 7).gpuClockShare, 0.5);
        QCOMPARE(of({a, b}, 7).gpuTemperature, 50.0);
        QCOMPARE(of({a, b}, 8).gpuThrottle, std::string("power limit"));
        QCOMPARE(of({a, b}, 8).gpuClockShare, -1.0);
        QCOMPARE(of({a, b}, 9).gpuTotalBytes, std::int64_t(200));
        QCOMPARE(of({a, b}, 9).gpuUsedBytes, std::int64_t(-1));
        QCOMPARE(of({a, b}, 5).gpuTotalBytes, std::int64_t(-1)); // could be either of the two: unknown
        QCOMPARE(of({a}, 5).gpuTotalBytes, std::int64_t(100));
        QCOMPARE(of({a}, 5).gpuUsedBytes, std::int64_t(-1));
    }

    void nvmlAnswers() {
        const auto devices = nvml().devices();
        QCOMPARE(devices.size(), std::size_t(2));
        QCOMPARE(devices[0].totalBytes, std::int64_t(85520809984));
        QCOMPARE(devices[0].usedBytes, std::int64_t(1520809984));
        QCOMPARE(devices[0].processes.size(), std::size_t(2));
        QCOMPARE(devices[0].processes[1].first, pid_t(4322));
        QCOMPARE(devices[0].processes[1].second, std::int64_t(2097152));
        QCOMPARE(devices[0].computeCapability, 90);
        QCOMPARE(devices[1].computeCapability, -1);
        QCOMPARE(devices[0].smClockMHz, 990.0);
        QCOMPARE(devices[0].smClockMaxMHz, 1980.0);
        QCOMPARE(devices[0].celsius, 87.0);
        QCOMPARE(devices[0].throttle, std::string("power limit, temperature (hardware)"));
        QCOMPARE(devices[1].totalBytes, std::int64_t(-1)); // rejected: unknown, not zero
        QCOMPARE(devices[1].celsius, -1.0);
        QCOMPARE(devices[1].processes[0].second, std::int64_t(-1));
        QCOMPARE(devices[1].throttle, std::string()); // idling does not count as throttling
    }
    void nvmlThatLies() {
        qputenv("RANKSCOPE_NVML", "flood");
        QCOMPARE(nvml().devices()[0].processes.size(), std::size_t(300));
        qputenv("RANKSCOPE_NVML", "absurd");
        QCOMPARE(nvml().devices()[0].totalBytes, std::int64_t(-1));
        QCOMPARE(nvml().devices()[0].computeCapability, -1);
    }
    void nvmlThatIsNoUse_data() {
        QTest::addColumn<QByteArray>("asked");
        QTest::addColumn<QByteArray>("library");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("says");
        const QByteArray ours = RANKSCOPE_NVML_ANSWERS;
        QTest::newRow("does not start") << QByteArray("no_start") << ours << int(Errc::Unsupported)
                                        << QByteArray("NVML error 9");
        QTest::newRow("no device") << QByteArray("no_device") << ours << int(Errc::Unsupported)
                                   << QByteArray("no device");
        QTest::newRow("not there") << QByteArray() << QByteArray("libno-such-thing.so.1") << int(Errc::NotFound)
                                   << QByteArray("libno-such-thing.so.1");
        QTest::newRow("another library") << QByteArray() << QByteArray("libc.so.6") << int(Errc::Unsupported)
                                         << QByteArray("lacks the functions");
    }
    void nvmlThatIsNoUse() {
        QFETCH(QByteArray, asked);
        QFETCH(QByteArray, library);
        QFETCH(int, code);
        QFETCH(QByteArray, says);
        qputenv("RANKSCOPE_NVML", asked);
        const auto loaded = Nvml::load(library.toStdString());
        QVERIFY(!loaded);
        QCOMPARE(int(loaded.error().code), code);
        QVERIFY2(loaded.error().message().find(says.toStdString()) != std::string::npos,
                 loaded.error().message().c_str());
    }

    /// If the measuring thread has run all the time, the process was not frozen.
    void whetherTheProcessRan() {
        constexpr std::int64_t kSecond = 1'000'000'000;
        ResourceWatch::Snapshot s;
        QVERIFY(!s.ranThrough(100 * kSecond, 110 * kSecond)); // nothing was measured
        s.sinceNs = 50 * kSecond;
        s.atNs = 109 * kSecond;
        QVERIFY(s.ranThrough(100 * kSecond, 110 * kSecond));
        QVERIFY(!s.ranThrough(108 * kSecond, 110 * kSecond)); // too short to tell
        s.atNs = 100 * kSecond;                               // no sample since then
        QVERIFY(!s.ranThrough(100 * kSecond, 110 * kSecond));
        s.sinceNs = s.atNs = 110 * kSecond; // the samples start again
        QVERIFY(!s.ranThrough(100 * kSecond, 110 * kSecond));
    }
    /// A rank of a watched program says late what it computes on.
    void gpusAreMeasuredOnceARankUsesThem() {
        qputenv("RANKSCOPE_NVML", "own");
        const Nvml loaded = nvml();
        const auto self = processStat(::getpid());
        QVERIFY(self);
        ResourceWatch watch({{::getpid(), self->startTicks}}, false);
        QTRY_VERIFY_WITH_TIMEOUT(watch.newest().atNs != 0, 10'000);
        QCOMPARE(watch.newest().ranks.at(0)->gpuTotalBytes, std::int64_t(-1));
        watch.measureGpus();
        QTRY_COMPARE_WITH_TIMEOUT(watch.newest().ranks.at(0)->gpuTotalBytes, std::int64_t(85520809984), 10'000);
    }
    void theThreadMeasuresAndEnds() {
        const auto self = processStat(::getpid());
        QVERIFY(self);
        ResourceWatch watch({{::getpid(), self->startTicks}, {::getpid(), self->startTicks + 1}}, false);
        QTRY_VERIFY_WITH_TIMEOUT(watch.newest().atNs != 0, 10'000);
        const auto first = watch.newest();
        QCOMPARE(first.ranks.size(), std::size_t(2));
        QVERIFY(first.ranks[0] && first.ranks[0]->rssBytes > 0);
        QCOMPARE(first.sinceNs, first.atNs);
        QVERIFY(!first.ranks[1]); // another process with this number
        QTRY_VERIFY_WITH_TIMEOUT(watch.newest().atNs != first.atNs, 10'000);
        QVERIFY(watch.newest().ranks[0]->cpuShare >= 0);
    }
};

RANKSCOPE_CORE_TEST(TestResources)
#include "tst_resources.moc"
