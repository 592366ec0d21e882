// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/rank_environment.h"

#include <QTest>

#include <map>
#include <string>

using namespace rankscope;
using namespace rankscope::trainer;

namespace {

Result<RankEnvironment> read(const std::map<std::string, std::string>& variables) {
    return readRankEnvironment([&](const char* name) -> const char* {
        const auto at = variables.find(name);
        return at == variables.end() ? nullptr : at->second.c_str();
    });
}

} // namespace

class TestRankEnvironment : public QObject {
    Q_OBJECT
private slots:
    void aloneWithoutRank() {
        const auto me = read({{"WORLD_SIZE", "4"}});
        QVERIFY(me);
        QVERIFY(me->alone());
        QCOMPARE(me->rank, 0);
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

QTEST_APPLESS_MAIN(TestRankEnvironment)
#include "tst_rank_environment.moc"
