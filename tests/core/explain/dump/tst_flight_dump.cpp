// SPDX-License-Identifier: Apache-2.0
// Flight Recorder dumps: real ones of Gloo, constructed ones of NCCL, and what must be refused.
#include "core/explain/dump/dumped_call.h"
#include "core/explain/dump/flight_dump.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <filesystem>

using namespace rankscope;
using namespace rankscope::explain;
namespace fs = std::filesystem;

namespace {

using State = DumpedRank::Entry::State;

std::string entry(int record, int sequence, const std::string& more) {
    return R"({"record_id":)" + std::to_string(record) + R"(,"pg_id":0,"process_group":["0","default_pg"],)" +
           R"("collective_seq_id":)" + std::to_string(sequence) +
           R"(,"profiling_name":"nccl:all_reduce","time_created_ns":5,"is_p2p":false)" + more + "}";
}

std::string dump(const std::string& entries, const std::string& more = {}) {
    return R"({"version":"2.4","entries":[)" + entries + "]" + more + "}";
}

std::string problemOf(const std::string& bytes) {
    const auto result = parseFlightDump(bytes, "x_1");
    return result ? std::string() : result.error().message();
}

fs::path hangs() {
    return fs::path(RANKSCOPE_SOURCE_DIR) / "tests/data/explain/hangs";
}

} // namespace

class FlightDumpTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void realDumps() {
        int read = 0;
        for (const char* version : {"2.11.0", "2.15.0"})
            for (const auto& file : fs::recursive_directory_iterator(hangs() / version)) {
                const std::string name = file.path().string();
                if (!file.is_regular_file() || name.find("nccl_trace_rank_") == name.npos)
                    continue;
                HangEvidence evidence;
                const auto result = addFlightDump(file.path(), name, {}, evidence);
                QVERIFY2(result, result ? "" : result.error().message().c_str());
                const DumpedRank& dumped = evidence.dumps.at(0);
                QCOMPARE(dumped.version, std::string("2.10"));
                QVERIFY(dumped.rank && *dumped.rank <= 2 && !dumped.dropped && dumped.entries.size() >= 6);
                QCOMPARE(evidence.files.at(0).ranks, std::vector<int>{*dumped.rank});
                QCOMPARE(evidence.backend, std::string("gloo"));
                QVERIFY(!evidence.worldSize); // Gloo's pg_config does not prove it
                for (const auto& group : dumped.groups)
                    QVERIFY(!group.lastCompleted);
                ++read;
            }
        QVERIFY(read > 100);
    }

    void aWaitingRank() {
        HangEvidence evidence;
        const auto folder = hangs() / "2.11.0/groups_crossed/dumps";
        QVERIFY(addFlightDump(folder / "live/nccl_trace_rank_2", "r_2", {}, evidence));
        QVERIFY(addFlightDump(folder / "end/nccl_trace_rank_2", "r_2", 7, evidence));
        const auto& waits = evidence.dumps[0].entries.back();
        QVERIFY(!waits.retired && waits.state == State::Scheduled && waits.createdNs > 0);
        QCOMPARE(waits.call.group, std::string("1"));
        QCOMPARE(waits.call.sequence, std::optional<std::int64_t>(4));
        QCOMPARE(waits.call.elementsIn, std::optional<std::int64_t>(257));
        QCOMPARE(waits.call.dtype, std::string("float32"));
        QVERIFY(waits.call.op == CollectiveOp::AllReduce && waits.call.codePlace.empty());
        QCOMPARE(evidence.dumps[1].rank, std::optional<int>(7)); // as the user said
        const std::string place = evidence.dumps[1].entries.back().call.codePlace;
        QVERIFY2(place.starts_with("train.py:") && place.ends_with(" training_step"), place.c_str());
    }

    void dumpOfNccl() {
        const auto parsed = parseFlightDump(
            dump(entry(0, 1,
                       R"(,"state":"completed","retired":true,"input_sizes":[[2,3],[4]],"input_dtypes":["Half"])") +
                     "," + entry(1, 2, R"(,"state":"started","retired":false)"),
                 R"(,"pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1, 2, 3]"}},)"
                 R"("pg_status":{"0":{"last_enqueued_collective":"2","last_completed_collective":1,)"
                 R"("last_started_collective":-1}})"),
            "dumps/nccl_trace_rank_3.json");
        QVERIFY2(parsed, parsed ? "" : parsed.error().message().c_str());
        QCOMPARE(parsed->rank, std::optional<int>(3));
        QCOMPARE(parsed->entries.size(), 2u);
        QCOMPARE(parsed->entries[0].call.elementsIn, std::optional<std::int64_t>(10));
        QCOMPARE(parsed->entries[0].call.dtype, std::string("float16"));
        QVERIFY(parsed->entries[0].state == State::Completed && parsed->entries[0].retired);
        QVERIFY(parsed->entries[1].state == State::Started && !parsed->entries[1].call.elementsIn);
        QCOMPARE(parsed->groups.size(), 1u);
        QCOMPARE(parsed->groups[0].ranks, (std::vector<int>{0, 1, 2, 3}));
        QVERIFY(parsed->groups[0].name.empty() && !parsed->groups[0].lastStarted && !parsed->dropped);
        QCOMPARE(parsed->groups[0].lastEnqueued, std::optional<std::int64_t>(2));
        QCOMPARE(parsed->groups[0].lastCompleted, std::optional<std::int64_t>(1));
    }

    void overwrittenEntries() {
        QVERIFY(parseFlightDump(dump(entry(4, 5, "")), "x")->dropped);
        QVERIFY(parseFlightDump(dump(entry(0, 5, "")), "x")->dropped); // after the recorder was reset
        QVERIFY(!parseFlightDump(dump(entry(0, 1, "")), "x")->dropped);
    }

    void numbersThatDoNotFit() {
        const auto parsed = parseFlightDump(
            dump(entry(0, 1, R"(,"input_sizes":[[4294967296,4294967296]],"output_sizes":[[4294967296,4294967296,0]])")),
            "x");
        QVERIFY(!parsed->entries[0].call.elementsIn);
        QCOMPARE(parsed->entries[0].call.elementsOut, std::optional<std::int64_t>(0));
    }

    void ranksOfNames_data() {
        QTest::addColumn<int>("rank"); // -1: unknown
        for (const auto& [name, rank] : std::initializer_list<std::pair<const char*, int>>{{"nccl_trace_rank_3", 3},
                                                                                           {"a/b_12.json", 12},
                                                                                           {"7", 7},
                                                                                           {"dump_5.pickle", 5},
                                                                                           {"trace", -1},
                                                                                           {"run-2026", -1},
                                                                                           {"v1.2", -1},
                                                                                           {"x_99999999999", -1},
                                                                                           {"", -1},
                                                                                           {"rank_3/trace", -1}})
            QTest::newRow(name) << rank;
    }
    void ranksOfNames() {
        QFETCH(int, rank);
        QCOMPARE(rankOfDumpName(QTest::currentDataTag()).value_or(-1), rank);
    }

    void operations() {
        QVERIFY(opOfProfilingName("nccl:_all_gather_base") == CollectiveOp::AllGather);
        QVERIFY(opOfProfilingName("nccl:ALLREDUCE_coalesced") == CollectiveOp::AllReduce);
        QVERIFY(opOfProfilingName("nccl:all_reduce_barrier") == CollectiveOp::Barrier);
        QVERIFY(opOfProfilingName("nccl:_reduce_scatter_base") == CollectiveOp::ReduceScatter);
        QVERIFY(opOfProfilingName("nccl:recv 0<-1") == CollectiveOp::Receive);
        QVERIFY(opOfProfilingName("nccl:coalesced") == CollectiveOp::Unknown);
    }

    void refused_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("problem");
        const auto row = [](const char* name, const std::string& bytes, const char* problem) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes) << QString::fromUtf8(problem);
        };
        row("empty", "", "x_1: is not a dump of PyTorch's Flight Recorder that can be read: it is neither");
        row("text", "hello", "it is neither a pickle nor JSON");
        row("half a JSON", R"({"version":)", "it is not JSON from byte");
        row("another JSON", R"({"a":1})", "it has no version");
        row("another pickle", "\x80\x02K\x05.", "the dict has another type");
        row("code",
            "\x80\x02"
            "cos\nsystem\n)R.",
            "the dict has another type");
        row("half a pickle", "\x80\x02}(X", "(byte 4)");
        row("a negative size", dump(entry(0, 1, R"(,"input_sizes":[[-1]])")), "entry 0: sizes is negative");
        row("a size that is text", dump(entry(0, 1, R"(,"input_sizes":[["9"]])")), "entry 0: sizes has another type");
        row("no name", dump("{}"), "entry 0: profiling_name has another type");
        row("ranks", dump("", R"(,"pg_config":{"0":{"ranks":"[0, 99999999]"}})"), "pg_config: ranks has another type");
    }
    void refused() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, problem);
        const std::string found = problemOf(bytes.toStdString());
        QVERIFY2(QString::fromStdString(found).contains(problem), found.c_str());
    }

    void textForTerminals() {
        QByteArray bytes = QByteArray::fromStdString(dump(R"({"profiling_name":"x:ESC","process_group":["ESC","x"]})"));
        bytes.replace("ESC", QByteArray("_u001b[2J").replace('_', '\\'));
        const auto parsed = parseFlightDump(bytes.toStdString(), "x");
        QVERIFY(parsed->entries[0].call.writtenOp.find('\x1b') == std::string::npos);
        QVERIFY(parsed->entries[0].call.group.find('\x1b') == std::string::npos);
    }
};

RANKSCOPE_TEST(FlightDumpTest)
#include "tst_flight_dump.moc"
