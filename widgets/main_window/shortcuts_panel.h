// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

namespace rankscope::ui {

class Actions;

/// The list of keys, laid over the window; "?" or Esc closes it.
class ShortcutsPanel final : public QFrame {
    Q_OBJECT
public:
    ShortcutsPanel(const Actions* actions, QWidget* window);
    void toggle();
    QList<QPair<QString, QString>> rows() const { return m_rows; } ///< key, what it does; an empty key is a heading

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void collect();
    void place();
    const Actions* m_actions;
    QList<QPair<QString, QString>> m_rows;
};

} // namespace rankscope::ui
