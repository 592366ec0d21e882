// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the real Runs page with many run folders that have real run.json, effective.yaml and run.sqlite files:
//   bench_runs [--runs 2000] [--stores 1] [--idle-s 10] [--goal-ms 0] [--rows-goal-ms 0] [--first-goal-ms 0]
//              [--again-goal-ms 0]
// Prints, for a first start and for a second one that finds what the first has kept, the time to the first painted rows
// and to all rows with figures and settings; from a keystroke in the filter and from a click on a heading to the
// painted table; the longest time that the window's thread is busy without a break when all runs are selected and
// marked, compared, or shown with another column; resident memory; CPU time of an idle page.
// --stores 0: runs without a store. The exit code is 1 if a goal is missed; 0 is none. --goal-ms: median of a keystroke
// and of a sort; --rows-goal-ms: first rows of either start; --first-goal-ms, --again-goal-ms: all of the first and of
// the second start.
#include "core/base/files/file.h"
#include "core/base/values/clock.h"
#include "page_watch.h"
#include "run_folders.h"
#include "support.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/runs/scan/run_lister.h"
#include "widgets/runs_page/filter/filter_edit.h"
#include "widgets/runs_page/page/annotation_writer.h"
#include "widgets/runs_page/page/runs_page.h"
#include "widgets/runs_page/table/run_table_view.h"
#include "widgets/theme/theme.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QUndoStack>

#include <sys/resource.h>

#include <fstream>
#include <memory>

using namespace rankscope;
using namespace rankscope::ui;
namespace fs = std::filesystem;

namespace {

constexpr int kStores = 8; ///< different stores, which the runs copy; the other files of each run are unique

std::string recipe(int run, const std::string& base) {
    return base + "bench:\n  seed: " + std::to_string(run) + "\n  lr: " + std::to_string(1e-4 * (run % 17 + 1)) +
           "\n  layers: " + std::to_string(run % 24 + 1) + "\n";
}

bool makeRuns(const fs::path& root, int count, const std::string& base, bool withStores) {
    test::FolderSpec spec;
    std::vector<launch::RunPaths> stores;
    for (int i = 0; i < count; ++i) {
        char id[64];
        std::snprintf(id, sizeof id, "20260101-%06d-run-%04x", i, i & 0xffff);
        spec.id = id;
        spec.name = "run-" + std::to_string(i);
        spec.state = i % 9 == 0 ? launch::RunState::Failed : launch::RunState::Finished;
        spec.startRealtimeNs += 600'000'000'000;
        spec.lastedNs = (i % 100 + 1) * 60'000'000'000;
        spec.yaml = recipe(i, base);
        spec.withStore = withStores && i < kStores;
        spec.steps = 60;
        spec.validation = 1 + i % 5;
        spec.loss = [i](int, std::int64_t step) { return 10.0 - i % 7 - 0.01 * static_cast<double>(step); };
        const auto paths = test::makeFolder(root, spec);
        if (i < kStores)
            stores.push_back(paths);
        std::error_code ec;
        if (withStores && i >= kStores &&
            !fs::copy_file(stores[static_cast<std::size_t>(i % kStores)].store(), paths.store(), ec))
            return false;
    }
    return true;
}

double cpuSeconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double residentMiB() {
    std::ifstream statm("/proc/self/statm");
    std::int64_t pages = 0, resident = 0;
    statm >> pages >> resident;
    return static_cast<double>(resident) * 4096 / 1048576;
}

double sinceMs(std::int64_t began) {
    return static_cast<double>(monotonicNs() - began) / 1e6;
}

/// The page and the sidebar, as one start of the program shows them.
struct Window {
    Window(const fs::path& runs, const fs::path& kept) : lister(runs, nullptr, kept) {
        page.resize(1180, 820);
        page.show();
        panel.resize(RunsPanel::kWidth, 820);
        panel.show();
        QObject::connect(&lister, &RunLister::listed, &page, [this](const QList<RunRow>& rows) {
            const std::int64_t at = monotonicNs();
            panel.setRows(rows);
            page.setRows(rows);
            listing.ms.push_back(sinceMs(at));
        });
        QObject::connect(&lister, &RunLister::filled, &page, [this] {
            page.setFilled();
            filled = true;
        });
        QObject::connect(&page, &RunsPage::changed, &lister, &RunLister::refresh);
    }

    RunTableModel& model() { return *page.findChild<RunTableModel*>(); }
    RunTableView& table() { return *page.findChild<RunTableView*>(); }

    /// Starts the lister and prints how long everything takes. Returns whether all runs were read.
    bool start(bench::WatchedApplication& app, int count, bool withStores, const char* what) {
        const double cpu = cpuSeconds();
        const std::int64_t began = monotonicNs();
        double listedMs = 0;
        const double longest = app.longestMs([this] { lister.start(); },
                                             [&] {
                                                 const int rows = model().rowCount();
                                                 if (rowsMs == 0 && rows > 0) {
                                                     table().viewport()->repaint();
                                                     rowsMs = sinceMs(began);
                                                 }
                                                 if (listedMs == 0 && rows == count)
                                                     listedMs = sinceMs(began);
                                                 return filled;
                                             },
                                             0);
        table().viewport()->repaint();
        allMs = sinceMs(began);
        std::printf(
            "  %s: first rows painted after %.0f ms, all rows after %.0f ms, with figures and %d settings after "
            "%.0f ms, %.1f s of CPU time\n",
            what, rowsMs, listedMs, static_cast<int>(model().settings().size()), allMs, cpuSeconds() - cpu);
        std::printf("  window's thread busy at a stretch for at most %.1f ms\n", longest);
        listing.print("a new listing in the window's thread");
        const auto& rows = model().rows();
        return rows.size() == count && std::all_of(rows.begin(), rows.end(), [withStores](const RunRow& row) {
                   return (row.figures || !withStores) && row.settings;
               });
    }

    RunsPage page;
    RunsPanel panel;
    RunLister lister;
    bool filled = false;
    bench::Series listing;
    double rowsMs = 0, allMs = 0;
};

struct Bench {
    bench::WatchedApplication& app;
    RunsPage& page;
    RunTableView* table = page.findChild<RunTableView*>();
    bench::Series keystroke, sorting;

    void paintNow() { table->viewport()->repaint(); }

    /// Runs `act` with all runs selected and prints the longest busy time.
    void withAll(const char* what, const std::function<void()>& act) {
        table->selectAll();
        app.settle(200);
        const std::int64_t began = monotonicNs();
        std::int64_t done = 0;
        const double longest = app.longestMs(
            act,
            [&] {
                done = page.isComplete() ? monotonicNs() : 0;
                return done != 0;
            },
            2500); // until the next listing has arrived
        std::printf("  all selected, %-28s longest stretch %7.1f ms, done after %7.0f ms\n", what, longest,
                    static_cast<double>(done - began) / 1e6);
    }
    void mark() {
        auto* marks = page.findChild<MarksEditor*>();
        const auto undo = [this] { page.undoStack()->undo(); };
        withAll("a tag", [&] { marks->addTag(table->selectedRuns(), QStringLiteral("a")); });
        withAll("another tag", [&] { marks->addTag(table->selectedRuns(), QStringLiteral("b")); });
        withAll("undo of the tag", undo);
        withAll("star", [this] { emit table->starWanted(); });
        withAll("undo of the star", undo);
        withAll("archive", [&] { marks->setArchived(table->selectedRuns(), true); });
        withAll("undo of the archive", undo);
        withAll("one more column",
                [this] { table->setColumns(table->visualColumns() << settingField(QStringLiteral("bench.seed"))); });
        withAll("compare", [this] { page.setCompared(true); });
        withAll("a tag while compared", [&] { marks->addTag(table->selectedRuns(), QStringLiteral("c")); });
        auto* colours = page.findChild<QComboBox*>(QStringLiteral("colourBy"));
        withAll("colour by a setting", [colours] { colours->setCurrentIndex(colours->findData("bench.lr")); });
        page.setCompared(false);
    }

    /// Types the key as an event of the window and waits until the table is repainted.
    void type(Qt::Key key, const QString& text) {
        const std::int64_t began = monotonicNs();
        QKeyEvent press(QEvent::KeyPress, key, Qt::NoModifier, text);
        QCoreApplication::sendEvent(page.findChild<FilterEdit*>()->line(), &press);
        paintNow();
        keystroke.ms.push_back(sinceMs(began));
        app.settle(5);
    }
    void filter() {
        for (const char* text :
             {"run-19", "state:failed loss<5", "bench.lr>0.0005 and not run-1", "duration>30min or val<3"}) {
            for (const char* c = text; *c; ++c)
                type(static_cast<Qt::Key>(QChar::toUpper(static_cast<uint>(*c))), QString(QLatin1Char(*c)));
            for (const char* c = text; *c; ++c)
                type(Qt::Key_Backspace, {});
        }
    }
    void sort() {
        for (int round = 0; round < 2; ++round)
            for (int column = 0; column < page.findChild<RunTableModel*>()->columnCount(); ++column)
                for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
                    const std::int64_t began = monotonicNs();
                    table->sortByColumn(column, order);
                    paintNow();
                    sorting.ms.push_back(sinceMs(began));
                    app.settle(5);
                }
    }
};

} // namespace

int main(int argc, char** argv) {
    bench::Arguments arguments{{"--runs", 2000},      {"--stores", 1},        {"--idle-s", 10},      {"--goal-ms", 0},
                               {"--rows-goal-ms", 0}, {"--first-goal-ms", 0}, {"--again-goal-ms", 0}};
    if (!bench::parse(argc, argv, arguments, nullptr, 0) || arguments["--runs"] < kStores) {
        std::fprintf(stderr, "bench_runs: see the head of its source for its arguments\n");
        return 2;
    }
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    int none = 1;
    bench::WatchedApplication app(none, argv);
    Theme::instance().apply(Theme::Mode::Light);
    const bench::Folder folder;
    const fs::path runs = folder.path / "runs", kept = folder.path / "kept";
    const auto base = readFile(RANKSCOPE_CONFIGS "/nest_medium.yaml");
    const int count = static_cast<int>(arguments["--runs"]);
    const bool withStores = arguments["--stores"] > 0;
    if (!base || !makeRuns(runs, count, *base, withStores)) {
        std::fprintf(stderr, "bench_runs: the runs cannot be written\n");
        return 2;
    }
    app.settle(200); // what is read of files that have just been changed is not kept
    std::printf("%d runs\n", count);
    const double before = residentMiB();
    auto first = std::make_unique<Window>(runs, kept);
    bool ok = first->start(app, count, withStores, "first start");
    const double firstMs = first->allMs, firstRowsMs = first->rowsMs, taken = residentMiB() - before;
    first.reset();
    Window window(runs, kept);
    ok = window.start(app, count, withStores, "second start") && ok;
    if (!ok) {
        std::fprintf(stderr, "bench_runs: not all runs were read\n");
        return 1;
    }
    RunsPage& page = window.page;
    Bench bench{app, page};
    page.findChild<RunTableView*>()->setColumns(page.findChild<RunTableView*>()->visualColumns()
                                                << settingField("bench.lr") << settingField("bench.layers"));
    bench.filter();
    bench.sort();
    bench.mark();
    bench.keystroke.print("filter: keystroke to painted");
    bench.sorting.print("sort: click to painted");
    std::printf("  resident %.0f MiB, of which the window and its runs took %.0f MiB at the first start\n",
                residentMiB(), taken);
    const double cpu = cpuSeconds();
    app.settle(arguments["--idle-s"] * 1000);
    if (arguments["--idle-s"] > 0)
        std::printf("  idle page: %.2f %% of a core\n",
                    (cpuSeconds() - cpu) * 100 / static_cast<double>(arguments["--idle-s"]));
    const auto missed = [&arguments](const char* goal, double ms) {
        const auto most = static_cast<double>(arguments[goal]);
        return most > 0 && ms > most;
    };
    return missed("--goal-ms", std::max(bench.keystroke.at(0.5), bench.sorting.at(0.5))) ||
           missed("--rows-goal-ms", std::max(firstRowsMs, window.rowsMs)) || missed("--first-goal-ms", firstMs) ||
           missed("--again-goal-ms", window.allMs);
}
