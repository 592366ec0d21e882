// SPDX-License-Identifier: GPL-3.0-or-later
// What was just done, for some seconds, at the right of the tabs: it takes no row of the window.
#pragma once

#include <QStatusBar>

namespace rankscope::ui {

class StatusLine final : public QStatusBar {
    Q_OBJECT
public:
    explicit StatusLine(QWidget* parent = nullptr);
    QSize sizeHint() const override { return m_size; } ///< the tabs ask for no other size
    void setRoom(int width); ///< that the message may take; a longer one is elided, its tool tip says it whole

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void fit();
    int m_room = 0;
    QSize m_size;
};

} // namespace rankscope::ui
