// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <span>

namespace rankscope::ui {

/// Describes in one or two sentences what a key does; `text` is translated in the context "KeyDescriptions".
struct KeyDescription {
    const char* key;
    const char* text;
};

/// Returns the keys that people who train NEST are likely to change.
std::span<const KeyDescription> keyDescriptions();
QString keyDescription(const QString& key); ///< in the window's language; empty: none

} // namespace rankscope::ui
