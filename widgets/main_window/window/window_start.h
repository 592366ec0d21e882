// SPDX-License-Identifier: GPL-3.0-or-later
// What the window opens when it starts.
#pragma once

#include "widgets/main_window/control/page_tabs.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace rankscope::ui {

class Navigator;
struct WindowSettings;

struct WindowOptions {
    QString runsDir;     ///< empty: the default
    QString run, config; ///< to open; empty: the last ones, if `remember`
    bool launch = false; ///< launch `config` once it has been read
    QStringList explain; ///< logs, dumps and folders to explain
    std::optional<Page> page;
    bool remember = true; ///< read and write the user's settings, and what is kept of ended runs
};

/// Opens what `options` name, else what was open last, and shows its page; the welcome page if nothing is open.
void openAtStart(const WindowOptions& options, const WindowSettings& settings, PageTabs* tabs, Navigator* navigator);

} // namespace rankscope::ui
