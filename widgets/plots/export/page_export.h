// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a page with plots to a file: title and legend on top, then the plots.
#pragma once

#include "core/base/values/error.h"
#include "widgets/plots/plot/plot_signs.h"

#include <QList>
#include <QPen>
#include <QString>

#include <functional>

class QCPPainter;

namespace rankscope::ui {

struct PlotPage {
    static constexpr int kWidth = 1200;

    QString title;
    QList<std::pair<QPen, QString>> legend; ///< as many entries as fit on one line
    PlotSigns signs{};                      ///< explained on a second line
    int height = 480;                       ///< of the plots together
    std::function<void(QCPPainter&)> draw;  ///< kWidth x height, from 0, 0
};

/// Writes a page in the format given by the suffix: .png, .pdf or .svg. Another suffix is a BadInput error.
Result<void> writePage(const PlotPage& page, const QString& file);
/// Writes a text completely, or not at all.
Result<void> writeTextFile(const QString& text, const QString& file);

} // namespace rankscope::ui
