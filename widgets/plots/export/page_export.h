// SPDX-License-Identifier: GPL-3.0-or-later
// A page with plots as a file: title and legend on top, then what draws itself.
#pragma once

#include "core/base/values/error.h"

#include <QList>
#include <QPen>
#include <QString>

#include <functional>

class QCPPainter;

namespace rankscope::ui {

struct PlotPage {
    static constexpr int kWidth = 1200;

    QString title;
    QList<std::pair<QPen, QString>> legend; ///< as much of it as fits a line
    int height = 480;                       ///< of the plots together
    std::function<void(QCPPainter&)> draw;  ///< kWidth x height, from 0, 0
};

/// By suffix: .png, .pdf, .svg. BadInput names the others.
Result<void> writePage(const PlotPage& page, const QString& file);
/// A text as a whole, or not at all.
Result<void> writeTextFile(const QString& text, const QString& file);

} // namespace rankscope::ui
