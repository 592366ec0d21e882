// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the last action for some seconds, to the right of the tabs, so that it needs no row of the window.
#pragma once

#include <QStatusBar>

namespace rankscope::ui {

class StatusLine final : public QStatusBar {
    Q_OBJECT
public:
    explicit StatusLine(QWidget* parent = nullptr);
    QSize sizeHint() const override { return m_size; } ///< does not depend on the tabs
    void setRoom(int width); ///< sets the message's width; a longer one is elided and shown whole in its tool tip

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void fit();
    int m_room = 0;
    QSize m_size;
};

} // namespace rankscope::ui
