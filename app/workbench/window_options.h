// SPDX-License-Identifier: GPL-3.0-or-later
// The command line of rankscope.
#pragma once

#include "widgets/main_window/window/main_window.h"

#include <QSize>
#include <QString>
#include <QStringList>

namespace rankscope::workbench {

struct WorkbenchOptions {
    ui::WindowOptions window;
    QString screenshot; ///< empty: an ordinary window
    QSize size{1440, 900};
    QString theme, language; ///< empty: the user's settings
    bool startupTime = false;

    bool help = false, version = false;
    QString text;  ///< of help
    QString error; ///< not empty: one line, exit code 2
};

/// Parses the arguments. The only I/O is to check whether the named files and runs exist.
WorkbenchOptions parseOptions(const QStringList& arguments);

} // namespace rankscope::workbench
