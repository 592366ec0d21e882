// SPDX-License-Identifier: Apache-2.0
// One message at a time: each wording of each version, each prefix, and rows that were wrapped anywhere.
#include "tests/core/explain/log/scanned.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <csignal>

using namespace rankscope::explain;

namespace {

constexpr std::string_view kWatchdog =
    "[Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4187, OpType=_ALLGATHER_BASE, NumelIn=513, "
    "NumelOut=2052, Timeout(ms)=600000) ran for 600034 milliseconds before timing out.";
constexpr std::string_view kMismatch =
    "RuntimeError: Detected mismatch between collectives on ranks. Rank 1 is running collective: "
    "CollectiveFingerPrint(SequenceNumber=485, OpType=ALLREDUCE, TensorShape=[25, 4], TensorDtypes=Float, "
    "TensorDeviceTypes=TensorOptions(dtype=float (default), device=cuda, layout=Strided (default), "
    "requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))), but Rank 0 is running "
    "collective: CollectiveFingerPrint(SequenceNumber=486, OpType=BROADCAST, TensorShape=[1], TensorDtypes=Long, "
    "TensorDeviceTypes=TensorOptions(dtype=float (default), device=cuda, layout=Strided (default), "
    "requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))).Collectives differ in the "
    "following aspects: \t Sequence number: 485vs 486";

bool isWatchdog(const HangEvidence& found) {
    if (found.timeouts.size() != 1)
        return false;
    const CollectiveTimeout& timeout = found.timeouts.front();
    return timeout.rank == 2 && timeout.call.sequence == 4187 && timeout.call.op == CollectiveOp::AllGather &&
           timeout.call.elementsIn == 513 && timeout.call.elementsOut == 2052 && timeout.timeoutMs == 600'000 &&
           timeout.waitedMs == 600'034 && found.backend == "nccl";
}

bool isMismatch(const HangEvidence& found) {
    if (found.mismatches.size() != 1 || found.mismatches.front().sides.size() != 2)
        return false;
    const auto& first = found.mismatches.front().sides[0];
    const auto& second = found.mismatches.front().sides[1];
    return first.rank == 1 && first.call.sequence == 485 && first.call.op == CollectiveOp::AllReduce &&
           first.call.elementsIn == 100 && first.call.dtype == "Float" && first.shape.size() == 2 && second.rank == 0 &&
           second.call.sequence == 486 && second.call.op == CollectiveOp::Broadcast && second.call.elementsIn == 1 &&
           second.call.dtype == "Long";
}

} // namespace

class TestHangMessages : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aWrapAnywhereIsUndone() {
        for (std::size_t width = 24; width < kWatchdog.size(); ++width)
            QVERIFY2(isWatchdog(scanned(wrapped(kWatchdog, width))), qPrintable(QString::number(width)));
        for (std::size_t width = 60; width < kMismatch.size(); ++width)
            QVERIFY2(isMismatch(scanned(wrapped(kMismatch, width))), qPrintable(QString::number(width)));
        for (std::size_t at = 1; at < kWatchdog.size(); ++at) { // one break
            const std::string text = std::string(kWatchdog.substr(0, at)) + "\n" + std::string(kWatchdog.substr(at));
            QVERIFY2(isWatchdog(scanned(text + "\nEpoch 1: done\n")), qPrintable(QString::number(at)));
        }
    }
    void theLastNumberIsWholeAndNoLonger() {
        const std::string text =
            "[rank2]:[E605 11:39:47.76 ProcessGroupNCCL.cpp:2289] [PG ID 0 PG GUID 0(default_pg) Rank 2]  "
            "failure detected by watchdog at work sequence id: 1366 PG status: last enqueued work: "
            "1368, last completed work: 1365";
        for (std::size_t at = 30; at < text.size(); ++at) {
            const HangEvidence found = scanned(text.substr(0, at) + "\n" + text.substr(at) + "\n100% done\n");
            QCOMPARE(found.timeouts.size(), std::size_t(1));
            QCOMPARE(found.timeouts.front().lastCompleted.value_or(-7), std::int64_t(1365));
            QCOMPARE(found.timeouts.front().lastEnqueued.value_or(-7), std::int64_t(1368));
            QCOMPARE(found.timeouts.front().call.sequence.value_or(-7), std::int64_t(1366));
        }
    }
    void linesOfOtherRanksAreNotJoined() {
        const std::string rest(kWatchdog.substr(80));
        const HangEvidence found =
            scanned("[rank2]:[E602 1 ProcessGroupNCCL.cpp:632] " + std::string(kWatchdog.substr(0, 67)) +
                    "\n[rank3]: 87, OpType=BROADCAST, Timeout(ms)=5) ran for 5 milliseconds\n");
        QCOMPARE(found.timeouts.size(), std::size_t(1));
        QVERIFY(found.timeouts.front().rank == 2 && !found.timeouts.front().call.sequence);
        QVERIFY(found.timeouts.front().call.op == CollectiveOp::Unknown);
    }
    void prefixesSayTheRank_data() {
        QTest::addColumn<QByteArray>("prefix");
        QTest::addColumn<int>("rank");
        const auto row = [](const char* prefix, int rank) { QTest::newRow(prefix) << QByteArray(prefix) << rank; };
        row("", -1);
        row("[rank3]: ", 3);
        row("[default3]:", 3);
        row("[default3]:[rank3]: ", 3);
        row("[rank3]:[E602 11:17:52.185053341 ProcessGroupNCCL.cpp:632] ", 3);
        row("3: ", 3);
        row(" 3: [rank3]: ", 3);
        row("1: [rank3]: ", 3);
        row("[1,3]<stderr>:", 3);
        row("(RayTrainWorker pid=1234, ip=10.0.0.2) [rank3]: ", 3);
        row("(RayTrainWorker pid=1234, ip=10.0.0.2) ", -1);
        row("2025-06-02T11:17:52.185053341Z stderr F [rank3]: ", 3);
        row("2025-06-02 11:17:52,185 [rank3]: ", 3);
        row("[pod/train-worker-1/pytorch] 2025-06-02T11:17:52.185Z [rank3]: ", 3);
        row("[NeMo I 2025-06-02 11:17:52 nemo_logging:393] ", -1);
        row("[rank: 3] ", 3);
        row("[rank99999999]: ", -1);
        row("[rank65536]: ", -1);
        row("\x1b[36m[rank3]:\x1b[0m ", 3);
    }
    void prefixesSayTheRank() {
        QFETCH(QByteArray, prefix);
        QFETCH(int, rank);
        const HangEvidence found =
            scanned(prefix.toStdString() + "RuntimeError: [../gloo/transport/tcp/unbound_buffer.cc:81] "
                                           "Timed out waiting 1800000ms for recv operation to complete\n");
        QCOMPARE(found.timeouts.size(), std::size_t(1));
        QCOMPARE(found.timeouts.front().rank.value_or(-1), rank);
        QCOMPARE(found.timeouts.front().waitedMs, std::int64_t(1'800'000));
    }
    void countsOfTheWatchdogJoinItsTimeout() {
        for (const char* text :
             {"[PG ID 0 PG GUID 0(default_pg) Rank 2] Exception (either an error or timeout) detected by "
              "watchdog at work: 4187, last enqueued NCCL work: 4190, last completed NCCL work: 4186.",
              "[PG 0 Rank 2] Timeout at NCCL work: 4187, last enqueued NCCL work: 4190, last completed NCCL "
              "work: 4186.",
              "[PG ID 0 PG GUID 0(default_pg) Rank 2]  failure detected by watchdog at work sequence id: "
              "4187 PG status: last enqueued work: 4190, last completed work: 4186"}) {
            const HangEvidence found = scanned(std::string(kWatchdog) + "\n[E ProcessGroupNCCL.cpp:1] " + text + "\n");
            QVERIFY2(isWatchdog(found), text);
            QCOMPARE(found.timeouts.front().lastEnqueued.value_or(0), std::int64_t(4190));
            QCOMPARE(found.timeouts.front().lastCompleted.value_or(0), std::int64_t(4186));
        }
        const HangEvidence told =
            scanned("[PG ID 1 PG GUID 7(tp) Rank 4] Received a dump signal due to a collective timeout from  "
                    "rank 7 and we will try our best to dump the debug info. Last enqueued NCCL work: 5, "
                    "last completed NCCL work: -1.This is most likely caused by\n");
        QCOMPARE(told.timeouts.size(), std::size_t(1));
        QVERIFY(told.timeouts.front().countsOnly && told.timeouts.front().call.group == "7");
        QCOMPARE(told.timeouts.front().lastCompleted.value_or(0), std::int64_t(-1));
    }
    void absurdNumbersAreDroppedAndFactsStay() {
        const HangEvidence found =
            scanned("[Rank 99999] Watchdog caught collective operation timeout: WorkNCCL(SeqNum="
                    "99999999999999999999, OpType=ALLREDUCE, NumelIn=-5, NumelOut=1, Timeout(ms)=600000) "
                    "ran for 600034 milliseconds before timing out.\n");
        QCOMPARE(found.timeouts.size(), std::size_t(1));
        const CollectiveTimeout& timeout = found.timeouts.front();
        QVERIFY(!timeout.rank && !timeout.call.sequence && !timeout.call.elementsIn && timeout.call.elementsOut == 1);
        const HangEvidence shape =
            scanned("Detected mismatch between collectives on ranks. Rank 0 is running collective: "
                    "CollectiveFingerPrint(SequenceNumber=1, OpType=ALLREDUCE, "
                    "TensorShape=[4611686018427387904, 4], TensorDtypes=Float), but Rank 1 is running "
                    "collective: REDUCE.\n");
        QCOMPARE(shape.mismatches.size(), std::size_t(1));
        QVERIFY(!shape.mismatches.front().sides[0].call.elementsIn);
        QVERIFY(shape.mismatches.front().sides[1].call.op == CollectiveOp::Reduce);
    }
    void missingRanksAreRead() {
        const HangEvidence barrier = scanned("[Rank 0]: Ranks 4, 5, 6 failed to pass monitoredBarrier in 2000000 ms\n");
        QCOMPARE(barrier.missing.size(), std::size_t(1));
        QVERIFY((barrier.missing.front().missing == std::vector<int>{4, 5, 6}) && barrier.missing.front().rank == 0);
        const HangEvidence store =
            scanned("torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. "
                    "3/4 clients joined.\n");
        QCOMPARE(store.missing.size(), std::size_t(1));
        QVERIFY(store.missing.front().joined == 3 && store.missing.front().expected == 4);
        const HangEvidence desync =
            scanned("\t - [0] Timeout at collective: ALLREDUCE, #5\n\t   - [2] finished collective #4, but "
                    "didn't join collective #5 (count from 1)\n");
        QCOMPARE(desync.missing.size(), std::size_t(1));
        QVERIFY(desync.missing.front().missing == std::vector<int>{2});
        const HangEvidence unique =
            scanned("[1] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d "
                    "key-value store by store->get('0:1'), but store->get('0:1') got error: wait timeout "
                    "after 600000ms, keys: /default_pg/0//cuda//0:1\n");
        QCOMPARE(unique.missing.size(), std::size_t(1));
        QVERIFY(unique.missing.front().rank == 1 && unique.missing.front().missing == std::vector<int>{0});
    }
    void endsAreRead() {
        const HangEvidence srun =
            scanned("srun: error: node7: tasks 0,2-3: Killed\nsrun: error: node8: task 1: Exited with exit "
                    "code 1\n");
        QCOMPARE(srun.ends.size(), std::size_t(4));
        QVERIFY(srun.ends[2].rank == 3 && srun.ends[2].kind == RankEnd::Kind::Signal && srun.ends[2].code == SIGKILL);
        QVERIFY(srun.ends[3].rank == 1 && srun.ends[3].kind == RankEnd::Kind::ExitCode && srun.ends[3].code == 1);
        // a task of srun that is torchrun is no rank
        const HangEvidence nested =
            scanned("W0602 11:17:52.1 7 torch/distributed/elastic/agent.py:9] closing\nsrun: error: node7: "
                    "task 1: Killed\n");
        QCOMPARE(nested.ends.size(), std::size_t(1));
        QVERIFY(!nested.ends.front().rank);
    }
    void tracebacksEndInTheirException() {
        const std::string text =
            "[rank1]: Traceback (most recent call last):\n[rank0]: Traceback (most recent call last):\n"
            "[rank1]:   File \"a.py\", line 1, in f\n[rank0]:   File \"a.py\", line 1, in f\n"
            "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
            "[rank0]: torch.distributed.DistBackendError: NCCL error in: x.cpp:1\n";
        const HangEvidence found = scanned(text);
        QCOMPARE(found.ends.size(), std::size_t(2));
        QVERIFY(found.ends[0].rank == 1 && found.ends[0].kind == RankEnd::Kind::OutOfMemory &&
                !found.ends[0].ofCollective);
        QVERIFY(found.ends[1].rank == 0 && found.ends[1].kind == RankEnd::Kind::Exception &&
                found.ends[1].ofCollective);
        QCOMPARE(found.ends[0].place.line, std::int64_t(5));
    }
    void glooEndsAProcessThatReceivesMore() {
        const std::string what =
            "  what():  [enforce fail at /pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:456] "
            "op.preamble.length <= op.nbytes. 3072 vs 2732. Received data size doesn't match "
            "expected size. Is there a distributed collective mismatch in your code?";
        const std::string begin = "terminate called after throwing an instance of 'gloo::EnforceNotMet'\n";
        const std::string bar = "[rank3]: Epoch 0:  20%|# | 20/100 [00:02<00:08, 9.50it/s]\n";
        for (const std::string& text :
             {"[rank3]: " + begin + "[rank3]: " + what + "\n" + bar, begin + wrapped(what, 80)}) {
            const HangEvidence found = scanned(text);
            QCOMPARE(found.ends.size(), std::size_t(1));
            QVERIFY(found.ends[0].kind == RankEnd::Kind::Exception && found.ends[0].ofCollective);
            QCOMPARE(found.ends[0].text, std::string("gloo: op.preamble.length <= op.nbytes: 3072 vs 2732"));
            QCOMPARE(found.ends[0].rank.value_or(-1), text == begin + wrapped(what, 80) ? -1 : 3);
        }
    }
    void aCaughtExceptionIsNoEnd() {
        const std::string bar = "[rank1]: Epoch 0:  10%|# | 10/100 [00:01<00:09, 9.50it/s]\n";
        const std::string error = "[rank1]: Traceback (most recent call last):\n[rank1]: ValueError: bad file\n";
        const std::string later = "[rank1]: Epoch 0:  20%|# | 20/100 [00:02<00:08, 9.50it/s]\n";
        QCOMPARE(scanned(bar + error).ends.size(), std::size_t(1));
        QCOMPARE(scanned(bar + error + later).ends.size(), std::size_t(0));
    }
    void theHeartbeatMonitorIsRead_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("rank");
        QTest::addColumn<int>("seconds");
        const auto row = [](const char* text, MonitorReport::Kind kind, int rank, int seconds) {
            QTest::newRow(text) << QByteArray(text) << int(kind) << rank << seconds;
        };
        using Kind = MonitorReport::Kind;
        row("[rank2]:[E1229 20:29:13.091296956 ProcessGroupNCCL.cpp:1484] [PG ID 0 PG GUID 0(default_pg) Rank 2] "
            "ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued "
            "collectives. This typically indicates a NCCL/CUDA API (e.g., CudaEventDestroy) hang",
            Kind::Stuck, 2, 480);
        row("[rank5]:[E1229 20:29:13.091296956 ProcessGroupNCCL.cpp:1484] [PG ID 3 PG GUID 7(tp) Rank 1] "
            "ProcessGroupNCCL's watchdog got stuck for 480 seconds",
            Kind::Stuck, 5, 480);
        row("[E ProcessGroupNCCL.cpp:1182] [PG ID 3 PG GUID 7 Rank 1] ProcessGroupNCCL's watchdog got stuck for 480 "
            "seconds",
            Kind::Stuck, -1, 480); // of a smaller group: not known which rank
        row("[E ProcessGroupNCCL.cpp:1182] [PG 0 (default_pg) Rank 3] Heartbeat monitor timed out! Process will be "
            "terminated after dumping debug info. workMetaList_.size()=2",
            Kind::Stuck, 3, 0); // 2.4
        row("[E ProcessGroupNCCL.cpp:1182] [Rank 3] Heartbeat monitor timed out! Process will be terminated",
            Kind::Stuck, 3, 0); // 2.2
        row("[rank1]:[E1229 ProcessGroupNCCL.cpp:1484] [PG ID 0 PG GUID 0(default_pg) Rank 1] Could not acquire GIL "
            "within 300 ms on exit, possible GIL induced hang",
            Kind::PythonLock, 1, 0);
        row("[rank2]:[F1229 ProcessGroupNCCL.cpp:1306] [PG ID 0 PG GUID 0(default_pg) Rank 2] [PG ID 0 PG GUID "
            "0(default_pg) Rank 2] Terminating the process after attempting to dump debug info, due to "
            "ProcessGroupNCCL watchdog hang.",
            Kind::Terminates, 2, 0);
    }
    void theHeartbeatMonitorIsRead() {
        QFETCH(QByteArray, text);
        QFETCH(int, kind);
        QFETCH(int, rank);
        QFETCH(int, seconds);
        for (const std::size_t width : {std::size_t(4'000), std::size_t(100), std::size_t(80)}) {
            const HangEvidence found = scanned(wrapped(text.toStdString() + "\n" + text.toStdString(), width));
            QVERIFY(rank < 0 ? !found.monitors.empty() : found.monitors.size() == 1);
            QCOMPARE(int(found.monitors.front().kind), kind);
            QCOMPARE(found.monitors.front().rank.value_or(-1), rank);
            QCOMPARE(found.monitors.front().seconds, std::int64_t(seconds));
            QVERIFY(found.monitors.front().place.line > 0 && found.timeouts.empty() && found.ends.empty());
        }
    }
    void whoWroteADumpIsRead() {
        const std::string prepares = "[rank4]:[E703 ProcessGroupNCCL.cpp:1700] [PG ID 0 PG GUID 0(default_pg) Rank 4] "
                                     "ProcessGroupNCCL preparing to dump debug info. Include stack trace: 1\n",
                          wrote = "[rank4]:[I703 FlightRecorderDetail.cpp:40] Finished writing Flight Recorder debug "
                                  "info to /tmp/nccl_trace_rank_4";
        auto found = scanned(prepares + wrote + "\nEpoch 1: done\n").dumpNotices;
        QCOMPARE(found.size(), std::size_t(2));
        QVERIFY(found[0].rank == 4 && found[0].path.empty() && !found[0].isOff);
        QVERIFY(found[1].rank == 4 && found[1].path == "/tmp/nccl_trace_rank_4");
        found = scanned(wrote.substr(0, wrote.size() - 3) + "\nk_4\n").dumpNotices;
        QVERIFY(found.size() == 1 && found[0].path.empty()); // wrapped in its name: no wrong name
        found = scanned("[rank0]:[E709 ProcessGroupNCCL.cpp:670] Stack trace of the failed collective not found, "
                        "potentially because FlightRecorder is disabled.\n")
                    .dumpNotices;
        QVERIFY(found.size() == 1 && found[0].isOff && found[0].rank == 0);
    }
    void theNewerProcessGroupTimesOut() { // the usual one since PyTorch 2.15
        const HangEvidence found =
            scanned("[rank2]:[E1126 11:17:52.18505 WorkNCCL.cpp:240] [TC][rank=2][name=0] Operation timed out after "
                    "600034 ms\n[rank5]:[E1126 11:17:52.2 WorkNCCL.cpp:240] [TC][rank=1][name=7] Operation timed out "
                    "after 600035 ms\n");
        QCOMPARE(found.timeouts.size(), std::size_t(2));
        const auto second = std::ranges::find(found.timeouts, 1, &CollectiveTimeout::rank);
        QVERIFY(second != found.timeouts.end() && second->globalRank == 5 && second->call.group == "7");
        const auto first = std::ranges::find(found.timeouts, 2, &CollectiveTimeout::rank);
        QVERIFY(first != found.timeouts.end() && first->waitedMs == 600'034 && first->call.group.empty());
        QCOMPARE(found.backend, std::string("nccl"));
    }
    void aTimeoutSignalHasCounts() { // PyTorch 2.4
        const HangEvidence found =
            scanned("[rank1]:[E703 ProcessGroupNCCL.cpp:1316] [PG 0 (default_pg) Rank 1] Received a timeout signal "
                    "from this local rank and will start to dump the debug info. Last enqueued NCCL work: 12, last "
                    "completed NCCL work: 11.\n");
        QCOMPARE(found.timeouts.size(), std::size_t(1));
        QVERIFY(found.timeouts[0].rank == 1 && found.timeouts[0].lastEnqueued == 12);
    }
    void progressIsTheLastOfEachRank_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("epoch");
        QTest::addColumn<int>("batch");
        const auto row = [](const char* text, int epoch, int batch) {
            QTest::newRow(text) << QByteArray(text) << epoch << batch;
        };
        row("Epoch 0:  78%|███  | 64809/83556 [25:06:58<7:15:54,  1.40s/it, v_num=18]", 0, 64809);
        row("Epoch 9, Rank 7, world_size 8: 35batch [00:03, 10.54batch/s]", 9, 35);
        row("Train:  20%|█▉        | 375/1881 [3:40:16<14:52:25, 35.55s/it]", -1, 375);
        row("  4%|▍         | 375/1881 [3:40:16<14:52:25, 35.55s/it]", -1, 375);
        row("Training epoch 2, iteration 9/99 | lr: 0.1", 2, 9);
        row("Validation DataLoader 0:  50%|███  | 5/10 [00:01<00:01, 9.31it/s]", -1, -1);
        row("  5%|▍ | 24.9M/548M [00:00<00:11, 46.8MB/s]", -1, -1);
        row("Loading checkpoint shards: 100%|███| 3/3 [00:01<00:00, 2.00it/s]", -1, -1);
    }
    void progressIsTheLastOfEachRank() {
        QFETCH(QByteArray, text);
        QFETCH(int, epoch);
        QFETCH(int, batch);
        const HangEvidence found = scanned("\r" + text.toStdString() + "\n");
        QCOMPARE(int(found.progress.size()), batch < 0 ? 0 : 1);
        if (batch >= 0) {
            QCOMPARE(found.progress.front().epoch, std::int64_t(epoch));
            QCOMPARE(found.progress.front().batch, std::int64_t(batch));
        }
    }
};

RANKSCOPE_TEST(TestHangMessages)
#include "tst_hang_messages.moc"
