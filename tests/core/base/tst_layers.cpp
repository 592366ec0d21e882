// SPDX-License-Identifier: Apache-2.0
// Checks the structure of the sources: includes point one way only, folders stay small, and every source has its
// header.
#include "core/base/files/file.h"
#include "tests/support/test_runner.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace fs = std::filesystem;

namespace {

using Names = std::set<std::string>;

/// A folder of sources, as declared in CMake (rankscope_shelf).
struct Shelf {
    Names mayInclude;   ///< folders, including itself
    bool torch = false; ///< may use LibTorch, whose headers core/trainer/libtorch.h includes
    bool qtCore = false, qtWidgets = false;
};

struct Include {
    std::string path;
    bool system = false; ///< in angle brackets
};

/// All .h and .cpp files of the product, by path in the checkout, with the includes of each.
using Sources = std::map<std::string, std::vector<Include>>;

constexpr std::size_t kMostSourcesInAFolder = 16;

std::string folderOf(const std::string& file) {
    return fs::path(file).parent_path().string();
}

/// Returns the path without its suffix: a header and its source are one unit.
std::string unitOf(const std::string& file) {
    return fs::path(file).replace_extension().string();
}

Names words(const QString& text) {
    Names out;
    for (const QString& word : text.split(' ', Qt::SkipEmptyParts))
        out.insert(word.toStdString());
    return out;
}

std::map<std::string, Shelf> readShelves(const QString& text) {
    std::map<std::string, Shelf> shelves;
    for (const QString& line : text.split('\n', Qt::SkipEmptyParts)) {
        const QStringList fields = line.split('|');
        const Names needs = words(fields.value(1));
        const bool widgets = needs.count("Qt6::Widgets") > 0;
        const Names folders = words(fields.value(2));
        shelves[fields.value(0).toStdString()] = {folders, folders.count("core/trainer") > 0,
                                                  widgets || needs.count("Qt6::Core") > 0, widgets};
    }
    return shelves;
}

Sources readSources() {
    const fs::path root = RANKSCOPE_SOURCE_DIR;
    const QRegularExpression pattern("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]", QRegularExpression::MultilineOption);
    Sources sources;
    for (const char* top : {"core", "widgets", "app"})
        for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
            const auto extension = entry.path().extension();
            if (extension != ".h" && extension != ".cpp")
                continue;
            auto& includes = sources[fs::relative(entry.path(), root).string()];
            const auto text = rankscope::readFile(entry.path());
            if (!text)
                qFatal("cannot read %s", entry.path().c_str());
            auto found = pattern.globalMatch(QString::fromStdString(*text));
            while (found.hasNext()) {
                const auto match = found.next();
                includes.push_back({match.captured(2).toStdString(), match.captured(1) == "<"});
            }
        }
    return sources;
}

/// Returns why a file of `folder` may not have this include; empty if it may.
QString objection(const std::map<std::string, Shelf>& shelves, const std::string& folder, const Include& include) {
    const auto shelf = shelves.find(folder);
    if (shelf == shelves.end())
        return "is in a folder that no rankscope_shelf names";
    const auto& [mayInclude, torch, qtCore, qtWidgets] = shelf->second;
    if (!include.system) {
        const std::string target = folderOf(include.path);
        const bool ours = target.starts_with("core") || target.starts_with("widgets") || target.starts_with("app");
        return !ours || mayInclude.count(target) ? QString() : "may not include " + QString::fromStdString(target);
    }
    static const Names gui{"QWidget", "QPainter", "QColor", "QIcon", "QApplication", "QLabel", "QMainWindow", "QFrame"};
    const auto& path = include.path;
    if ((path.starts_with("torch/") || path.starts_with("ATen/") || path.starts_with("c10/")) && !torch)
        return "may not use LibTorch";
    if (path.size() > 1 && path[0] == 'Q' && std::isupper(static_cast<unsigned char>(path[1])) && !qtCore)
        return "may not use Qt";
    return gui.count(path) && !qtWidgets ? "may use QtCore only" : QString();
}

/// Returns a path from a unit through others back to itself; empty if there is none.
std::vector<std::string> includeCycle(const std::map<std::string, Names>& graph) {
    enum class State { Open, Done };
    std::map<std::string, State> states;
    std::vector<std::string> path;
    const std::function<bool(const std::string&)> leadsBack = [&](const std::string& unit) {
        if (const auto known = states.find(unit); known != states.end()) {
            if (known->second == State::Done)
                return false;
            path.erase(path.begin(), std::find(path.begin(), path.end(), unit));
            return true;
        }
        states[unit] = State::Open;
        path.push_back(unit);
        if (const auto includes = graph.find(unit); includes != graph.end())
            for (const std::string& next : includes->second)
                if (leadsBack(next))
                    return true;
        path.pop_back();
        states[unit] = State::Done;
        return false;
    };
    for (const auto& [unit, includes] : graph)
        if (leadsBack(unit))
            return path;
    return {};
}

} // namespace

class TestLayers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const auto text = rankscope::readFile(RANKSCOPE_SHELVES);
        QVERIFY2(text, RANKSCOPE_SHELVES);
        m_shelves = readShelves(QString::fromStdString(*text));
        m_sources = readSources();
        QVERIFY(m_sources.size() > 500);
    }
    void upwardIncludesAreFound_data() {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("include");
        QTest::addColumn<bool>("allowed");
        const auto row = [](const char* folder, const char* include, bool allowed) {
            QTest::addRow("%s: %s", folder, include) << QString(folder) << QString(include) << allowed;
        };
        row("core/base/values", "\"core/store/sqlite/sqlite.h\"", false);
        row("core/base/values", "\"core/base/files/file.h\"", false);
        row("core/config/yaml", "\"core/config/effective/effective.h\"", false);
        row("core/config/effective", "\"core/config/yaml/node.h\"", true);
        row("core/plan/cost", "\"core/launch/supervise/supervisor.h\"", false);
        row("core/plan/cost", "<torch/torch.h>", false);
        row("core/diagnosis/waits", "\"core/store/read/run_reader.h\"", false);
        row("core/diagnosis/stalls", "\"core/diagnosis/detector/detector.h\"", false);
        row("core/store/read", "\"core/store/write/run_writer.h\"", false);
        row("core/store/write", "\"core/exchange/tensorboard/event.h\"", false);
        row("core/store/write", "<QString>", false);
        row("core/store/write", "\"core/telemetry/journal/journal_reader.h\"", true);
        row("core/launch/process", "\"core/launch/supervise/supervisor.h\"", false);
        row("core/exchange/report", "\"core/launch/supervise/supervisor.h\"", false);
        row("core/exchange/report", "\"core/launch/run/run_folder.h\"", true);
        row("core/trainer/formats/archives", "<torch/torch.h>", false);
        row("core/trainer/formats/archives", "\"core/trainer/data/sets/tar_shards.h\"", false);
        row("core/trainer/nn/cpu_kernels", "\"core/trainer/nn/attention.h\"", false);
        row("core/trainer/nn", "\"core/trainer/features/mel_features.h\"", false);
        row("core/trainer/nn", "<torch/torch.h>", true);
        row("widgets/theme", "\"core/diagnosis/detector/detector.h\"", false);
        row("widgets/models/text", "<QWidget>", false);
        row("widgets/models/text", "<QString>", true);
        row("widgets/models/text", "\"widgets/plots/plot/rank_plot.h\"", false);
        row("widgets/review/series", "\"widgets/review/page/review_page.h\"", false);
        row("widgets/plots/plot", "\"core/trainer/loop/training_loop.h\"", false);
        row("widgets/plots/plot", "<QWidget>", true);
        row("app/ctl/commands", "<torch/torch.h>", false);
        row("core/nowhere", "<vector>", false);
    }
    void upwardIncludesAreFound() {
        QFETCH(QString, folder);
        QFETCH(QString, include);
        QFETCH(bool, allowed);
        const Include parsed{include.mid(1, include.size() - 2).toStdString(), include.startsWith('<')};
        QCOMPARE(objection(m_shelves, folder.toStdString(), parsed).isEmpty(), allowed);
    }
    void everyIncludeGoesDown() {
        QStringList wrong;
        for (const auto& [file, includes] : m_sources) {
            QVERIFY2(m_shelves.count(folderOf(file)), file.c_str());
            for (const Include& include : includes)
                if (const QString why = objection(m_shelves, folderOf(file), include); !why.isEmpty())
                    wrong += QString("%1 %2 (%3)").arg(file.c_str(), why, include.path.c_str());
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }
    /// Checks what CMake cannot: which layers must not know each other, and which may use Qt and LibTorch.
    void theLayersStayApart() {
        const std::map<std::string, std::vector<std::string>> never{
            {"core/trainer", {"core/launch", "core/store", "core/diagnosis", "core/exchange"}},
            {"app/ctl", {"core/trainer", "widgets"}},
            {"app/trainer", {"core/launch", "core/store", "core/diagnosis", "widgets"}},
            {"core", {"widgets", "app"}},
            {"widgets", {"core/trainer", "app"}},
        };
        const auto isIn = [](const std::string& folder, const std::string& layer) {
            const bool formats = (folder + '/').starts_with("core/trainer/formats/"); // without LibTorch
            return (folder + '/').starts_with(layer + '/') && !(formats && layer == "core/trainer");
        };
        for (const auto& [folder, shelf] : m_shelves) {
            QVERIFY2(!shelf.qtCore || isIn(folder, "widgets") || isIn(folder, "app/workbench"), folder.c_str());
            QVERIFY2(!shelf.torch || isIn(folder, "core/trainer") || isIn(folder, "app/trainer") ||
                         isIn(folder, "app/observer/c10d"),
                     folder.c_str());
            for (const auto& [layer, forbidden] : never)
                for (const std::string& other : forbidden)
                    for (const std::string& used : shelf.mayInclude)
                        QVERIFY2(!isIn(folder, layer) || !isIn(used, other),
                                 qPrintable(QString("%1 uses %2").arg(folder.c_str(), used.c_str())));
        }
    }
    void aCycleIsFound() {
        QCOMPARE(includeCycle({{"a", {"b", "c"}}, {"b", {"d"}}, {"c", {"d"}}, {"d", {}}}).size(), std::size_t(0));
        const std::vector<std::string> expected{"b", "c", "d"};
        QVERIFY(includeCycle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"d"}}, {"d", {"b"}}}) == expected);
    }
    void noUnitsIncludeEachOther() {
        std::map<std::string, Names> graph;
        for (const auto& [file, includes] : m_sources)
            for (const Include& include : includes)
                if (m_sources.count(include.path) && unitOf(include.path) != unitOf(file))
                    graph[unitOf(file)].insert(unitOf(include.path));
        QStringList cycle;
        for (const std::string& unit : includeCycle(graph))
            cycle += QString::fromStdString(unit);
        QVERIFY2(cycle.isEmpty(), qPrintable(cycle.join(" -> ")));
    }
    void foldersStaySmall() {
        std::map<std::string, std::size_t> count;
        for (const auto& [file, includes] : m_sources)
            ++count[folderOf(file)];
        for (const auto& [folder, sources] : count)
            QVERIFY2(sources <= kMostSourcesInAFolder, folder.c_str());
    }
    void everySourceHasItsHeader() {
        const Names apart{
            "core/base/values/fmt_library.cpp",         // fmt itself, compiled
            "core/trainer/distributed/nccl/plugin.cpp", // the plug-in's only source
            "app/trainer/starter.cpp",                  // a main function
        };
        for (const auto& [file, includes] : m_sources)
            if (file.ends_with(".cpp") && !file.ends_with("/main.cpp") && !apart.count(file))
                QVERIFY2(m_sources.count(unitOf(file) + ".h"), file.c_str());
        for (const std::string& file : apart)
            QVERIFY2(m_sources.count(file), file.c_str());
    }
    void theMapNamesEveryShelf() {
        const auto page = rankscope::readFile(fs::path(RANKSCOPE_SOURCE_DIR) / "docs/dev/architecture.md");
        QVERIFY(page);
        for (const auto& [folder, shelf] : m_shelves)
            QVERIFY2(page->find("| `" + folder + "` |") != std::string::npos, folder.c_str());
        std::size_t rows = 0;
        for (std::size_t at = 0; (at = page->find("\n| `", at)) != std::string::npos; ++at)
            for (const char* top : {"core/", "app/", "widgets/"})
                rows += page->compare(at + 4, std::string_view(top).size(), top) == 0;
        QCOMPARE(rows, m_shelves.size());
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

private:
    std::map<std::string, Shelf> m_shelves;
    Sources m_sources;
};

RANKSCOPE_TEST(TestLayers)
#include "tst_layers.moc"
