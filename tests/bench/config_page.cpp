// SPDX-License-Identifier: GPL-3.0-or-later
// Measures how long the Configure page takes to show a recipe, from the file's path to tree, text and marks; and an
// edit, from a value set in the tree, or a character typed in the text, to the pixels of both. Also measures the
// longest time that the window's thread is busy without a break, including what follows an edit (the list of changes,
// the dry run).
//
//   bench_config_page [--lines 10000] [--opens 20] [--edits 120] [--settle-ms 400] [--nemo 1]
//                     [--open-goal-ms 0] [--edit-goal-ms 0]
//
// Exit code 1: a median of opening, or of the window's thread in an edit, is above its goal. A goal of 0 is none.
#include "widgets/config/page/config_page.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "tests/bench/long_recipe.h"
#include "tests/bench/page_watch.h"
#include "tests/bench/support.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/theme/theme.h"

#include <QKeyEvent>
#include <QTextBlock>
#include <QTreeView>

using namespace rankscope;
using namespace rankscope::ui;
using bench::Figures;
using bench::WatchedApplication;

namespace {

struct Page {
    ConfigPage page;
    WatchedApplication& app;

    explicit Page(WatchedApplication& application) : app(application) {
        page.resize(1440, 900);
        page.show();
        app.watch(page.recipe()->tree()->viewport(), page.textPane()->editor()->viewport());
        app.settle(50);
    }
    RecipeModel* model() const { return page.recipe()->model(); }
    QString cell(const QString& key, int column) const { return model()->indexOf(key, column).data().toString(); }
};

/// Returns keys, spread over the file, whose value in the file is a number and takes effect unchanged.
QStringList numbers(const Page& page, std::int64_t most) {
    QStringList all;
    for (const config::KeyRow& row : page.page.file()->evaluation()->rows) {
        const QString yours = row.yours ? QString::fromStdString(*row.yours) : QString();
        bool isNumber = false;
        (void)yours.toInt(&isNumber);
        if (isNumber && row.at.line > 0 && row.effective == row.yours)
            all << QString::fromStdString(row.key);
    }
    if (all.isEmpty())
        return all;
    QStringList chosen;
    for (std::int64_t i = 0; i < most; ++i) // from all parts in turn, so that no edit is next to the previous one
        chosen << all[static_cast<qsizetype>((i * 7919) % all.size())];
    return chosen;
}

/// Puts the caret in the text after the key's value.
void putCaret(Page& page, const QString& key) {
    const int line = page.model()->indexOf(key).data(RecipeModel::LineRole).toInt();
    page.page.textPane()->editor()->goToLine(line);
    const QString value = page.cell(key, RecipeModel::Yours);
    QTextCursor caret = page.page.textPane()->editor()->textCursor();
    const auto colon = caret.block().text().indexOf(QLatin1Char(':'));
    caret.setPosition(caret.block().position() +
                      static_cast<int>(caret.block().text().indexOf(value, colon) + value.size()));
    page.page.textPane()->editor()->setTextCursor(caret);
    page.page.textPane()->editor()->setFocus();
}

bool open(WatchedApplication& app, const QString& path, std::int64_t rounds, std::int64_t settleMs, Figures& figures) {
    for (std::int64_t i = 0; i < rounds; ++i) {
        Page page(app);
        const auto complete = [&] { return page.page.isComplete() && page.model()->rowCount() > 0; };
        const auto text = [&] { return page.page.textPane()->editor()->blockCount() > 1; };
        if (!app.measure([&] { page.page.open(path); }, complete, text, settleMs, figures))
            return false;
    }
    return true;
}

bool edit(Page& page, const QStringList& keys, bool typed, std::int64_t settleMs, Figures& figures) {
    for (const QString& key : keys) {
        page.page.recipe()->reveal(key);
        putCaret(page, key);
        page.app.settle(20);
        const QString value = page.cell(key, RecipeModel::Yours) + QLatin1Char('1');
        const int line = page.model()->indexOf(key).data(RecipeModel::LineRole).toInt();
        const auto inTree = [&] {
            return page.cell(key, RecipeModel::Yours) == value && page.cell(key, RecipeModel::Effective) == value;
        };
        const auto inText = [&] {
            return page.page.textPane()->editor()->document()->findBlockByNumber(line - 1).text().contains(value);
        };
        const auto start = [&] {
            if (typed) {
                QKeyEvent key1(QEvent::KeyPress, Qt::Key_1, Qt::NoModifier, QStringLiteral("1"));
                QCoreApplication::sendEvent(page.page.textPane()->editor(), &key1);
            } else {
                page.model()->setData(page.model()->indexOf(key, RecipeModel::Yours), value, Qt::EditRole);
            }
        };
        figures.rest = [&] { return page.page.isComplete(); };
        const bool shown = page.app.measure(start, inTree, inText, settleMs, figures);
        if (!shown || !page.page.file()->hasEdits()) {
            std::fprintf(stderr, "bench_config_page: %s: %s was not shown\n", qPrintable(key), qPrintable(value));
            return false;
        }
        page.page.file()->undoStack()->undo();
        if (!page.app.until([&] { return page.page.isComplete() && !page.page.file()->hasEdits(); }))
            return false;
    }
    return true;
}

bool measure(WatchedApplication& app, const char* title, const QString& path, bench::Arguments& arguments) {
    Figures opened, set, typed;
    const std::int64_t settle = arguments["--settle-ms"];
    if (!open(app, path, arguments["--opens"], settle, opened))
        return false;
    Page page(app);
    page.page.open(path);
    if (!app.until([&] { return page.page.isComplete(); }))
        return false;
    const QStringList keys = numbers(page, arguments["--edits"]);
    if (keys.isEmpty() || !edit(page, keys, false, settle, set) || !edit(page, keys, true, settle, typed))
        return false;
    std::printf("%s: %d lines, %zu keys\n", title, page.page.textPane()->editor()->blockCount(),
                page.page.file()->evaluation()->rows.size());
    opened.print("open");
    set.print("set in the tree");
    typed.print("typed in the text");
    const auto above = [&](const char* goal, double ms) {
        return arguments[goal] > 0 && ms > static_cast<double>(arguments[goal]);
    };
    return !above("--open-goal-ms", opened.shownMs()) && !above("--edit-goal-ms", set.busyMs()) &&
           !above("--edit-goal-ms", typed.busyMs());
}

} // namespace

int main(int argc, char** argv) {
    bench::Arguments arguments{{"--lines", 10000}, {"--opens", 20},       {"--edits", 120},     {"--settle-ms", 400},
                               {"--nemo", 1},      {"--open-goal-ms", 0}, {"--edit-goal-ms", 0}};
    if (!bench::parse(argc, argv, arguments, nullptr, 0) || arguments["--opens"] < 1 || arguments["--edits"] < 1) {
        std::fprintf(stderr, "bench_config_page: see the head of its source for its arguments\n");
        return 2;
    }
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    int none = 1;
    WatchedApplication app(none, argv);
    Theme::instance().apply(Theme::Mode::Light);
    const auto recipe = readFile(RANKSCOPE_CONFIGS "/nest_medium.yaml");
    const bench::Folder folder;
    const std::string path = folder.at("long.yaml");
    if (!recipe || !writeFileAtomic(path, bench::longRecipe(*recipe, arguments["--lines"]), 0600)) {
        std::fprintf(stderr, "bench_config_page: the recipe cannot be written\n");
        return 2;
    }
    bool ok = measure(app, "A generated recipe", QString::fromStdString(path), arguments);
    if (arguments["--nemo"] != 0)
        ok = measure(app, "NeMo's nest_fast-conformer.yaml", QStringLiteral(RANKSCOPE_NEMO_CONF), arguments) && ok;
    return ok ? 0 : 1;
}
