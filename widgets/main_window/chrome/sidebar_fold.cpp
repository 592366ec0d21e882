// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/chrome/sidebar_fold.h"

#include "widgets/runs/panel/runs_panel.h"

namespace rankscope::ui {

static constexpr int kFoldBelow = 1100;

SidebarFold::SidebarFold(RunsPanel* panel) : QObject(panel), m_panel(panel) {
    connect(panel, &RunsPanel::foldRequested, this, &SidebarFold::choose);
}

void SidebarFold::setWindowWidth(int width) {
    const bool narrow = width < kFoldBelow;
    if (narrow != m_narrow)
        m_chosen.reset();
    m_narrow = narrow;
    apply();
}

void SidebarFold::unfold() {
    if (m_panel->isFolded())
        choose(false);
}

void SidebarFold::choose(bool folded) {
    m_chosen = folded;
    apply();
}

void SidebarFold::apply() {
    const bool folded = m_chosen.value_or(m_narrow);
    if (folded != m_panel->isFolded())
        m_panel->setFolded(folded);
}

} // namespace rankscope::ui
