// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/controls/overlay_panel.h"

class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace rankscope::ui {

class Actions;

/// Offers every action of the window by name: the user types a few letters and presses Enter.
class CommandPalette final : public OverlayPanel {
    Q_OBJECT
public:
    CommandPalette(const Actions* actions, QWidget* window);

protected:
    void prepare() override;
    void place() override;
    QWidget* focusTarget() const override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill();
    void filter();
    void step(int by);
    void run(QTreeWidgetItem* item);

    const Actions* m_actions;
    QLineEdit* m_line;
    QTreeWidget* m_list;
};

} // namespace rankscope::ui
