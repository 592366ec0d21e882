// SPDX-License-Identifier: Apache-2.0
// Reports of explanations: one screen of text, JSON, a page.
#include "core/base/console/text_table.h"
#include "core/explain/report/explanation_html.h"
#include "core/explain/report/explanation_json.h"
#include "core/explain/report/explanation_text.h"
#include "core/explain/verdict/verdict.h"
#include "tests/core/explain/hand_made.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <numeric>
#include <sstream>

using namespace rankscope;
using namespace rankscope::explain;
using namespace rankscope::explain::test;

class TestExplanationReport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneScreenInBothLanguages() {
        std::vector<int> many(512);
        std::iota(many.begin(), many.end(), 0);
        many.erase(many.begin() + 77);
        for (const auto& ranks : {std::vector<int>{0, 2, 3}, many})
            for (const Language language : {Language::English, Language::Chinese}) {
                const std::string text = explanationText(judge(waiting(ranks), knownRecipes()), language, 100);
                std::istringstream lines(text);
                int count = 0;
                for (std::string line; std::getline(lines, line); ++count)
                    QVERIFY2(displayWidth(line) <= 100, line.c_str());
                QVERIFY2(count <= 50, text.c_str());
                QVERIFY(text.find("77") != std::string::npos || ranks.size() == 3);
            }
    }

    void everySentenceIsMarked() {
        const std::string text = explanationText(judge(waiting({0, 2, 3}), knownRecipes()), Language::English);
        QVERIFY(text.starts_with("rank 1 never entered all-reduce 4,187, in which ranks 0, 2, 3 waited\n"));
        for (const char* mark : {"\n   seen     ", "\n   follows  ", "\n   likely   "})
            QVERIFY2(text.find(mark) != std::string::npos, mark);
    }

    void jsonHasAllRanks() {
        const auto json = explanationJson(judge(waiting({0, 2, 3}), knownRecipes()));
        QCOMPARE(json.at("verdict").get<std::string>(), std::string("rank_missing"));
        QCOMPARE(json.at("ranks").size(), std::size_t{4});
        QCOMPARE(json.at("ranks").at(1).at("state").get<std::string>(), std::string("absent"));
        QVERIFY(json.at("ranks").at(1).at("waits_in").is_null());
        QCOMPARE(json.at("ranks").at(0).at("waits_in").at("elements_in").get<int>(), 1);
        QCOMPARE(json.at("causes").at(0).at("ranks").get<std::vector<int>>(), std::vector<int>{1});
        QCOMPARE(json.at("collective").at(0).at("tag").get<std::string>(), std::string("sync_max_audio_length"));
    }

    void eachSettingIsALinkIfThePageHasOne() {
        auto explanation = judge(waiting({0, 2, 3}), knownRecipes());
        explanation.causes = {{"id", "a cause", {}, {}, {{"first", "model.a", "1"}, {"no setting", "", ""}}}};
        explanation.now = {{"second", "model.a", "2"}};
        const auto settings = suggestedSettings(explanation);
        QCOMPARE(settings.size(), std::size_t{2});
        QCOMPARE(settings[1].value, std::string("2"));
        const std::string page = explanationFragment(explanation, Language::English, "Show <it>");
        const auto first = page.find("<code>model.a=1</code> <a href=\"setting:0\">Show &lt;it&gt;</a>");
        const auto second = page.find("<code>model.a=2</code> <a href=\"setting:1\">Show &lt;it&gt;</a>");
        QVERIFY2(first != page.npos && second != page.npos && first < second, page.c_str());
        QCOMPARE(page.find("setting:2"), page.npos);
        QCOMPARE(explanationFragment(explanation, Language::English).find("<a "), page.npos);
    }

    void thePageNamesTheFiles() {
        auto evidence = waiting({0, 2, 3});
        evidence.files[0].lines = 1'234;
        evidence.files[0].problem = "it cannot be read <further>";
        const auto explanation = judge(evidence, {});
        const std::string page = explanationFragment(explanation, Language::English);
        for (const char* part : {"train.log <span class=\"dim\">100 B, 1,234 lines, ranks 0, 2, 3</span>",
                                 "it cannot be read &lt;further&gt;"})
            QVERIFY2(page.find(part) != page.npos, page.c_str());
        QVERIFY(explanationFragment(explanation, Language::Chinese).find("读取的文件") != page.npos);
    }

    void whatCouldNotBeReadIsSaidInTheReadersLanguage() {
        auto evidence = waiting({0, 2, 3});
        InputFile file = logOf("rank_1.log", {1});
        file.problem = {"is larger than {} bytes", 5};
        evidence.files.push_back(file);
        const auto explanation = judge(evidence, {});
        const std::string text = explanationText(explanation, Language::Chinese);
        QVERIFY2(text.find("rank_1.log 的一部分：大于 5 字节") != std::string::npos, text.c_str());
        const auto json = explanationJson(explanation).at("files").at(1);
        QCOMPARE(json.at("problem").get<std::string>(), std::string("is larger than 5 bytes"));
        QCOMPARE(json.at("problem_message").at("id").get<std::string>(), std::string("is larger than {} bytes"));
    }

    void hostileTextIsHarmless() {
        auto evidence = waiting({0, 2, 3});
        evidence.files[0].name = evidence.timeouts[0].place.file = "<script>\x1b[2J\x07</script>";
        evidence.timeouts[1].call.codePlace = "<img src=x onerror=alert(1)>\x1b]0;t\x07";
        const auto explanation = judge(evidence, {});
        const std::string page = explanationPage(explanation, Language::English);
        QCOMPARE(page.find("<script"), std::string::npos);
        QCOMPARE(page.find("<img"), std::string::npos);
        for (const std::string& out : {page, explanationText(explanation, Language::English)})
            for (const char c : {'\x1b', '\x07'})
                QCOMPARE(out.find(c), std::string::npos);
    }
};

RANKSCOPE_CORE_TEST(TestExplanationReport)
#include "tst_explanation_report.moc"
