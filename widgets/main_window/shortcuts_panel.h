// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/main_window/page_keys.h"

#include <QFrame>

class QScrollArea;

namespace rankscope::ui {

class Actions;
class KeyList;

/// The list of keys, laid over the window: those of the menus by menu, then those of the pages by page. "?" or Esc
/// closes it; it scrolls where the window is too small for it.
class ShortcutsPanel final : public QFrame {
    Q_OBJECT
public:
    ShortcutsPanel(const Actions* actions, QWidget* window);
    void toggle();
    const QList<KeySection>& sections() const { return m_sections; } ///< as shown last
    QScrollArea* scrollArea() const { return m_scroll; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void collect();
    void place();
    const Actions* m_actions;
    QList<KeySection> m_sections;
    QScrollArea* m_scroll;
    KeyList* m_list;
};

} // namespace rankscope::ui
