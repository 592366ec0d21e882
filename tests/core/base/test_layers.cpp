// SPDX-License-Identifier: Apache-2.0
// Includes go one way: a layer that includes one which is not below it fails here.
#include "core/base/files/file.h"
#include "tests/support/test_runner.h"

#include <QRegularExpression>
#include <QTest>

#include <filesystem>
#include <map>
#include <set>

namespace fs = std::filesystem;

namespace {

struct Rule {
    std::set<std::string> mayInclude; ///< layers below, besides itself
    bool qtCore = false, qtGui = false, torch = false;
};

const std::map<std::string, Rule>& rules() {
    static const std::map<std::string, Rule> all = [] {
        std::map<std::string, Rule> r;
        r["core/base"] = {};
        r["core/config"] = {{"core/base"}};
        r["core/plan"] = {{"core/base", "core/config"}};
        r["core/telemetry"] = {{"core/base"}};
        r["core/diagnosis"] = {{"core/base", "core/telemetry"}};
        r["core/store"] = {{"core/base", "core/telemetry", "core/diagnosis"}};
        r["core/launch"] = {{"core/base", "core/config", "core/plan", "core/telemetry", "core/diagnosis", "core/store",
                             "core/trainer/formats"}};
        r["core/exchange"] = {
            {"core/base", "core/config", "core/telemetry", "core/diagnosis", "core/store", "core/launch"}};
        r["core/trainer/formats"] = {{"core/base"}};
        r["core/trainer"] = {
            {"core/base", "core/config", "core/plan", "core/telemetry", "core/trainer/formats"}, false, false, true};
        const std::set<std::string> core{"core/base",      "core/config", "core/plan",   "core/telemetry",
                                         "core/diagnosis", "core/store",  "core/launch", "core/exchange"};
        r["widgets/models"] = {core, true};
        auto withModels = core;
        withModels.insert("widgets");
        r["widgets"] = {withModels, true, true};
        r["widgets"].mayInclude.insert("widgets/models");
        auto forCtl = core;
        r["app/ctl"] = {forCtl};
        r["app/trainer"] = {{"core/base", "core/config", "core/telemetry", "core/trainer"}, false, false, true};
        auto forWindow = core;
        forWindow.insert({"widgets", "widgets/models"});
        r["app/workbench"] = {forWindow, true, true};
        return r;
    }();
    return all;
}

/// The longest layer name that the path starts with.
std::string layerOf(const std::string& path) {
    std::string best;
    for (const auto& [layer, rule] : rules())
        if (path.starts_with(layer + "/") && layer.size() > best.size())
            best = layer;
    return best;
}

QString problem(const std::string& file, const std::string& include, bool system) {
    const std::string layer = layerOf(file);
    const Rule& rule = rules().at(layer);
    if (!system) {
        const std::string target = layerOf(include);
        if (!target.empty() && target != layer && !rule.mayInclude.count(target))
            return QString::fromStdString(layer + " may not include " + target);
        return {};
    }
    const bool isTorch = include.starts_with("torch/") || include.starts_with("ATen/") || include.starts_with("c10/");
    const bool isQt = include.size() > 1 && include[0] == 'Q' && std::isupper(static_cast<unsigned char>(include[1]));
    static const std::set<std::string> gui{"QWidget",      "QPainter", "QColor",      "QIcon",
                                           "QApplication", "QLabel",   "QMainWindow", "QFrame"};
    if (isTorch && !rule.torch)
        return QString::fromStdString(layer + " may not use LibTorch");
    if (isQt && !rule.qtCore)
        return QString::fromStdString(layer + " may not use Qt");
    if (gui.count(include) && !rule.qtGui)
        return QString::fromStdString(layer + " may use QtCore only");
    return {};
}

} // namespace

class TestLayers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theRulesCatchUpwardIncludes() {
        QVERIFY(problem("core/base/x.cpp", "core/store/write/run_writer.h", false).size());
        QVERIFY(problem("core/plan/x.cpp", "core/launch/supervise/supervisor.h", false).size());
        QVERIFY(problem("core/plan/x.cpp", "torch/torch.h", true).size());
        QVERIFY(problem("core/trainer/formats/x.cpp", "torch/torch.h", true).size());
        QVERIFY(problem("core/trainer/formats/x.cpp", "core/trainer/data/sets/tar_shards.h", false).size());
        QVERIFY(problem("core/diagnosis/x.cpp", "core/store/write/run_writer.h", false).size());
        QVERIFY(problem("core/store/x.cpp", "core/exchange/tensorboard/event.h", false).size());
        QVERIFY(problem("core/launch/x.cpp", "core/exchange/tensorboard/event.h", false).size());
        QVERIFY(problem("core/store/x.cpp", "QString", true).size());
        QVERIFY(problem("widgets/models/x.cpp", "QWidget", true).size());
        QVERIFY(problem("widgets/models/x.cpp", "widgets/plots/plot.h", false).size());
        QVERIFY(problem("app/ctl/x.cpp", "torch/torch.h", true).size());
        QVERIFY(problem("widgets/plots/x.cpp", "core/trainer/loop/loop.h", false).size());
        QVERIFY(problem("core/store/x.cpp", "core/telemetry/journal/journal.h", false).isEmpty());
        QVERIFY(problem("widgets/plots/x.cpp", "QWidget", true).isEmpty());
    }
    void everyIncludeGoesDown() {
        const fs::path root = RANKSCOPE_SOURCE_DIR;
        const QRegularExpression include("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]",
                                         QRegularExpression::MultilineOption);
        int files = 0;
        for (const char* top : {"core", "widgets", "app"})
            for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
                const auto ext = entry.path().extension();
                if (ext != ".h" && ext != ".cpp")
                    continue;
                ++files;
                const auto text = rankscope::readFile(entry.path());
                QVERIFY2(text, entry.path().c_str());
                const std::string file = fs::relative(entry.path(), root).string();
                QVERIFY2(!layerOf(file).empty(), file.c_str());
                auto it = include.globalMatch(QString::fromStdString(*text));
                while (it.hasNext()) {
                    const auto m = it.next();
                    const QString why = problem(file, m.captured(2).toStdString(), m.captured(1) == "<");
                    QVERIFY2(why.isEmpty(),
                             qPrintable(QString("%1: %2 (%3)").arg(QString::fromStdString(file), why, m.captured(2))));
                }
            }
        QVERIFY(files > 40);
    }
    void everyFileSaysItsLicence() {
        const fs::path root = RANKSCOPE_SOURCE_DIR;
        for (const char* top : {"core", "widgets", "app", "tests", "packaging"})
            for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
                const auto ext = entry.path().extension();
                if (ext != ".h" && ext != ".cpp" && ext != ".sh" && ext != ".cmake")
                    continue;
                const auto text = rankscope::readFile(entry.path());
                QVERIFY2(text && text->substr(0, 200).find("SPDX-License-Identifier: ") != std::string::npos,
                         entry.path().c_str());
                const std::string file = fs::relative(entry.path(), root).string();
                const bool window = file.starts_with("widgets/") || file.starts_with("app/workbench/") ||
                                    file.starts_with("tests/widgets/") || file.starts_with("tests/walk/") ||
                                    text->find("#include \"widgets/") != std::string::npos;
                QVERIFY2((text->substr(0, 200).find("GPL-3.0-or-later") != std::string::npos) == window, file.c_str());
            }
    }
};

RANKSCOPE_TEST(TestLayers)
#include "test_layers.moc"
