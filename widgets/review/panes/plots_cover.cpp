// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/panes/plots_cover.h"

#include "widgets/models/view/run_view.h"

namespace rankscope::ui {

PlotsCover::PlotsCover(QWidget* plots, QWidget* strip, QWidget* parent)
    : QLabel(parent), m_plots(plots), m_strip(strip) {
    setAutoFillBackground(true);
    setAlignment(Qt::AlignCenter);
    setWordWrap(true);
    setForegroundRole(QPalette::PlaceholderText);
    hide();
}

QString PlotsCover::reason(const RunView& view, bool reasonShown) {
    const bool live = launch::isLive(view.info.state);
    if (view.nowNs == 0)
        return tr("Reading the run…");
    if (view.info.worldSize == 0)
        return live ? tr("Waiting for the first rank… It is seen as soon as it has set up its process group or "
                         "trains alone.")
                    : QString(); // the notice gives the reason
    if (live)
        return tr("The ranks are starting. Curves will appear after the first step.");
    if (!view.problem.isEmpty())
        return tr("No curve of this run can be read; the notice above says why.");
    return reasonShown ? tr("No curves: this run ended before its first step. The reason is given above.")
                       : tr("No curves: this run ended before its first step. Its logs say why.");
}

void PlotsCover::setView(const RunView& view, bool hasSteps, bool reasonShown) {
    setVisible(!hasSteps);
    if (hasSteps)
        return;
    setText(reason(view, reasonShown));
    setGeometry(m_strip->isVisible() ? m_plots->geometry().united(m_strip->geometry()) : m_plots->geometry());
    raise();
}

} // namespace rankscope::ui
