// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace rankscope::ui {

struct RunView;

/// Covers plots that have nothing to show, and says why.
class PlotsCover final : public QLabel {
    Q_OBJECT
public:
    /// `strip` is below the plots and is covered too while it is visible. The parent owns both.
    PlotsCover(QWidget* plots, QWidget* strip, QWidget* parent);

    /// Covers the plots if the run has no steps, otherwise uncovers them. `reasonShown`: the page says above why the
    /// run ended. Call it after a change of the view or of the plots' size.
    void setView(const RunView& view, bool hasSteps, bool reasonShown);

private:
    static QString reason(const RunView& view, bool reasonShown);

    QWidget *m_plots, *m_strip;
};

} // namespace rankscope::ui
