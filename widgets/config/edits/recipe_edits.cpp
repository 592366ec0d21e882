// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/edits/recipe_edits.h"

#include "core/config/yaml/scalar.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/problems/notice_bar.h"
#include "widgets/config/recipe/recipe_file.h"
#include "widgets/models/text/text_format.h"

#include <QDir>
#include <QFileDialog>

namespace rankscope::ui {

RecipeEdits::RecipeEdits(ConfigFile* file, NoticeBar* notice, const LaunchPanel* launch, QWidget* page)
    : QObject(page), m_file(file), m_notice(notice), m_launch(launch), m_page(page) {}

void RecipeEdits::report(const Result<void>& done) {
    if (!done)
        m_notice->show(NoticeBar::NoticeLevel::Error, [error = done.error()] { return messageText(error); });
}

void RecipeEdits::set(const QString& key, const QString& yaml) {
    // the message shows the value the user typed, which is not kept anywhere else
    if (const auto done = m_file->setValue(key, yaml); !done)
        m_notice->show(NoticeBar::NoticeLevel::Error, [key, yaml, error = done.error()] {
            return tr("%1: %2 was not set. %3", "key, value, why").arg(key, yaml, messageText(error));
        });
}

void RecipeEdits::add(const QString& key, const QString& yaml) {
    set(key, yaml);
    revealWhenRead(key);
}

void RecipeEdits::apply(const KeySettings& settings) {
    report(m_file->setValues(settings));
    if (!settings.isEmpty())
        revealWhenRead(settings.front().key);
}

void RecipeEdits::remove(const QString& key) {
    report(m_file->removeKey(key));
}

void RecipeEdits::rename(const QString& from, const QString& to) {
    const QString section = to.section(QLatin1Char('.'), 0, -2), name = to.section(QLatin1Char('.'), -1);
    const bool within = section == from.section(QLatin1Char('.'), 0, -2);
    report(within ? m_file->renameKey(from, name) : m_file->moveKey(from, section, {}));
    revealWhenRead(to);
}

void RecipeEdits::move(const QString& key, const QString& section, const QString& before) {
    report(m_file->moveKey(key, section, before));
}

/// Writes a path below the working folder relative to it, so that the recipe can move with the folder.
void RecipeEdits::chooseManifest(const QString& key) {
    const QString folder = m_launch->workingFolder().path;
    auto* dialog = new QFileDialog(m_page, tr("Manifest (a JSON object per line)"), folder,
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

void RecipeEdits::revealWhenRead(const QString& key) {
    auto* once = new QObject(this);
    connect(m_file, &ConfigFile::evaluationChanged, once, [this, key, once] {
        if (m_file->evaluator()->isBusy())
            return;
        emit revealRequested(key);
        once->deleteLater();
    });
}

} // namespace rankscope::ui
