// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/rendezvous/rank_environment.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace rankscope;
using namespace rankscope::trainer;

namespace {

using Variables = std::map<std::string, std::string>;

Result<RankEnvironment> read(const Variables& variables) {
    return readRankEnvironment([&](const char* name) -> const char* {
        const auto at = variables.find(name);
        return at == variables.end() ? nullptr : at->second.c_str();
    });
}

} // namespace

class TestRankEnvironment : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aloneWithoutRank() {
        for (const auto& variables : std::vector<Variables>{{}, {{"WORLD_SIZE", "1"}}, {{"MASTER_ADDR", "node7"}}}) {
            const auto me = read(variables);
            QVERIFY(me);
            QVERIFY(me->alone());
            QCOMPARE(me->rank, 0);
        }
        const auto lost = read({{"WORLD_SIZE", "4"}}); // four such processes would each train alone, in the same folder
        QVERIFY(!lost);
        QCOMPARE(lost.error().where, std::string("environment variable RANK"));
    }

    void lightningsNodes() {
        Variables variables{{"NODE_RANK", "2"},
                            {"LOCAL_RANK", "1"},
                            {"LOCAL_WORLD_SIZE", "4"},
                            {"WORLD_SIZE", "12"},
                            {"MASTER_ADDR", "10.0.0.1"}};
        const auto me = read(variables);
        QVERIFY(me);
        QCOMPARE(me->rank, 9);
        QCOMPARE(me->localRank, 1);
        QCOMPARE(me->localWorldSize, 4);
        QVERIFY(!me->onLoopback());
        variables["NODE_RANK"] = "3";
        QVERIFY(!read(variables));
    }

    void oneHostNeedsNoNetwork() {
        const Variables one{{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"LOCAL_WORLD_SIZE", "2"}, {"MASTER_ADDR", "node7"}};
        QVERIFY(read(one)->onLoopback()); // torchrun --standalone names the host
        Variables two = one;
        two.erase("LOCAL_WORLD_SIZE"); // without it, other hosts are possible
        QVERIFY(!read(two)->onLoopback());
        QCOMPARE(read(two)->localRank, 0);
        QCOMPARE(read(two)->localWorldSize, 1);
    }

    void slurmsStep() {
        Variables variables{{"SLURM_PROCID", "5"},
                            {"SLURM_LOCALID", "1"},
                            {"SLURM_NODEID", "2"},
                            {"SLURM_STEP_NUM_TASKS", "7"},
                            {"SLURM_STEP_TASKS_PER_NODE", "2(x3),1"},
                            {"SLURM_STEP_NODELIST", "gpu[07-09,12]"},
                            {"SLURM_JOB_ID", "1234567"}};
        const auto me = read(variables);
        QVERIFY2(me, me ? "" : me.error().message().c_str());
        QCOMPARE(me->rank, 5);
        QCOMPARE(me->localRank, 1);
        QCOMPARE(me->worldSize, 7);
        QCOMPARE(me->localWorldSize, 2);
        QCOMPARE(me->masterAddress, std::string("gpu07"));
        QCOMPARE(int(me->masterPort), 15000 + 4567);
        QVERIFY(!me->onLoopback());
        variables["MASTER_ADDR"] = "10.1.1.1";
        variables["MASTER_PORT"] = "4000";
        QCOMPARE(read(variables)->masterAddress, std::string("10.1.1.1"));
        QCOMPARE(int(read(variables)->masterPort), 4000);
        variables["RANK"] = "0"; // torchrun, or rankscopectl, inside a job
        variables["WORLD_SIZE"] = "2";
        QCOMPARE(read(variables)->worldSize, 2);

        Variables whole{{"SLURM_PROCID", "1"},         {"SLURM_LOCALID", "1"}, {"SLURM_NODEID", "0"},
                        {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_JOB_ID", "17"}, {"SLURM_STEP_TASKS_PER_NODE", "4"},
                        {"SLURM_STEP_NODELIST", "n1"}};
        QVERIFY(read(whole)->onLoopback());
        QCOMPARE(int(read(whole)->masterPort), 15017);
        whole["SLURM_STEP_TASKS_PER_NODE"] = "2(x2)";
        whole.erase("SLURM_STEP_NODELIST");
        QVERIFY(!read(whole)); // it is unknown where rank 0 is
        // a batch script is not a task
        QVERIFY(read({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_NODELIST", "n[1-2]"}})->alone());
    }

    void slurmsLists() {
        QCOMPARE(firstHost("n1"), std::string("n1"));
        QCOMPARE(firstHost("n1,n2"), std::string("n1"));
        QCOMPARE(firstHost("gpu[3],x"), std::string("gpu3"));
        QCOMPARE(firstHost("gpu[003-7],x"), std::string("gpu003"));
        QCOMPARE(firstHost("rack[1-2]n[4,6]-ib,x[1-2]"), std::string("rack1n4-ib"));
        QCOMPARE(firstHost("gpu["), std::string("gpu"));
        QCOMPARE(firstHost(""), std::string());
        for (const auto& [text, node, tasks] : std::vector<std::tuple<const char*, int, int>>{{"4", 0, 4},
                                                                                              {"4", 1, 0},
                                                                                              {"2(x3),1", 2, 2},
                                                                                              {"2(x3),1", 3, 1},
                                                                                              {"1,3", 1, 3},
                                                                                              {"2(x", 0, 0},
                                                                                              {"", 0, 0},
                                                                                              {"x", 0, 0},
                                                                                              {"2(x-1)", 0, 0}})
            QCOMPARE(tasksOnNode(text, node), tasks);
    }

    void mpirun() {
        Variables open{{"OMPI_COMM_WORLD_RANK", "1"},
                       {"OMPI_COMM_WORLD_SIZE", "2"},
                       {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                       {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                       {"SLURM_PROCID", "0"},
                       {"SLURM_STEP_NUM_TASKS", "1"}}; // those of mpirun's daemon
        QCOMPARE(read(open)->rank, 1);
        QVERIFY(read(open)->onLoopback());
        open["OMPI_COMM_WORLD_LOCAL_SIZE"] = "1";
        open["OMPI_COMM_WORLD_LOCAL_RANK"] = "0";
        QVERIFY(!read(open));
        open["MASTER_ADDR"] = "10.0.0.1";
        QCOMPARE(read(open)->masterAddress, std::string("10.0.0.1"));
        QVERIFY(!read(open)->onLoopback());
        const auto hydra =
            read({{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "3"}, {"MPI_LOCALNRANKS", "4"}});
        QCOMPARE(hydra->rank, 3);
        QVERIFY(hydra->onLoopback());
    }

    void torchrunsContract() {
        const auto me = read({{"RANK", "3"},
                              {"LOCAL_RANK", "1"},
                              {"WORLD_SIZE", "4"},
                              {"LOCAL_WORLD_SIZE", "2"},
                              {"MASTER_ADDR", "node7"},
                              {"MASTER_PORT", "29999"},
                              {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                              {"TORCHELASTIC_RESTART_COUNT", "2"}});
        QVERIFY(me);
        QCOMPARE(me->rank, 3);
        QCOMPARE(me->localRank, 1);
        QCOMPARE(me->worldSize, 4);
        QCOMPARE(me->localWorldSize, 2);
        QCOMPARE(me->masterAddress, std::string("node7"));
        QCOMPARE(int(me->masterPort), 29999);
        QVERIFY(me->agentStore);
        QCOMPARE(me->attempt, 2);
        QVERIFY(!me->onLoopback());
    }

    void loopback() {
        QVERIFY(read({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "localhost"}})->onLoopback());
        QVERIFY(read({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}})->onLoopback());
        QVERIFY(!read({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "10.0.0.1"}})->onLoopback());
    }

    void namesWhatIsWrong_data() {
        QTest::addColumn<QString>("rank");
        QTest::addColumn<QString>("world");
        QTest::addColumn<QString>("port");
        QTest::addColumn<QString>("culprit");
        QTest::newRow("no number") << "one"
                                   << "2"
                                   << "29500"
                                   << "RANK";
        QTest::newRow("trailing text") << "1x"
                                       << "2"
                                       << "29500"
                                       << "RANK";
        QTest::newRow("beyond the world") << "2"
                                          << "2"
                                          << "29500"
                                          << "RANK";
        QTest::newRow("negative") << "-1"
                                  << "2"
                                  << "29500"
                                  << "RANK";
        QTest::newRow("no rank at all") << "0"
                                        << "0"
                                        << "29500"
                                        << "WORLD_SIZE";
        QTest::newRow("port") << "0"
                              << "2"
                              << "70000"
                              << "MASTER_PORT";
    }

    void namesWhatIsWrong() {
        QFETCH(QString, rank);
        QFETCH(QString, world);
        QFETCH(QString, port);
        QFETCH(QString, culprit);
        const auto me = read(
            {{"RANK", rank.toStdString()}, {"WORLD_SIZE", world.toStdString()}, {"MASTER_PORT", port.toStdString()}});
        QVERIFY(!me);
        QCOMPARE(me.error().code, Errc::BadInput);
        QCOMPARE(QString::fromStdString(me.error().where), "environment variable " + culprit);
    }
};

RANKSCOPE_TEST(TestRankEnvironment)
#include "tst_rank_environment.moc"
