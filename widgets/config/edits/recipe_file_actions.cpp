// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/edits/recipe_file_actions.h"

#include "core/base/files/guarded_folder.h"
#include "core/launch/prepare/prepare_launch.h"
#include "core/launch/run/run_folder.h"
#include "widgets/config/edits/recipe_edits.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/problems/notice_bar.h"
#include "widgets/config/recipe/recipe_file.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QRegularExpression>

namespace rankscope::ui {

/// Returns the overrides the run was launched with, except those of `key`, which would hide its new value.
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

static bool isUnsavedCopy(const QString& path) {
    return path.contains(QStringLiteral("/rankscope/unsaved/"));
}

/// Returns the file the recipe was first read from; follows repeated runs back if copies were launched.
static QString originOf(const QString& runDir, const launch::RunInfo& first) {
    static constexpr int kMostRepetitions = 20;
    launch::RunInfo info = first;
    for (int i = 0; i < kMostRepetitions && isUnsavedCopy(QString::fromStdString(info.configPath)); ++i) {
        const QString before = QString::fromStdString(info.relaunchedFrom);
        if (before.isEmpty() || before.contains(QLatin1Char('/')))
            break;
        const auto next =
            launch::recordedRunInfo({QFileInfo(runDir).absolutePath().toStdString() + "/" + before.toStdString()});
        if (!next)
            break;
        info = *next;
    }
    return QString::fromStdString(info.configPath);
}

/// Returns "quickstart, copy of e6a6": the recipe's name and the end of the run's id. Copies of copies do not get
/// longer titles.
static QString titleOfCopy(const QString& runDir, const std::string& name) {
    const QString id = QFileInfo(runDir).fileName();
    return RecipeFileActions::tr("%1, copy of %2", "recipe, end of the run's id")
        .arg(name.empty() ? id : QString::fromStdString(name), id.section(QLatin1Char('-'), -1));
}

RecipeFileActions::RecipeFileActions(ConfigFile* file, RecipeEdits* edits, NoticeBar* notice, LaunchPanel* launch,
                                     QWidget* page)
    : QObject(page), m_file(file), m_edits(edits), m_notice(notice), m_launch(launch), m_page(page) {
    connect(m_file, &ConfigFile::opened, this, [this] {
        m_notice->clear();
        m_copyOf = {};
    });
    // the notice was about the edits before the launch
    connect(m_launch, &LaunchPanel::launched, m_notice, &NoticeBar::clear);
    connect(m_file, &ConfigFile::changedOnDisk, this, &RecipeFileActions::fileChangedOnDisk);
    connect(m_file, &ConfigFile::recovered, this, &RecipeFileActions::recovered);
}

void RecipeFileActions::retranslate() {
    if (!m_copyOf.first.isEmpty())
        m_file->setTitle(titleOfCopy(m_copyOf.first, m_copyOf.second));
}

void RecipeFileActions::replaceAfterAsking(const std::function<QString()>& next, const std::function<void()>& open) {
    if (!m_file->hasUnkeptEdits()) {
        open();
        return;
    }
    m_notice->show(NoticeBar::NoticeLevel::Warning, [title = m_file->title(), next,
                                                     run = QFileInfo(m_file->launchedAs()).fileName()] {
        return run.isEmpty()
                   ? tr("Save the changes to %1 before opening %2?", "file, next").arg(title, next())
                   : tr("Save the changes to %1, which were launched as %3, before opening %2?", "file, next, run")
                         .arg(title, next(), run);
    });
    m_notice->addButton([] { return tr("Save and open"); },
                        [this, open] {
                            if (m_file->path().isEmpty())
                                saveAsThen(open);
                            else if (save())
                                open();
                        });
    m_notice->addButton([] { return tr("Discard and open"); }, open);
}

void RecipeFileActions::open(const QString& path) {
    replaceAfterAsking([path] { return QFileInfo(path).fileName(); },
                       [this, path] {
                           if (const auto done = m_file->open(path); !done)
                               m_edits->report(done);
                           else
                               emit message(tr("Opened %1").arg(path));
                       });
}

void RecipeFileActions::openCopy(const QString& runDir, const QString& key, const QString& yaml) {
    const auto next = [id = QFileInfo(runDir).fileName(), key, yaml] {
        return key.isEmpty() ? tr("a copy of the recipe of %1").arg(id)
               : yaml.isEmpty()
                   ? tr("a copy of the recipe of %1 without %2", "run, key").arg(id, key.section(QLatin1Char('.'), -1))
                   : tr("a copy of the recipe of %1 with %2: %3", "run, key, value")
                         .arg(id, key.section(QLatin1Char('.'), -1), yaml);
    };
    replaceAfterAsking(next, [this, runDir, key, yaml] { replaceByCopy(runDir, key, yaml); });
}

void RecipeFileActions::replaceByCopy(const QString& runDir, const QString& key, const QString& yaml) {
    const launch::RunPaths run{runDir.toStdString()};
    auto text = readRunFile(run.config());
    if (!text)
        return m_edits->report(tl::unexpected(text.error()));
    const auto info = launch::readRunInfo(run);
    const QString origin = info ? originOf(runDir, *info) : QString();
    const std::string name = info ? info->name : std::string();
    const int ranks = info ? launch::ranksToRepeat(*info, *text) : 0;
    m_edits->report(m_file->openText(std::move(*text), titleOfCopy(runDir, name), origin));
    m_copyOf = {runDir, name};
    m_launch->setFields({.repeats = runDir,
                         .overrides = info ? overridesWithout(key, info->overrides) : QStringList(),
                         .ranks = key == QLatin1String("trainer.devices") ? 0 : ranks});
    m_file->acceptLaunchFields();
    const auto say = [this](const NoticeBar::NoticeText& words) {
        m_notice->show(NoticeBar::NoticeLevel::Info, words);
    };
    if (key.isEmpty())
        return say([id = QFileInfo(runDir).fileName()] {
            return tr("This is a copy of the recipe of run %1. Change it, then launch it.").arg(id);
        });
    if (yaml.isEmpty()) {
        if (m_file->hasKey(key)) // otherwise it was only an override, which the copy does not have
            m_edits->remove(key);
        return say([key] {
            return tr("%1 was removed from this copy of the run's recipe. Launch it, or undo with Ctrl+Z.").arg(key);
        });
    }
    m_edits->add(key, yaml);
    if (m_file->hasEdits())
        say([key, yaml] {
            return tr("%1: %2 was set in this copy of the run's recipe. Launch it, or undo with Ctrl+Z.")
                .arg(key, yaml);
        });
}

bool RecipeFileActions::writeTo(const QString& path) {
    if (const auto done = m_file->saveAs(path); !done) {
        m_edits->report(done);
        return false;
    }
    m_notice->clear();
    emit message(tr("Saved %1").arg(path));
    return true;
}

bool RecipeFileActions::save() {
    if (!m_file->isOpen())
        return false;
    if (!m_file->path().isEmpty())
        return writeTo(m_file->path());
    saveAs();
    return false;
}

QString RecipeFileActions::suggestedPath() const {
    if (!m_file->path().isEmpty())
        return m_file->path();
    const QFileInfo origin(m_file->origin());
    // the folder of a private copy is removed after the launch
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

void RecipeFileActions::saveAsThen(const std::function<void()>& done) {
    if (!m_file->isOpen())
        return;
    const QString suggested = suggestedPath();
    auto* dialog =
        new QFileDialog(m_page, tr("Save recipe as"), suggested, tr("YAML files (*.yaml *.yml);;All files (*)"));
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

void RecipeFileActions::fileChangedOnDisk() {
    if (!QFileInfo::exists(m_file->path())) {
        m_notice->show(NoticeBar::NoticeLevel::Warning, [path = m_file->path()] {
            return tr("%1 is no longer on disk. Saving creates it again.").arg(path);
        });
        return;
    }
    if (!m_file->hasEdits()) {
        if (m_file->reload())
            emit message(tr("%1 changed on disk and was reloaded").arg(m_file->title()));
        return;
    }
    m_notice->show(NoticeBar::NoticeLevel::Warning,
                   [title = m_file->title()] { return tr("%1 changed on disk while you edited it.").arg(title); });
    m_notice->addButton([] { return tr("Reload"); }, [this] { m_edits->report(m_file->reload()); });
    m_notice->addButton([] { return tr("Keep mine"); }, [this] { m_file->keepMyVersion(); });
    m_notice->addButton([] { return tr("Show differences"); }, [this] { emit changesRequested(); }, false);
}

void RecipeFileActions::recovered(const QDateTime& when, bool diskChanged) {
    const QDateTime local = when.toLocalTime();
    const QString at = local.toString(local.date() == QDate::currentDate() ? QStringLiteral("HH:mm")
                                                                           : QStringLiteral("yyyy-MM-dd HH:mm"));
    const bool gone = !m_file->path().isEmpty() && !QFileInfo::exists(m_file->path());
    m_notice->show(diskChanged || gone ? NoticeBar::NoticeLevel::Warning : NoticeBar::NoticeLevel::Info, [at, gone,
                                                                                                          diskChanged] {
        return gone ? tr("Restored unsaved edits from %1. The file itself is gone; saving creates it again.").arg(at)
               : diskChanged ? tr("Restored unsaved edits from %1. The file has changed since then.").arg(at)
                             : tr("Restored unsaved edits from %1.").arg(at);
    });
    m_notice->addButton([] { return tr("Discard"); }, [this] { m_file->discardEdits(); });
    m_notice->addButton([] { return tr("Show differences"); }, [this] { emit changesRequested(); }, false);
}

} // namespace rankscope::ui
