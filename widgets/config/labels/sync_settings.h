// SPDX-License-Identifier: GPL-3.0-or-later
// The three settings that decide how ranks wait for each other, and what each value does to them.
#pragma once

#include "core/base/values/error.h"
#include "core/config/effective/effective.h"

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

/// A sentence of the core's risk and problem rules, in the window's language where we have it.
QString coreText(const std::string& english);
/// Where it happened, as it is, and what.
QString coreText(const Error& error);

} // namespace rankscope::ui
