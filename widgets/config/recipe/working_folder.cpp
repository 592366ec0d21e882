// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/recipe/working_folder.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace rankscope::ui {

/// Splits "[a.json, 'b.json']", "a.json" or "a.json,b.json" into single paths.
static QStringList pathsIn(QString value) {
    value = value.trimmed();
    value.remove(QLatin1Char('[')).remove(QLatin1Char(']')).remove(QLatin1Char('"')).remove(QLatin1Char('\''));
    QStringList paths;
    for (const QString& part : value.split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (const QString path = part.trimmed(); !path.isEmpty())
            paths << path;
    return paths;
}

QStringList manifestsOf(const config::Effective& effective) {
    QStringList all;
    for (const config::KeyRow& row : effective.rows) {
        const QString key = QString::fromStdString(row.key);
        if (!row.effective || !key.contains(QLatin1String("_ds.")) ||
            !(key.endsWith(QLatin1String("manifest_filepath")) || key.endsWith(QLatin1String("noise_manifest"))))
            continue;
        const QString value = QString::fromStdString(*row.effective);
        if (value == QLatin1String("null") || value == QLatin1String("???"))
            continue;
        all << pathsIn(value);
    }
    all.removeDuplicates();
    return all;
}

bool isPlannable(const config::Effective& effective) {
    return std::all_of(effective.problems.begin(), effective.problems.end(), [&](const config::Problem& problem) {
        if (problem.severity != config::Problem::Severity::Error)
            return true;
        const config::KeyRow* row = effective.find(problem.key);
        return problem.key == "model.train_ds.manifest_filepath" && row && !row->effective && row->yours == "???";
    });
}

static QStringList missingIn(const QDir& folder, const QStringList& manifests) {
    QStringList missing;
    for (const QString& manifest : manifests)
        if (!QFileInfo::exists(folder.absoluteFilePath(manifest)))
            missing << manifest;
    return missing;
}

WorkingFolder chooseWorkingFolder(const QStringList& manifests, const QString& started,
                                  const QStringList& recipeFiles) {
    WorkingFolder here{started, missingIn(QDir(started), manifests), !manifests.isEmpty()};
    if (here.missing.isEmpty())
        return here;
    for (const QString& file : recipeFiles) {
        if (file.isEmpty())
            continue;
        QDir folder = QFileInfo(file).absoluteDir();
        do {
            if (missingIn(folder, manifests).isEmpty())
                return {folder.absolutePath(), {}, true};
        } while (!folder.isRoot() && folder.cdUp());
    }
    return here;
}

QString shortPath(const QString& path) {
    const QString home = QDir::homePath();
    return home != QLatin1String("/") && (path == home || path.startsWith(home + QLatin1Char('/')))
               ? QLatin1Char('~') + path.mid(home.size())
               : path;
}

} // namespace rankscope::ui
