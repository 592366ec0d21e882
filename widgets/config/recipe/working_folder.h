// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/recipe/evaluation.h"

#include <QString>
#include <QStringList>

namespace rankscope::ui {

/// The folder that a run is launched in, from which relative manifest paths are resolved.
struct WorkingFolder {
    QString path;
    QStringList missing; ///< missing manifests, as written; empty: all were found, or none is named
    bool named = false;  ///< the recipe names at least one manifest
    bool operator==(const WorkingFolder&) const = default;
};

/// Returns the manifests that the effective recipe names, as written.
QStringList manifestsOf(const config::Effective& effective);
/// Returns whether a plan can be made: the only error allowed is a training manifest that is still ???.
bool isPlannable(const config::Effective& effective);

/// Returns `started` if the manifests are there; otherwise the nearest folder above one of the recipe's files that has
/// them; otherwise `started` with the missing ones.
WorkingFolder chooseWorkingFolder(const QStringList& manifests, const QString& started, const QStringList& recipeFiles);

/// Returns "/home/me/x" as "~/x".
QString shortPath(const QString& path);

} // namespace rankscope::ui
