// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <array>

namespace rankscope::ui {

/// One of the three settings that decide how ranks wait for each other.
struct DecisiveSetting {
    const char* key;
    QString title;
    QStringList values;
};

std::array<DecisiveSetting, 3> decisiveSettings();

/// One or two sentences on what the effective value makes the ranks do.
QString effectOnRanks(const QString& key, const QString& effective);

} // namespace rankscope::ui
