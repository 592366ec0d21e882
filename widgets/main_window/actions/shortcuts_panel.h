// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/controls/overlay_panel.h"
#include "widgets/main_window/actions/shortcut_list.h"

class QLabel;
class QLineEdit;
class QScrollArea;

namespace rankscope::ui {

class Actions;
class KeyList;

/// Shows the list of shortcuts over the window: first by menu, then by page. It can be searched, and scrolls if the
/// window is too small.
class ShortcutsPanel final : public OverlayPanel {
    Q_OBJECT
public:
    ShortcutsPanel(const Actions* actions, QWidget* window);
    const QList<KeySection>& sections() const { return m_sections; } ///< those that match the search

protected:
    void prepare() override;
    void place() override;
    QWidget* focusTarget() const override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QList<KeySection> collect() const;
    void search();

    const Actions* m_actions;
    QList<KeySection> m_all, m_sections;
    QLabel *m_title, *m_none;
    QLineEdit* m_search;
    QScrollArea* m_scroll;
    KeyList* m_list;
};

} // namespace rankscope::ui
