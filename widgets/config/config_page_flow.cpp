// SPDX-License-Identifier: GPL-3.0-or-later
// What happens to the open recipe: edits, opening, saving, what changed on disk, what it is compared with.
#include "core/base/file.h"
#include "core/base/guarded_folder.h"
#include "core/launch/run_folder.h"
#include "widgets/config/changes_view.h"
#include "widgets/config/comparison.h"
#include "widgets/config/config_page.h"
#include "widgets/config/decisive.h"
#include "widgets/config/info_pane.h"
#include "widgets/config/launch_panel.h"
#include "widgets/config/notice_bar.h"
#include "widgets/config/recipe_view.h"
#include "widgets/models/tool_tip.h"

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QRegularExpression>

namespace rankscope::ui {

void ConfigPage::report(const Result<void>& done) {
    if (!done)
        m_notice->show(NoticeBar::Kind::Error, coreText(done.error()));
}

void ConfigPage::edit(const QString& key, const QString& yaml) {
    report(m_file->setValue(key, yaml));
}

void ConfigPage::remove(const QString& key) {
    report(m_file->removeKey(key));
}

void ConfigPage::move(const QString& key, const QString& section, const QString& before) {
    report(m_file->moveKey(key, section, before));
}

void ConfigPage::replaceAfterAsking(const std::function<void()>& open) {
    if (!m_file->hasEdits()) {
        open();
        return;
    }
    m_notice->show(NoticeBar::Kind::Warning, tr("%1 has edits that are not saved.").arg(m_file->title()));
    m_notice->addButton(tr("Save, then open"), [this, open] {
        if (save())
            open();
    });
    m_notice->addButton(tr("Discard edits"), open);
}

void ConfigPage::open(const QString& path) {
    replaceAfterAsking([this, path] {
        if (const auto done = m_file->open(path); !done)
            report(done);
        else
            emit message(tr("Opened %1").arg(path));
    });
}

void ConfigPage::setRuns(const QList<ComparableRun>& runs) {
    m_runs = runs;
    QStringList live;
    for (const ComparableRun& run : runs)
        if (run.live)
            live << run.dir;
    m_launch->setLiveRuns(live);
}

/// What the run was launched with beside its recipe; an override of `key` would hide what is set there now.
static QStringList overridesWithout(const QString& key, const std::vector<std::string>& overrides) {
    QStringList kept;
    for (const std::string& one : overrides) {
        const QString text = QString::fromStdString(one);
        static const QRegularExpression signs(QStringLiteral("^[+~]*"));
        const QString name = text.section(QLatin1Char('='), 0, 0).remove(signs);
        if (key.isEmpty() || name != key)
            kept << text;
    }
    return kept;
}

void ConfigPage::openCopyOf(const QString& runDir) {
    openCopyWith(runDir, {}, {});
}

void ConfigPage::openCopyWith(const QString& runDir, const QString& key, const QString& yaml) {
    replaceAfterAsking([this, runDir, key, yaml] {
        const rankscope::launch::RunPaths run{runDir.toStdString()};
        auto text = readRunFile(run.config());
        const auto info = rankscope::launch::readRunInfo(run);
        if (!text) {
            m_notice->show(NoticeBar::Kind::Error, coreText(text.error()));
            return;
        }
        const QString origin = info ? QString::fromStdString(info->configPath) : QString();
        const QString base = origin.isEmpty() ? QFileInfo(runDir).fileName() : QFileInfo(origin).completeBaseName();
        report(m_file->openText(std::move(*text), tr("%1 (copy)").arg(base), origin));
        m_launch->setRepeated(runDir, info ? overridesWithout(key, info->overrides) : QStringList(),
                              info ? info->ranksAsked : 0);
        if (key.isEmpty()) {
            m_notice->show(NoticeBar::Kind::Info,
                           tr("This is a copy of the recipe that %1 was launched with. Change it and launch it again.")
                               .arg(QFileInfo(runDir).fileName()));
            return;
        }
        edit(key, yaml);
        revealWhenRead(key);
        if (m_file->hasEdits())
            m_notice->show(
                NoticeBar::Kind::Info,
                tr("%1: %2 is set in a copy of the run's recipe. Launch it, or undo (Ctrl+Z).").arg(key, yaml));
    });
}

/// A row is there when the recipe was evaluated as it is now.
void ConfigPage::revealWhenRead(const QString& key) {
    auto* once = new QObject(this);
    connect(m_file, &ConfigFile::evaluationChanged, once, [this, key, once] {
        if (m_file->evaluator()->isBusy())
            return;
        m_recipe->reveal(key);
        once->deleteLater();
    });
}

bool ConfigPage::writeTo(const QString& path) {
    if (const auto done = m_file->saveAs(path); !done) {
        report(done);
        return false;
    }
    m_notice->clear();
    emit message(tr("Saved %1").arg(path));
    return true;
}

bool ConfigPage::save() {
    if (!m_file->isOpen())
        return false;
    if (!m_file->path().isEmpty())
        return writeTo(m_file->path());
    saveAs();
    return false;
}

void ConfigPage::saveAs() {
    if (!m_file->isOpen())
        return;
    QString suggested = m_file->path();
    if (suggested.isEmpty() && !m_file->origin().isEmpty()) {
        const QFileInfo origin(m_file->origin());
        suggested = origin.absolutePath() + QLatin1Char('/') + origin.completeBaseName() + QStringLiteral("-copy.yaml");
    }
    auto* dialog =
        new QFileDialog(this, tr("Save recipe as"), suggested, tr("YAML files (*.yaml *.yml);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("yaml"));
    if (!suggested.isEmpty())
        dialog->selectFile(suggested);
    connect(dialog, &QFileDialog::fileSelected, this, &ConfigPage::writeTo);
    dialog->open();
}

void ConfigPage::fileChangedOnDisk() {
    if (!QFileInfo::exists(m_file->path())) {
        m_notice->show(NoticeBar::Kind::Warning,
                       tr("%1 is no longer on disk. Saving writes it again.").arg(m_file->path()));
        return;
    }
    if (!m_file->hasEdits()) {
        if (m_file->reload())
            emit message(tr("%1 changed on disk and was read again").arg(m_file->title()));
        return;
    }
    m_notice->show(NoticeBar::Kind::Warning, tr("%1 changed on disk while you edited it.").arg(m_file->title()));
    m_notice->addButton(tr("Read again"), [this] { report(m_file->reload()); });
    m_notice->addButton(tr("Keep mine"), [this] { m_file->keepMine(); });
    m_notice->addButton(
        tr("Show differences"), [this] { showDiskChanges(); }, false);
}

void ConfigPage::showDiskChanges() {
    m_textPane->show();
    m_changes.stop();
    m_info->changes()->show(m_file->diskBytes(), m_file->bytes());
    m_info->showTab(InfoPane::Changes);
}

void ConfigPage::recovered(const QDateTime& when, bool diskChanged) {
    const QString at = when.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm"));
    m_notice->show(diskChanged ? NoticeBar::Kind::Warning : NoticeBar::Kind::Info,
                   diskChanged
                       ? tr("Edits of %1 that were not saved were put back; the file was written since then.").arg(at)
                       : tr("Edits of %1 that were not saved were put back.").arg(at));
    m_notice->addButton(tr("Discard them"), [this] { m_file->discardEdits(); });
    m_notice->addButton(
        tr("Show differences"), [this] { showDiskChanges(); }, false);
}

void ConfigPage::chooseComparison(bool run) {
    auto* dialog = run ? new QFileDialog(this, tr("Compare with a run"), m_launch->runsDir())
                       : new QFileDialog(this, tr("Compare with"), QFileInfo(m_file->path()).absolutePath(),
                                         tr("YAML files (*.yaml *.yml);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(run ? QFileDialog::Directory : QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, [this, run](const QStringList& paths) {
        for (const QString& path : paths.first(std::min<qsizetype>(paths.size(), Comparisons::kMost)))
            run ? m_comparisons->addRun(path) : m_comparisons->addFile(path, QFileInfo(path).fileName());
    });
    dialog->open();
}

void ConfigPage::fillCompareMenu() {
    m_compareMenu->clear();
    const auto& all = m_comparisons->all();
    QAction* nemo = m_compareMenu->addAction(tr("NeMo's defaults only"), m_comparisons, &Comparisons::clear);
    nemo->setCheckable(true);
    nemo->setChecked(all.empty());
    for (const Comparison& one : all) {
        QAction* action =
            m_compareMenu->addAction(one.title, this, [this, path = one.path] { m_comparisons->remove(path); });
        action->setCheckable(true);
        action->setChecked(true);
        action->setToolTip(plainToolTip(one.path));
    }
    m_compareMenu->addSeparator();
    m_compareMenu->addAction(tr("Another file…"), this, [this] { chooseComparison(false); });
    if (!m_file->path().isEmpty())
        m_compareMenu->addAction(tr("This file as it was saved"), this,
                                 [this] { m_comparisons->addFile(m_file->path(), tr("saved")); });
    QMenu* runs = m_compareMenu->addMenu(tr("A past run"));
    static constexpr qsizetype kMostRuns = 15;
    for (const ComparableRun& run : m_runs.first(std::min(m_runs.size(), kMostRuns)))
        runs->addAction(run.title, this, [this, dir = run.dir] { m_comparisons->addRun(dir); });
    runs->addSeparator();
    runs->addAction(tr("Another run's folder…"), this, [this] { chooseComparison(true); });
}

void ConfigPage::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile())
        event->acceptProposedAction();
}

void ConfigPage::dropEvent(QDropEvent* event) {
    takeDropped(event->mimeData()->urls().front().toLocalFile());
}

/// What is no YAML may be a run or a part of one: others know what to do with it.
void ConfigPage::takeDropped(const QString& path) {
    const QFileInfo info(path);
    if (info.isFile() && (info.suffix() == QLatin1String("yaml") || info.suffix() == QLatin1String("yml")))
        open(path);
    else
        emit runDropped(path);
}

} // namespace rankscope::ui
