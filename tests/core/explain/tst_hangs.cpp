// SPDX-License-Identifier: Apache-2.0
// Explains runs that hung with an installed PyTorch, against what is true of them: tests/data/explain/hangs/README.md.
#include "core/base/files/file.h"
#include "core/explain/explain.h"
#include "core/explain/report/explanation_words.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

using namespace rankscope;
using namespace rankscope::explain;

static const std::map<std::string, Verdict> kVerdicts{{"Mismatch", Verdict::Mismatch},
                                                      {"RankDead", Verdict::RankDead},
                                                      {"RankMissing", Verdict::RankMissing},
                                                      {"RankBehind", Verdict::RankBehind},
                                                      {"EveryoneInside", Verdict::EveryoneInside},
                                                      {"NeverStarted", Verdict::NeverStarted},
                                                      {"NotEnoughData", Verdict::NotEnoughData}};

static QString hangs() {
    return QStringLiteral(RANKSCOPE_SOURCE_DIR "/tests/data/explain/hangs");
}

/// Returns the files of a folder whose names match, without those of `withheld` ranks.
static QStringList filesOf(const QString& folder, const QString& pattern, const std::set<int>& withheld) {
    QStringList files;
    for (const QString& name : QDir(folder).entryList({pattern}, QDir::Files, QDir::Name)) {
        const QString base = name.section('.', 0, 0);
        if (!withheld.contains(base.section('_', -1).toInt()))
            files << folder + "/" + name;
    }
    return files;
}

class TestHangs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cancellingStopsTheReadingOfDumps() {
        ExplainOptions options;
        for (const QString& file : filesOf(hangs() + "/2.11.0/rank_sleeps/dumps/live", "nccl_trace_rank_?", {}))
            options.paths.push_back(file.toStdString());
        QCOMPARE(options.paths.size(), std::size_t{3});
        std::int64_t last = 0, whole = 0;
        int calls = 0;
        bool goesOn = true;
        options.progress = [&](std::int64_t done, std::int64_t all) {
            ++calls;
            last = done;
            whole = all;
            return goesOn;
        };
        QVERIFY(explain::explain(options));
        QVERIFY(calls == 3 && whole > 0 && last == whole);
        goesOn = false;
        calls = 0;
        const auto cancelled = explain::explain(options);
        QVERIFY(!cancelled && cancelled.error().code == Errc::Busy);
        QVERIFY(calls == 1 && last < whole);
    }
    void asTrue_data() {
        QTest::addColumn<QString>("truth");
        QTest::addColumn<QString>("input");
        QTest::addColumn<QStringList>("files");
        for (const QString& version : QDir(hangs()).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            for (const QString& scenario : QDir(hangs() + "/" + version).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
                addScenario(version + "/" + scenario);
    }
    void asTrue() {
        QFETCH(QString, truth);
        QFETCH(QString, input);
        QFETCH(QStringList, files);
        const auto text = readFile(truth.toStdString());
        QVERIFY(text.has_value());
        const auto expected = nlohmann::json::parse(*text).at("expect").at(input.toStdString());
        ExplainOptions options;
        for (const QString& file : files)
            options.paths.push_back(file.toStdString());
        const auto found = explain::explain(options);
        QVERIFY2(found.has_value(), found ? "" : found.error().message().c_str());
        const bool right = std::ranges::any_of(expected.at("verdicts"), [&](const auto& name) {
            return kVerdicts.at(name.template get<std::string>()) == found->verdict;
        });
        QVERIFY2(right, std::string(verdictName(found->verdict)).c_str());
        const auto ranks = found->causes.empty() ? std::vector<int>{} : found->causes[0].ranks;
        QVERIFY2(std::ranges::any_of(expected.at("ranks"), [&](const auto& one) { return one == ranks; }),
                 found->summary.english().c_str());
        if (found->verdict != Verdict::NotEnoughData)
            return; // a rank that another one waited for by name is known
        for (const int rank : expected.at("unknown").get<std::vector<int>>())
            for (const RankRow& row : found->ranks)
                QVERIFY(row.rank != rank || row.presence == RankRow::Presence::Unknown);
    }

private:
    static void addRow(const QString& scenario, const QString& input, const QString& form, const QStringList& files) {
        if (!files.isEmpty())
            QTest::newRow(qPrintable(scenario + " " + input + " " + form))
                << hangs() + "/" + scenario + "/truth.json" << input << files;
    }

    static void addScenario(const QString& scenario) {
        const QString folder = hangs() + "/" + scenario;
        const auto text = readFile((folder + "/truth.json").toStdString());
        if (!text)
            qFatal("%s", text.error().message().c_str());
        const auto truth = nlohmann::json::parse(*text);
        const auto guilty = truth.at("guilty").get<std::set<int>>();
        for (const auto& [name, expected] : truth.at("expect").items()) {
            const QString input = QString::fromStdString(name), kind = input.section('_', 0, 0);
            const bool isWithheld = input.endsWith("_withheld");
            const auto withheld = isWithheld ? guilty : std::set<int>{};
            if (kind == "torchrun") {
                addRow(scenario, input, "torchrun.log", {folder + "/torchrun.log"});
            } else if (kind == "plain" || kind == "detail") {
                const QString logs = kind == "detail" ? folder + "/detail" : folder;
                addRow(scenario, input, "each", filesOf(logs, "rank_*.log", withheld));
                if (!isWithheld)
                    addRow(scenario, input, "joined", {logs + "/joined.log"});
            } else {
                const QString dumps = folder + (kind == "live" ? "/dumps/live" : "/dumps/end");
                addRow(scenario, input, "pickle", filesOf(dumps, "nccl_trace_rank_?", withheld));
                addRow(scenario, input, "json", filesOf(dumps, "*.json", withheld));
            }
        }
    }
};

RANKSCOPE_CORE_TEST(TestHangs)
#include "tst_hangs.moc"
