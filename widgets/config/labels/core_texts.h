// SPDX-License-Identifier: GPL-3.0-or-later
// Translates sentences of the core into the window's language.
#pragma once

#include "core/base/values/error.h"

#include <QString>

#include <string>

namespace rankscope::ui {

/// Returns a sentence of the core in the window's language.
QString coreText(const Message& message);
/// Returns the translation of a sentence of the core's problem rules, or the English text if there is none.
QString coreText(const std::string& english);
/// Returns where the error happened, unchanged, followed by what happened.
QString coreText(const Error& error);
/// Returns a text after the key or file it is about: "batch_size: …", with the colon of the language.
QString placedText(const QString& where, const QString& what);

} // namespace rankscope::ui
