// SPDX-License-Identifier: GPL-3.0-or-later
// What the keys do that somebody touches who trains NEST, in one or two sentences.
#pragma once

#include <QString>
#include <QStringList>

namespace rankscope::ui {

QString keyDescription(const QString& key); ///< in the window's language; empty: none
QStringList describedKeys();

} // namespace rankscope::ui
