// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/page/compare_menu.h"

#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/recipe/comparisons.h"
#include "widgets/models/text/tool_tip.h"

#include <QFileDialog>
#include <QFileInfo>

#include <algorithm>

namespace rankscope::ui {

CompareMenu::CompareMenu(ConfigFile* file, const LaunchPanel* launch, QWidget* parent)
    : QMenu(parent), m_file(file), m_launch(launch), m_comparisons(new Comparisons(this)) {
    connect(this, &QMenu::aboutToShow, this, &CompareMenu::fill);
    connect(m_file, &ConfigFile::opened, m_comparisons, &Comparisons::clear);
}

void CompareMenu::choose(bool run) {
    auto* dialog = run ? new QFileDialog(parentWidget(), tr("Compare with a run"), m_launch->runsDir())
                       : new QFileDialog(parentWidget(), tr("Compare with"), QFileInfo(m_file->path()).absolutePath(),
                                         tr("YAML files (*.yaml *.yml);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(run ? QFileDialog::Directory : QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, [this, run](const QStringList& paths) {
        for (const QString& path : paths.first(std::min<qsizetype>(paths.size(), Comparisons::kMost)))
            run ? m_comparisons->addRun(path) : m_comparisons->addFile(path, QFileInfo(path).fileName());
    });
    dialog->open();
}

void CompareMenu::fill() {
    clear();
    const auto& all = m_comparisons->all();
    QAction* nemo = addAction(tr("NeMo defaults only"), m_comparisons, &Comparisons::clear);
    nemo->setCheckable(true);
    nemo->setChecked(all.empty());
    for (const Comparison& one : all) {
        QAction* action = addAction(one.title, this, [this, path = one.path] { m_comparisons->remove(path); });
        action->setCheckable(true);
        action->setChecked(true);
        action->setToolTip(plainToolTip(one.path));
    }
    addSeparator();
    addAction(tr("Another file…"), this, [this] { choose(false); });
    if (!m_file->path().isEmpty())
        addAction(tr("Last saved version"), this, [this] { m_comparisons->addFile(m_file->path(), tr("saved")); });
    QMenu* runs = addMenu(tr("A past run"));
    static constexpr qsizetype kMostRuns = 15;
    for (const ComparableRun& run : m_runs.first(std::min(m_runs.size(), kMostRuns)))
        runs->addAction(run.title, this, [this, dir = run.dir] { m_comparisons->addRun(dir); });
    runs->addSeparator();
    runs->addAction(tr("Another run's folder…"), this, [this] { choose(true); });
}

} // namespace rankscope::ui
