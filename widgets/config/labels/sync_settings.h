// SPDX-License-Identifier: GPL-3.0-or-later
// The three settings that decide how ranks wait for each other, and what each value does to them.
#pragma once

#include <QString>
#include <QStringList>

#include <array>

namespace rankscope::ui {

struct DecisiveSetting {
    const char* key;
    QString title;
    QStringList values;
};

std::array<DecisiveSetting, 3> decisiveSettings();

/// One or two sentences on what the effective value makes the ranks do.
QString effectOnRanks(const QString& key, const QString& effective);

} // namespace rankscope::ui
