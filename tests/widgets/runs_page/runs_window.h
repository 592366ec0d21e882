// SPDX-License-Identifier: GPL-3.0-or-later
// The real window on the Runs page, with three run folders made by the program's own writers.
#pragma once

#include "core/launch/run/run_annotations.h"
#include "run_folders.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/runs/panel/run_filter.h"
#include "widgets/runs/panel/run_list_model.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/runs_page/filter/filter_edit.h"
#include "widgets/runs_page/page/annotation_writer.h"
#include "widgets/runs_page/page/runs_page.h"
#include "widgets/runs_page/table/run_table_view.h"
#include "widgets/theme/theme.h"

#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace rankscope::test {

namespace fs = std::filesystem;
using namespace rankscope::ui;

class RunsWindow {
protected:
    void setUp() {
        qputenv("XDG_CONFIG_HOME", m_home.path().toLocal8Bit());
        qputenv("XDG_DATA_HOME", m_home.path().toLocal8Bit()); // the tests must not fill the user's trash
        Theme::instance().apply(Theme::Mode::Light);
        setLanguage(QStringLiteral("en"));
    }

    void openWindow() {
        m_dir = std::make_unique<QTemporaryDir>();
        add("20260101-100000-alpha-0001", "alpha", launch::RunState::Finished, 0.1, 17, 3);
        add("20260102-100000-beta-0002", "beta", launch::RunState::Failed, 0.01, 17, 2);
        add("20260103-100000-gamma-0003", "gamma", launch::RunState::Finished, 0.001, 4, 1);
        WindowOptions options;
        options.runsDir = m_dir->path();
        options.page = Page::Runs;
        options.remember = false;
        m_window = std::make_unique<MainWindow>(options);
        m_window->show();
        m_window->start();
        QTRY_VERIFY(page()->isComplete() && model()->rowCount() == 3);
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }

    RunsPage* page() const { return m_window->findChild<RunsPage*>(); }
    RunTableModel* model() const { return page()->findChild<RunTableModel*>(); }
    RunTableProxy* proxy() const { return page()->findChild<RunTableProxy*>(); }
    RunTableView* table() const { return page()->findChild<RunTableView*>(); }
    FilterEdit* filterEdit() const { return page()->findChild<FilterEdit*>(); }
    MarksEditor* annotationWriter() const { return page()->findChild<MarksEditor*>(); }
    /// Triggers the action instead of the key: the tag's box takes the focus, and without a display no window gets it
    /// back.
    void undo() { (*m_window->actions())[ActionId::Undo]->trigger(); }
    fs::path root() const { return m_dir->path().toStdString(); }

    void add(const char* id, const char* name, launch::RunState state, double lr, int layers, double loss) {
        FolderSpec spec;
        spec.id = id;
        spec.name = name;
        spec.state = state;
        spec.yaml = QStringLiteral("name: %1\nmodel:\n  optim: {lr: %2, name: adamw}\n  encoder: {n_layers: %3}\n")
                        .arg(QLatin1String(name))
                        .arg(lr)
                        .arg(layers)
                        .toStdString();
        spec.loss = [loss](int, std::int64_t step) { return loss + 39.0 - static_cast<double>(step); };
        test::makeFolder(root(), spec);
    }
    static double lossOf(const RunRow& run) { return run.info.name == "alpha" ? 3 : run.info.name == "beta" ? 2 : 1; }

    QStringList names() const {
        QStringList names;
        const int column = model()->columnOf(FieldId::Name);
        for (int row = 0; row < proxy()->rowCount(); ++row)
            names << proxy()->index(row, column).data().toString();
        return names;
    }
    QStringList sidebar() const {
        QStringList names;
        const RunFilter* filter = m_window->findChild<RunsPanel*>()->findChild<RunFilter*>();
        for (int row = 0; row < filter->rowCount(); ++row)
            names << filter->index(row, 0).data(RunListModel::NameRole).toString();
        return names;
    }
    launch::RunPaths path(const std::string& name) const {
        for (const RunRow& row : model()->rows())
            if (row.info.name == name)
                return row.paths;
        for (const auto& entry : fs::directory_iterator(root()))
            if (entry.path().filename().string().find("-" + name + "-") != std::string::npos)
                return {entry.path()};
        return {root() / name};
    }
    QString dir(const std::string& name) const { return QString::fromStdString(path(name).dir.string()); }
    launch::RunMarks marks(const std::string& name) const {
        const auto marks = launch::readMarks(path(name));
        return marks ? *marks : launch::RunMarks();
    }
    void select(std::initializer_list<const char*> wanted) {
        QStringList dirs;
        for (const char* name : wanted)
            dirs << dir(name);
        table()->setFocus();
        table()->selectDirs(dirs);
        const int row = model()->rowOf(dirs.front());
        table()->selectionModel()->setCurrentIndex(
            proxy()->mapFromSource(model()->index(row, model()->columnOf(FieldId::Name))),
            QItemSelectionModel::NoUpdate);
        QCOMPARE(table()->selectedDirs().size(), dirs.size());
    }
    void sort(FieldId id, Qt::SortOrder order) { table()->sortByColumn(model()->columnOf(id), order); }

    QTemporaryDir m_home;
    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<MainWindow> m_window;
};

} // namespace rankscope::test
