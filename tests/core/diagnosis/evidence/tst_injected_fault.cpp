// SPDX-License-Identifier: Apache-2.0
// Which incidents a fault in the recipe explains, and how they are described.
#include "core/diagnosis/evidence/injected_fault.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope;
using namespace rankscope::diagnosis;

namespace {

Incident incidentOf(Cause cause, const nlohmann::json& evidence = nullptr) {
    Incident in;
    in.id = 1;
    in.cause = cause;
    in.holders = {1};
    in.waiters = {0};
    in.step = 60;
    in.openedNs = 10'000'000'000;
    in.detectedNs = 12'000'000'000;
    in.phase = telemetry::Phase::DataWait;
    in.evidence = evidenceFromJson(evidence);
    return in;
}

std::string faultOf(const Incident& in, const std::string& fault) {
    return injectedFault(in, std::vector{fault});
}

} // namespace

class TestInjectedFault : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rankAndStep() {
        const Incident in = incidentOf(Cause::DataLoading);
        for (const char* fault : {"data_loading on rank 1 at step 60, 5 s", "data_loading on rank 1 at step 61, 5 s",
                                  "slow_reader on rank 1 at step 10 to 59, 1 s",
                                  "slow_reader on rank 1 at step 10 and all that follow, 1 s"})
            QCOMPARE(faultOf(in, fault), std::string(fault));
        for (const char* fault :
             {"data_loading on rank 0 at step 60, 5 s", "data_loading on rank 11 at step 60, 5 s",
              "data_loading on rank 1 at step 63, 5 s", "slow_reader on rank 1 at step 10 to 58, 1 s", "",
              "data_loading", "data_loading on rank x", "data_loading on rank 1 at step x",
              "no_such_kind on rank 1 at step 60"})
            QVERIFY2(faultOf(in, fault).empty(), fault);
        Incident slow = in;
        slow.straggler = true;
        slow.step = 90;
        QVERIFY(!faultOf(slow, "slow_reader on rank 1 at step 10 to 59, 1 s").empty());
    }

    /// A fault explains only the incidents that it causes.
    void kinds() {
        const std::string slowRead = "data_loading on rank 1 at step 60, 60 s",
                          kill = "dead on rank 1 at step 60, signal SIGKILL, phase forward",
                          leave = "dead on rank 1 at step 60, exit_code 7, phase forward",
                          memory = "out_of_memory on rank 1 at step 60, phase forward, megabytes 256";
        const Incident killed = incidentOf(Cause::Dead, {{"signal_name", "SIGKILL"}, {"out_of_memory", false}}),
                       crashed = incidentOf(Cause::Dead, {{"signal_name", "SIGSEGV"}, {"out_of_memory", false}}),
                       left = incidentOf(Cause::Dead, {{"exit_code", 7}, {"out_of_memory", false}}),
                       leftOtherwise = incidentOf(Cause::Dead, {{"exit_code", 70}, {"out_of_memory", false}}),
                       full = incidentOf(Cause::Dead, {{"exit_code", 4}, {"out_of_memory", true}});
        for (const Incident* in : {&killed, &crashed, &left, &full})
            QVERIFY(faultOf(*in, slowRead).empty());
        QCOMPARE(faultOf(killed, kill), kill);
        QVERIFY(faultOf(crashed, kill).empty());
        QVERIFY(faultOf(left, kill).empty());
        QCOMPARE(faultOf(left, leave), leave);
        QVERIFY(faultOf(leftOtherwise, leave).empty());
        QVERIFY(faultOf(killed, leave).empty());
        QCOMPARE(faultOf(full, memory), memory);
        QVERIFY(faultOf(killed, memory).empty());
        QVERIFY(faultOf(incidentOf(Cause::Stopped), slowRead).empty());
        QVERIFY(faultOf(incidentOf(Cause::SlowCompute), slowRead).empty());
        QVERIFY(
            !faultOf(incidentOf(Cause::SlowCompute), "slow_compute on rank 1 at step 60, 5 s, phase forward").empty());
        QVERIFY(!faultOf(incidentOf(Cause::NeverJoined), "never_joined on rank 1, 60 s").empty());
        QVERIFY(faultOf(incidentOf(Cause::Dead), "never_joined on rank 1, 60 s").empty());
    }

    void ranksThatStoppedThemselves() {
        Incident paused = incidentOf(Cause::Paused, {{"paused", "ranks"}});
        paused.holders.clear();
        QVERIFY(!faultOf(paused, "stopped on rank 1 at step 60, 6 s, phase forward").empty());
        paused.evidence.paused = "machine";
        QVERIFY(faultOf(paused, "stopped on rank 1 at step 60, 6 s, phase forward").empty());
    }

    void whatIsSaid() {
        Incident in = incidentOf(Cause::DataLoading);
        in.remedy = {"Set num_workers to 4", "model.train_ds.num_workers", "4"};
        const std::vector<std::string> none, faults{"data_loading on rank 1 at step 60, 5 s"};
        QCOMPARE(remedyText(in, none).english(), std::string("Set num_workers to 4"));
        QCOMPARE(remedyText(in, faults).english(),
                 std::string("This fault was injected by rankscope.faults (data_loading on rank 1 at step 60, 5 s). "
                             "If it were real: Set num_workers to 4"));
        QVERIFY(sentence(in, 13'000'000'000, none).english().ends_with(" Try num_workers: 4."));
        QVERIFY(sentence(in, 13'000'000'000, faults).english().ends_with(" If it were real: Set num_workers to 4."));
        const auto plain = toJson(in, 0, none), injected = toJson(in, 0, faults);
        QVERIFY(plain.at("injected_fault").is_null());
        QCOMPARE(injected.at("injected_fault").get<std::string>(), faults.front());
        QVERIFY(injected.at("sentence").get<std::string>().find("This fault was injected") != std::string::npos);
        in.remedy = {};
        QVERIFY(remedyText(in, faults).english().ends_with("(data_loading on rank 1 at step 60, 5 s)"));
    }
};

RANKSCOPE_TEST(TestInjectedFault)
#include "tst_injected_fault.moc"
