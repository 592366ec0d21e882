// SPDX-License-Identifier: GPL-3.0-or-later
// Keys that a page takes itself, where it has the focus: they stand in no menu of the window.
#pragma once

#include <QList>
#include <QString>

namespace rankscope::ui {

struct KeyLine {
    QString key, text;
};
struct KeySection {
    QString title;
    QList<KeyLine> lines;
};
QList<KeySection> pageKeys();

} // namespace rankscope::ui
