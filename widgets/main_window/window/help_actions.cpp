// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/window/help_actions.h"

#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/actions/shortcuts_panel.h"
#include "widgets/main_window/chrome/notice_strip.h"
#include "widgets/main_window/help/guide_window.h"
#include "widgets/main_window/help/installed_files.h"

#include <QCoreApplication>

namespace rankscope::ui {

HelpActions::HelpActions(const Actions* actions, NoticeStrip* notices, QWidget* window)
    : m_notices(notices), m_window(window) {
    auto* shortcuts = new ShortcutsPanel(actions, window);
    actions->on(ActionId::Shortcuts, this, [shortcuts] { shortcuts->toggle(); });
    actions->on(ActionId::About, this, [this] { showAbout(); });
    actions->on(ActionId::Guide, this, [this] { showGuide(); });
    (*actions)[ActionId::Guide]->setEnabled(!findGuide().isEmpty());
}

void HelpActions::showAbout() {
    Notice about;
    about.kind = Notice::NoticeKind::Info;
    about.topic = QStringLiteral("about");
    about.text = [] {
        return tr("Rankscope %1. The window is licensed under GPL-3.0-or-later, the trainer and the command line under "
                  "Apache-2.0.")
            .arg(QCoreApplication::applicationVersion());
    };
    m_notices->add(about);
}

void HelpActions::showGuide() {
    if (!m_guide)
        m_guide = new GuideWindow(findGuide(), m_window);
    m_guide->show();
    m_guide->raise();
    m_guide->activateWindow();
}

} // namespace rankscope::ui
