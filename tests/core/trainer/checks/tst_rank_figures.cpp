// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/checks/rank_figures.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope;
using namespace rankscope::trainer;
using telemetry::CheckStatus;

namespace {

RankFigures rankWith(int rank, std::vector<Figure> figures) {
    return {rank, std::move(figures), "node", "cpu", "", 1};
}

RankFigures rankWithConfig(int rank, const std::string& config) {
    return {rank, {}, "node", "cpu", config, std::hash<std::string>{}(config)};
}

std::string recipe(const std::string& encoder, const std::string& more = "") {
    return "model:\n  encoder:\n    " + encoder + "\n  train_ds:\n    manifest_filepath: a.json\n    num_workers: 2\n" +
           more;
}

#define COMPARE_TEXT(actual, expected) QCOMPARE(QString::fromStdString(actual), QString(expected))

} // namespace

class TestFigures : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void equalRanksPass() {
        const std::vector<Figure> figures{{"settings", "model.encoder.sync_max_audio_length", "true", true},
                                          {"settings", "rankscope.length_sync.barrier", "false", true},
                                          {"loader", "model.train_ds.batch_size", "8", true}};
        const std::vector all{rankWith(0, figures), rankWith(1, figures), rankWith(2, figures)};
        const auto results = compareFigures(all);
        QCOMPARE(results.size(), std::size_t{2});
        QVERIFY(results[0] == CheckResult::passed("settings", "sync_max_audio_length true, barrier false"));
        QVERIFY(results[1] == CheckResult::passed("loader", "batch_size 8"));
    }

    void aLongListIsCutBetweenItsEntries() {
        std::vector<Figure> figures;
        for (int i = 0; i < 20; ++i)
            figures.push_back({"settings", "trainer.some_argument_" + std::to_string(i), "true", true});
        const std::vector all{rankWith(0, figures), rankWith(1, figures)};
        const auto text = QString::fromStdString(compareFigures(all)[0].text);
        QVERIFY2(text.toUtf8().size() < int(rankscope::telemetry::kTextBytes), qPrintable(text));
        QVERIFY2(text.startsWith("some_argument_0 true, ") && text.endsWith(" true, …"), qPrintable(text));
    }

    void aDifferenceIsNamedWithKeyRanksAndValues() {
        const auto with = [](int rank, const char* value) {
            return rankWith(rank, {{"settings", "model.encoder.sync_max_audio_length", value, true}});
        };
        const std::vector all{with(0, "true"), with(1, "false"), with(2, "true")};
        const auto results = compareFigures(all);
        QCOMPARE(results.size(), std::size_t{1});
        QCOMPARE(results[0].status, CheckStatus::Failed);
        QVERIFY(results[0].stops);
        COMPARE_TEXT(results[0].text,
                     "model.encoder.sync_max_audio_length is true on rank 0, 2 and false on rank 1: all "
                     "ranks need the same");
    }

    void onlyWhatHangsStops() {
        const auto with = [](int rank, const char* workers, const char* size) {
            return rankWith(rank, {{"loader", "num_workers", workers, false}, {"loader", "batch_size", size, true}});
        };
        const std::vector slower{with(0, "4", "8"), with(1, "2", "8")};
        QVERIFY(compareFigures(slower)[0].status == CheckStatus::Failed && !compareFigures(slower)[0].stops);
        QVERIFY(stopReason(compareFigures(slower)));
        const std::vector hangs{with(0, "4", "8"), with(1, "4", "7")};
        QVERIFY(compareFigures(hangs)[0].stops);
    }

    void aRankThatDoesNotTellDiffers() {
        const std::vector all{rankWith(0, {{"s", "key", "1", true}}), rankWith(1, {})};
        COMPARE_TEXT(compareFigures(all)[0].text,
                     "key is 1 on rank 0 and not reported on rank 1: all ranks need the same");
        QVERIFY(compareFigures({}).empty());
    }

    void manyRanksAndValuesAreCut() {
        std::vector<std::string> values(20, "a");
        values[3] = "b";
        COMPARE_TEXT(valuesByRank(values), "a on rank 0, 1, 2, 4, 5, 6 and 13 more and b on rank 3");
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = std::to_string(i);
        COMPARE_TEXT(valuesByRank(values), "0 on rank 0, 1 on rank 1, 2 on rank 2, 3 on rank 3, and 16 more values");
        const std::vector<std::string> lengthy{std::string(500, 'x'),
                                               std::string(59, 'x') + "é" + std::string(500, 'y')};
        const auto text = QString::fromStdString(valuesByRank(lengthy));
        QVERIFY(text.size() < 160 && !text.contains(QChar::ReplacementCharacter));
    }

    void figuresCrossTheWire() {
        const RankFigures mine{3, {{"s", "k", "v\"\n", true}}, "höst", "cuda:1", "a: 1\n", 0xffffffffffffffffull};
        const auto back = decodeFigures(encodeFigures(mine), 3);
        QVERIFY2(back, back ? "" : back.error().message().c_str());
        QVERIFY(*back == mine);
    }

    void foreignTextIsRefused() {
        const std::string good = encodeFigures(rankWith(0, {{"s", "k", "v", true}}));
        QVERIFY(decodeFigures(good, 1));
        for (std::size_t size = 0; size < good.size(); ++size) { // truncated anywhere
            const auto cut = decodeFigures(std::string_view(good).substr(0, size), 1);
            QVERIFY(!cut);
            QCOMPARE(cut.error().where, std::string("rank 1"));
        }
        for (const char* text :
             {"[]", "{\"host\":1}", "{\"host\":\"\",\"device\":\"\",\"config\":\"\",\"hash\":-1,\"figures\":[]}",
              "{\"host\":\"\",\"device\":\"\",\"config\":\"\",\"hash\":1,\"figures\":[[1,2,3,4]]}"})
            QVERIFY(!decodeFigures(text, 0));
        QVERIFY(!decodeFigures(std::string(kMostFigureBytes + 1, ' '), 0));
    }

    void configurationsThatHangAreNamedFirst() {
        const std::vector all{
            rankWithConfig(0, recipe("sync_max_audio_length: true")),
            rankWithConfig(1, recipe("sync_max_audio_length: false", "trainer:\n  log_every_n_steps: 7\n"))};
        const auto result = compareConfigurations(all);
        QCOMPARE(result.status, CheckStatus::Failed);
        QVERIFY(result.stops);
        QVERIFY2(QString::fromStdString(result.text)
                     .startsWith("model.encoder.sync_max_audio_length is true on rank 0 and false on rank 1; "
                                 "trainer.log_every_n_steps"),
                 result.text.c_str());
        QVERIFY(result.text.ends_with(": give all ranks the same configuration"));
    }

    void aDefaultThatIsWrittenOutIsNoDifference() {
        const std::vector all{rankWithConfig(0, recipe("feat_in: 80")),
                              rankWithConfig(1, recipe("feat_in: 80\n    sync_max_audio_length: true"))};
        const auto result = compareConfigurations(all);
        QVERIFY2(result.status == CheckStatus::Passed, result.text.c_str());
    }

    void pathsMayDifferBetweenHosts() {
        std::string other = recipe("feat_in: 80");
        other.replace(other.find("a.json"), 6, "/mnt/b.json");
        const std::vector all{rankWithConfig(0, recipe("feat_in: 80")), rankWithConfig(1, other)};
        const auto result = compareConfigurations(all);
        QVERIFY2(result.status == CheckStatus::Passed, result.text.c_str());
        COMPARE_TEXT(result.text, "the same on all ranks but for 1 path or name");
    }

    void fewerWorkersFailWithoutStopping() {
        std::string other = recipe("feat_in: 80");
        other.replace(other.find("num_workers: 2"), 14, "num_workers: 0");
        const std::vector all{rankWithConfig(0, recipe("feat_in: 80")), rankWithConfig(1, other)};
        const auto result = compareConfigurations(all);
        QVERIFY(result.status == CheckStatus::Failed && !result.stops);
        COMPARE_TEXT(result.text, "model.train_ds.num_workers is 2 on rank 0 and 0 on rank 1");
    }

    void faultsAreMeantForSingleRanks() {
        const std::vector all{
            rankWithConfig(0, recipe("feat_in: 80")),
            rankWithConfig(1, recipe("feat_in: 80", "rankscope:\n  faults: [{kind: dead, rank: 1}]\n"))};
        QCOMPARE(compareConfigurations(all).status, CheckStatus::Passed);
    }

    void processesAgainstDevices_data() {
        QTest::addColumn<QString>("devices");
        QTest::addColumn<int>("nodes");
        QTest::addColumn<int>("world");
        QTest::addColumn<bool>("led");
        QTest::addColumn<bool>("passes");
        QTest::newRow("as many") << "2" << 1 << 2 << false << true;
        QTest::newRow("list") << "0,3" << 1 << 2 << false << true;
        QTest::newRow("list of one") << "2," << 1 << 1 << false << true;
        QTest::newRow("nodes") << "2" << 2 << 4 << false << true;
        QTest::newRow("all") << "auto" << 1 << 5 << false << true;
        QTest::newRow("minus one") << "-1" << 1 << 5 << false << true;
        QTest::newRow("too few") << "4" << 1 << 2 << false << false;
        QTest::newRow("too many") << "2" << 1 << 4 << false << false;
        QTest::newRow("nodes forgotten") << "2" << 1 << 4 << false << false;
        QTest::newRow("--ranks") << "4" << 1 << 2 << true << true;
    }
    void processesAgainstDevices() {
        QFETCH(QString, devices);
        QFETCH(int, nodes);
        QFETCH(int, world);
        QFETCH(bool, led);
        std::vector<RankFigures> all;
        for (int r = 0; r < world; ++r)
            all.push_back({r, {}, "a", "cpu", "", 0});
        const auto result = checkProcesses({devices.toStdString(), nodes, world, led}, all);
        QVERIFY(!result.stops);
        QTEST(result.status == CheckStatus::Passed, "passes");
    }

    void twoRanksOnOneGpuStop() {
        std::vector<RankFigures> all{
            {0, {}, "a", "cuda:0", "", 0}, {1, {}, "a", "cuda:1", "", 0}, {2, {}, "b", "cuda:0", "", 0}};
        QCOMPARE(checkProcesses({"3", 1, 3, false}, all).status, CheckStatus::Passed);
        all[1].device = "cuda:0";
        const auto result = checkProcesses({"3", 1, 3, false}, all);
        QVERIFY(result.stops);
        COMPARE_TEXT(result.text, "rank 0, 1 all use cuda:0 of a: each process needs its own GPU");
        QCOMPARE(checkProcesses({"3", 1, 3, false, true}, all).status, CheckStatus::Passed); // over Gloo
    }
};

RANKSCOPE_TEST(TestFigures)
#include "tst_rank_figures.moc"
