// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/panes/panes_menu.h"

#include <QMenu>
#include <QWidget>

namespace rankscope::ui {

PanesMenu::PanesMenu(QMenu* menu, const Panes& panes, QObject* parent) : QObject(parent), m_panes(panes) {
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        if (!m_shown[i])
            m_panes[i]->hide();
        m_actions[i] = menu->addAction(QString());
        m_actions[i]->setCheckable(true);
        m_actions[i]->setChecked(m_shown[i]);
        connect(m_actions[i], &QAction::toggled, this, [this, i](bool on) { setShown(i, on); });
    }
}

void PanesMenu::setShown(std::size_t pane, bool on) {
    m_shown[pane] = on;
    m_panes[pane]->setVisible(on);
    m_actions[pane]->setChecked(on);
    emit changed();
}

void PanesMenu::setShown(const Shown& shown) {
    for (std::size_t i = 0; i < shown.size(); ++i)
        setShown(i, shown[i]);
}

void PanesMenu::retranslate() {
    const std::array names{tr("Rank board"),  tr("Overview strip"),          tr("Who waits for whom"),
                           tr("Checkpoints"), tr("Statistics of the range"), tr("Annotations")};
    static_assert(names.size() == ReviewLayout::PaneCount);
    for (std::size_t i = 0; i < names.size(); ++i)
        m_actions[i]->setText(names[i]);
}

} // namespace rankscope::ui
