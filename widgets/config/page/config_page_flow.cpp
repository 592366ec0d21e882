// SPDX-License-Identifier: GPL-3.0-or-later
// What happens to the open recipe: edits, opening, saving, what changed on disk, what it is compared with.
#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/config/yaml/scalar.h"
#include "core/launch/run/run_folder.h"
#include "widgets/config/labels/core_texts.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/info_pane.h"
#include "widgets/config/problems/notice_bar.h"
#include "widgets/config/recipe/comparisons.h"
#include "widgets/config/text/changes_view.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/models/text/tool_tip.h"

#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QRegularExpression>

namespace rankscope::ui {

void ConfigPage::report(const Result<void>& done) {
    if (!done)
        m_notice->show(NoticeBar::Kind::Error, [error = done.error()] { return coreText(error); });
}

void ConfigPage::edit(const QString& key, const QString& yaml) {
    if (const auto done = m_file->setValue(key, yaml); !done) // with what was typed, which is in no file
        m_notice->show(NoticeBar::Kind::Error, [key, yaml, error = done.error()] {
            return tr("%1: %2 was not set. %3", "key, value, why").arg(key, yaml, coreText(error));
        });
}

void ConfigPage::remove(const QString& key) {
    report(m_file->removeKey(key));
}

void ConfigPage::rename(const QString& from, const QString& to) {
    const QString section = to.section(QLatin1Char('.'), 0, -2), name = to.section(QLatin1Char('.'), -1);
    const bool within = section == from.section(QLatin1Char('.'), 0, -2);
    report(within ? m_file->renameKey(from, name) : m_file->moveKey(from, section, {}));
    revealWhenRead(to);
}

void ConfigPage::apply(const KeySettings& settings) {
    report(m_file->setValues(settings));
    if (!settings.isEmpty())
        revealWhenRead(settings.front().key);
}

/// A path below the working folder is written as it is from there, so that the recipe can move with it.
void ConfigPage::chooseManifest(const QString& key) {
    const QString folder = m_launch->workingFolder().path;
    auto* dialog = new QFileDialog(this, tr("Manifest (a JSON object per line)"), folder,
                                   tr("Manifests (*.json *.jsonl);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("chooseManifest"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this, key, folder](const QString& file) {
        const QString below = QDir(folder).relativeFilePath(file);
        const QString path = below.startsWith(QLatin1String("..")) ? file : below;
        apply({{key, QString::fromStdString(config::toText(config::Node::string(path.toStdString())))}});
    });
    dialog->open();
}

void ConfigPage::move(const QString& key, const QString& section, const QString& before) {
    report(m_file->moveKey(key, section, before));
}

void ConfigPage::replaceAfterAsking(const std::function<QString()>& next, const std::function<void()>& open) {
    if (!m_file->hasUnkeptEdits()) {
        open();
        return;
    }
    m_notice->show(
        NoticeBar::Kind::Warning, [title = m_file->title(), next, run = QFileInfo(m_file->launchedAs()).fileName()] {
            return run.isEmpty()
                       ? tr("%1 has unsaved edits. To be opened next: %2", "file, next").arg(title, next())
                       : tr("%1 has unsaved edits; they were launched as %3. To be opened next: %2", "file, next, run")
                             .arg(title, next(), run);
        });
    m_notice->addButton([] { return tr("Save, then open"); },
                        [this, open] {
                            if (m_file->path().isEmpty())
                                saveAsThen(open);
                            else if (save())
                                open();
                        });
    m_notice->addButton([] { return tr("Discard edits, then open"); }, open);
}

void ConfigPage::open(const QString& path) {
    replaceAfterAsking([path] { return QFileInfo(path).fileName(); },
                       [this, path] {
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

static bool isUnsavedCopy(const QString& path) {
    return path.contains(QStringLiteral("/rankscope/unsaved/"));
}

/// The file that the recipe was read from first: what was launched from a copy leads back to it by the run before.
static QString originOf(const QString& runDir, const rankscope::launch::RunInfo& first) {
    static constexpr int kMostRepetitions = 20;
    rankscope::launch::RunInfo info = first;
    for (int i = 0; i < kMostRepetitions && isUnsavedCopy(QString::fromStdString(info.configPath)); ++i) {
        const QString before = QString::fromStdString(info.relaunchedFrom);
        if (before.isEmpty() || before.contains(QLatin1Char('/')))
            break;
        const auto next = rankscope::launch::recordedRunInfo(
            {QFileInfo(runDir).absolutePath().toStdString() + "/" + before.toStdString()});
        if (!next)
            break;
        info = *next;
    }
    return QString::fromStdString(info.configPath);
}

/// "quickstart, copy of e6a6": by the recipe's name and the end of the run's, so that it does not grow.
QString ConfigPage::titleOfCopy(const QString& runDir, const std::string& name) {
    const QString id = QFileInfo(runDir).fileName();
    return tr("%1, copy of %2", "recipe, end of the run's id")
        .arg(name.empty() ? id : QString::fromStdString(name), id.section(QLatin1Char('-'), -1));
}

void ConfigPage::openCopyWith(const QString& runDir, const QString& key, const QString& yaml) {
    const auto next = [id = QFileInfo(runDir).fileName(), key, yaml] {
        return key.isEmpty() ? tr("a copy of the recipe of %1").arg(id)
               : yaml.isEmpty()
                   ? tr("a copy of the recipe of %1 without %2", "run, key").arg(id, key.section(QLatin1Char('.'), -1))
                   : tr("a copy of the recipe of %1 with %2: %3", "run, key, value")
                         .arg(id, key.section(QLatin1Char('.'), -1), yaml);
    };
    replaceAfterAsking(next, [this, runDir, key, yaml] {
        const rankscope::launch::RunPaths run{runDir.toStdString()};
        auto text = readRunFile(run.config());
        const auto info = rankscope::launch::readRunInfo(run);
        if (!text) {
            report(tl::unexpected(text.error()));
            return;
        }
        const QString origin = info ? originOf(runDir, *info) : QString();
        const std::string name = info ? info->name : std::string();
        report(m_file->openText(std::move(*text), titleOfCopy(runDir, name), origin));
        m_copyOf = {runDir, name};
        m_launch->setRepeated(runDir, info ? overridesWithout(key, info->overrides) : QStringList(),
                              info ? info->ranksAsked : 0);
        m_file->acceptLaunchFields();
        if (key.isEmpty()) {
            m_notice->show(NoticeBar::Kind::Info, [id = QFileInfo(runDir).fileName()] {
                return tr("This is a copy of the recipe that %1 was launched with. Change it and launch it again.")
                    .arg(id);
            });
            return;
        }
        if (yaml.isEmpty())
            return removeInCopy(key);
        edit(key, yaml);
        revealWhenRead(key);
        if (m_file->hasEdits())
            m_notice->show(NoticeBar::Kind::Info, [key, yaml] {
                return tr("%1: %2 is set in a copy of the run's recipe. Launch it, or undo (Ctrl+Z).").arg(key, yaml);
            });
    });
}

/// It may have stood among the overrides only, of which the copy has lost it.
void ConfigPage::removeInCopy(const QString& key) {
    if (m_file->hasKey(key))
        remove(key);
    m_notice->show(NoticeBar::Kind::Info, [key] {
        return tr("%1 is left out of this copy of the run's recipe. Launch it, or undo (Ctrl+Z).").arg(key);
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

QString ConfigPage::suggestedPath() const {
    if (!m_file->path().isEmpty())
        return m_file->path();
    const QFileInfo origin(m_file->origin());
    // the folder of what was launched from a copy is gone
    const bool there = !m_file->origin().isEmpty() && !isUnsavedCopy(m_file->origin()) && origin.absoluteDir().exists();
    const QString folder = there ? origin.absolutePath() : m_launch->workingFolder().path;
    QString name = m_file->origin().isEmpty() ? m_file->title() : origin.completeBaseName();
    static const QRegularExpression odd(QStringLiteral("[^\\w.-]+"), QRegularExpression::UseUnicodePropertiesOption);
    name.replace(odd, QStringLiteral("-"));
    QString path = QStringLiteral("%1/%2-copy.yaml").arg(folder, name);
    for (int i = 2; QFileInfo::exists(path) && i < 1000; ++i)
        path = QStringLiteral("%1/%2-copy-%3.yaml").arg(folder, name).arg(i);
    return path;
}

void ConfigPage::saveAs() {
    saveAsThen({});
}

void ConfigPage::saveAsThen(const std::function<void()>& done) {
    if (!m_file->isOpen())
        return;
    const QString suggested = suggestedPath();
    auto* dialog =
        new QFileDialog(this, tr("Save recipe as"), suggested, tr("YAML files (*.yaml *.yml);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("yaml"));
    if (!suggested.isEmpty())
        dialog->selectFile(suggested);
    connect(dialog, &QFileDialog::fileSelected, this, [this, done](const QString& path) {
        if (writeTo(path) && done)
            done();
    });
    dialog->open();
}

void ConfigPage::fileChangedOnDisk() {
    if (!QFileInfo::exists(m_file->path())) {
        m_notice->show(NoticeBar::Kind::Warning, [path = m_file->path()] {
            return tr("%1 is no longer on disk. Saving writes it again.").arg(path);
        });
        return;
    }
    if (!m_file->hasEdits()) {
        if (m_file->reload())
            emit message(tr("%1 changed on disk and was read again").arg(m_file->title()));
        return;
    }
    m_notice->show(NoticeBar::Kind::Warning,
                   [title = m_file->title()] { return tr("%1 changed on disk while you edited it.").arg(title); });
    m_notice->addButton([] { return tr("Read again"); }, [this] { report(m_file->reload()); });
    m_notice->addButton([] { return tr("Keep mine"); }, [this] { m_file->keepMine(); });
    m_notice->addButton([] { return tr("Show differences"); }, [this] { showDiskChanges(); }, false);
}

void ConfigPage::showDiskChanges() {
    m_textPane->show();
    m_changes.stop();
    m_info->changes()->show(m_file->diskBytes(), m_file->bytes());
    m_info->showTab(InfoPane::Changes);
}

void ConfigPage::recovered(const QDateTime& when, bool diskChanged) {
    const QDateTime local = when.toLocalTime();
    const QString at = local.toString(local.date() == QDate::currentDate() ? QStringLiteral("HH:mm")
                                                                           : QStringLiteral("yyyy-MM-dd HH:mm"));
    const bool gone = !m_file->path().isEmpty() && !QFileInfo::exists(m_file->path());
    m_notice->show(diskChanged || gone ? NoticeBar::Kind::Warning : NoticeBar::Kind::Info, [at, gone, diskChanged] {
        return gone ? tr("Restored unsaved edits from %1. The file itself is gone; saving writes it again.").arg(at)
               : diskChanged ? tr("Restored unsaved edits from %1. The file was written since then.").arg(at)
                             : tr("Restored unsaved edits from %1.").arg(at);
    });
    m_notice->addButton([] { return tr("Discard"); }, [this] { m_file->discardEdits(); });
    m_notice->addButton([] { return tr("Show differences"); }, [this] { showDiskChanges(); }, false);
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
