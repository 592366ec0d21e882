// SPDX-License-Identifier: Apache-2.0
// The timeline in the Trace Event Format: it must meet the specification and match the store.
#include "core/base/files/file.h"
#include "core/exchange/perfetto/trace_export.h"
#include "tests/core/store/synthetic.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <random>
#include <set>

using namespace rankscope;
using namespace rankscope::exchange;
using namespace rankscope::store;
using namespace synthetic;
using nlohmann::json;

static constexpr int kRanks = 3, kSteps = 20;

static diagnosis::Incident incident() {
    diagnosis::Incident i;
    i.id = 1;
    i.cause = diagnosis::Cause::DataLoading;
    i.holders = {1};
    i.waiters = {0, 2};
    i.step = 4;
    i.openedNs = kStartNs + 4'000'000'000;
    i.detectedNs = kStartNs + 4'500'000'000;
    i.closedNs = kStartNs + 5'000'000'000;
    i.closed = diagnosis::CloseReason::Recovered;
    i.remedy.text = "Try \"num_workers\": 4";
    return i;
}

class TestTrace : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    json m_trace;

    std::filesystem::path path(const char* name) const { return m_dir.filePath(name).toStdString(); }
    RunReader reader() const { return take(RunReader::open(path("run.sqlite"))); }
    json events(const std::string& ph, const std::string& category = {}) const {
        json found = json::array();
        for (const auto& event : m_trace["traceEvents"])
            if (event["ph"] == ph && (category.empty() || event["cat"] == category))
                found.push_back(event);
        return found;
    }
    /// Converts a time to ns as readers do: truncated, or rounded.
    static std::int64_t cutOff(const json& micros) { return static_cast<std::int64_t>(micros.get<double>() * 1000); }
    static std::int64_t rounded(const json& micros) { return std::llround(micros.get<double>() * 1000); }

private Q_SLOTS:
    void initTestCase() {
        Options options;
        options.worldSize = kRanks;
        options.steps = kSteps;
        auto store = take(RunWriter::open(path("run.sqlite"), meta(kRanks)));
        QVERIFY(commitAll(store, makeStream(options), 1));
        const diagnosis::Transition opened{diagnosis::Transition::TransitionKind::Opened, incident()};
        QVERIFY(store.commit({}, {&opened, 1}));
        telemetry::StepRecord bad;
        bad.header.step = kSteps;
        bad.flags = 1;
        bad.loss = std::nan("");
        bad.beginNs = kStartNs + kSteps * std::int64_t{1'000'000'000};
        bad.endNs = bad.header.timeNs = bad.beginNs + 1'000;
        commit(store, 1, {telemetry::AnyRecord::of(bad)});
        QVERIFY(store.finish());
        auto from = reader();
        const auto figures = exportTrace(from, path("trace.json"));
        QVERIFY2(figures, figures ? "" : figures.error().message().c_str());
        m_trace = json::parse(*readFile(path("trace.json")));
        QCOMPARE(figures->steps, std::int64_t{kRanks * kSteps + 1});
        QCOMPARE(figures->phases, std::int64_t{kRanks * kSteps});
        QCOMPARE(figures->collectives, std::int64_t{kRanks * kSteps * 7});
        QCOMPARE(std::size_t(figures->arrows), events("s").size());
        QCOMPARE(figures->incidents, std::int64_t{1});
    }

    /// Checks the object form, and that each event has the members its type requires.
    void schema() {
        QVERIFY(m_trace.is_object() && m_trace["traceEvents"].is_array());
        QVERIFY(m_trace["displayTimeUnit"] == "ms");
        QCOMPARE(m_trace["otherData"]["ranks"].get<int>(), kRanks);
        for (const auto& event : m_trace["traceEvents"]) {
            const std::string ph = event.at("ph");
            QVERIFY(event.at("pid").is_number_integer() && event.at("name").is_string());
            if (ph == "M") {
                const std::string name = event["name"];
                const char* arg = name.ends_with("_sort_index") ? "sort_index" : "name";
                QVERIFY(event.at("args").contains(arg));
                continue;
            }
            QVERIFY(event.at("ts").is_number() && event["ts"].get<double>() >= 0);
            if (ph == "X")
                QVERIFY(event.at("tid").is_number_integer() && event.at("dur").get<double>() >= 0 &&
                        event.at("args").is_object() && event.at("cat").is_string());
            else if (ph == "s" || ph == "f")
                QVERIFY(event.at("tid").is_number_integer() && event.at("id").is_number_integer() &&
                        (ph == "s" || event.at("bp") == "e"));
            else
                QVERIFY2(ph == "C" && event.at("args").at("loss").is_number(), event.dump().c_str());
        }
    }

    void everyThreadHasOneNameBeforeItsFirstEvent() {
        std::set<std::pair<int, int>> named;
        std::set<int> processes;
        for (const auto& event : m_trace["traceEvents"]) {
            const int pid = event["pid"];
            if (event["name"] == "process_name")
                QVERIFY(processes.insert(pid).second);
            if (event["name"] == "thread_name")
                QVERIFY((named.insert({pid, event["tid"].get<int>()}).second));
            if (event["ph"] == "X")
                QVERIFY((named.contains({pid, event["tid"].get<int>()})) && processes.contains(pid));
        }
        QCOMPARE(processes, (std::set<int>{1, 2, 3, 4}));
    }

    /// The bars of a thread are disjoint or nested, whichever way the times are converted.
    void barsNest() {
        for (const auto ns : {&TestTrace::cutOff, &TestTrace::rounded}) {
            std::map<std::pair<int, int>, std::vector<std::pair<std::int64_t, std::int64_t>>> threads;
            for (const auto& event : events("X")) {
                const std::int64_t begin = ns(event["ts"]);
                threads[{event["pid"].get<int>(), event["tid"].get<int>()}].push_back(
                    {begin, -(begin + ns(event["dur"]))});
            }
            QVERIFY(threads.size() >= kRanks * 3);
            for (auto& [thread, bars] : threads) {
                std::sort(bars.begin(), bars.end()); // if two begin together, the longer one first
                std::vector<std::int64_t> open;
                for (const auto& [begin, minusEnd] : bars) {
                    while (!open.empty() && open.back() <= begin)
                        open.pop_back();
                    QVERIFY(open.empty() || -minusEnd <= open.back());
                    open.push_back(-minusEnd);
                }
            }
        }
    }

    /// Each stored collective is a bar with the same times, to the ns.
    void collectivesAreThose() {
        auto from = reader();
        const auto rows = take(from.collectives(-1, kSteps, 100'000));
        std::map<std::tuple<int, int, std::uint64_t>, json> bars;
        for (const auto& event : events("X", "collective")) {
            const auto& args = event["args"];
            const std::tuple key(event["pid"].get<int>(), args["group"].get<int>(),
                                 args["sequence"].get<std::uint64_t>());
            QVERIFY(bars.emplace(key, event).second);
        }
        QCOMPARE(bars.size(), rows.size());
        for (const auto& row : rows) {
            const json& bar = bars.at({row.rank + 1, static_cast<int>(row.group), row.sequence});
            QCOMPARE(bar["name"].get<std::string>(), row.tag);
            QCOMPARE(cutOff(bar["ts"]), row.arrivedNs);
            QCOMPARE(rounded(bar["ts"]), row.arrivedNs);
            QCOMPARE(rounded(bar["dur"]), row.doneNs - row.arrivedNs);
            QCOMPARE(bar["args"]["waited_for_rank"].get<int>(), row.holder);
            QCOMPARE(rounded(bar["args"]["wait_us"]), row.waitNs);
        }
    }

    /// Arrows lead from inside a waiter's bar, forward in time, to inside the holder's bar of the same collective.
    void arrowsLeadFromWaiterToHolder() {
        std::map<std::tuple<int, int, std::int64_t>, json> bars; // by process, thread and begin
        std::int64_t wanted = 0;
        for (const auto& bar : events("X", "collective")) {
            bars[{bar["pid"].get<int>(), bar["tid"].get<int>(), rounded(bar["ts"])}] = bar;
            wanted += bar["args"]["waited_for_rank"].get<int>() + 1 != bar["pid"].get<int>() &&
                      rounded(bar["args"]["wait_us"]) >= kArrowNs;
        }
        std::map<std::int64_t, json> begins;
        for (const auto& event : events("s"))
            QVERIFY(begins.emplace(event["id"].get<std::int64_t>(), event).second);
        QCOMPARE(static_cast<std::int64_t>(begins.size()), wanted);
        QVERIFY(wanted > kSteps);
        const json ends = events("f");
        QCOMPARE(ends.size(), begins.size());
        for (const auto& end : ends) {
            const json& begin = begins.at(end["id"].get<std::int64_t>());
            const json& waiter = bars.at({begin["pid"].get<int>(), begin["tid"].get<int>(), rounded(begin["ts"])});
            const json& holder = bars.at({end["pid"].get<int>(), end["tid"].get<int>(), rounded(end["ts"])});
            QVERIFY(waiter["args"]["sequence"].get<std::uint64_t>() == holder["args"]["sequence"].get<std::uint64_t>());
            QCOMPARE(waiter["args"]["waited_for_rank"].get<int>() + 1, end["pid"].get<int>());
            QVERIFY(rounded(begin["ts"]) < rounded(end["ts"]));
        }
    }

    void incidentsAreThere() {
        const json bars = events("X", "incident");
        QCOMPARE(bars.size(), std::size_t{1});
        QCOMPARE(rounded(bars[0]["ts"]), std::int64_t{4'000'000'000});
        QCOMPARE(rounded(bars[0]["dur"]), std::int64_t{1'000'000'000});
        QCOMPARE(bars[0]["name"].get<std::string>(), std::string("data_loading"));
        QVERIFY(bars[0]["args"]["remedy"].get<std::string>().find("\"num_workers\"") != std::string::npos);
    }

    void aSelection() {
        auto from = reader();
        Selection selection;
        selection.ranks = {1};
        selection.steps = {3, 5};
        const auto figures = take(exportTrace(from, path("part.json"), selection));
        QCOMPARE(figures.steps, std::int64_t{3});
        QCOMPARE(figures.collectives, std::int64_t{21});
        QCOMPARE(figures.arrows, std::int64_t{0}); // the holders are not selected
    }

    /// Bars of random length, in order of their begin: no lane ever has two that cross.
    void lanes() {
        std::mt19937 random(5);
        for (const bool nested : {false, true}) {
            Lanes lanes(nested);
            std::map<int, std::vector<std::pair<std::int64_t, std::int64_t>>> placed;
            std::int64_t begin = 0;
            for (int i = 0; i < 2000; ++i) {
                begin += random() % 4;
                const std::int64_t end = begin + 1 + static_cast<std::int64_t>(random() % 10);
                auto& lane = placed[lanes.place(begin, end)];
                for (const auto& [otherBegin, otherEnd] : lane)
                    QVERIFY(otherEnd <= begin || (nested && otherEnd >= end));
                lane.push_back({begin, end});
            }
            QVERIFY(lanes.count() > 1 && lanes.count() < 14);
        }
    }

    void aFileThatCannotBeWritten() {
        auto from = reader();
        const auto failed = exportTrace(from, "/proc/nowhere/trace.json");
        QVERIFY(!failed && failed.error().message().find("/proc/nowhere/trace.json") != std::string::npos);
    }
};

RANKSCOPE_TEST(TestTrace)
#include "tst_trace_export.moc"
