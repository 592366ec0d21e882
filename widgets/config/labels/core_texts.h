// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of the core in the window's language.
#pragma once

#include "core/base/values/error.h"

#include <QString>

namespace rankscope::ui {

QString translated(const Message& message);
/// Returns where the error happened, unchanged, followed by what happened.
QString translated(const Error& error);
/// Returns a text after the key or file it is about: "batch_size: …", with the colon of the language.
QString placedText(const QString& where, const QString& what);

} // namespace rankscope::ui
