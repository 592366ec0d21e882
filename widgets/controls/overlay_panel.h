// SPDX-License-Identifier: GPL-3.0-or-later
// A panel over the window: Esc, its button or a click outside closes it, and the focus returns to the previous widget.
#pragma once

#include <QFrame>
#include <QPointer>

class QToolButton;

namespace rankscope::ui {

class OverlayPanel : public QFrame {
    Q_OBJECT
public:
    explicit OverlayPanel(QWidget* window);
    void toggle();
    void open();
    void leave();

protected:
    virtual void prepare() = 0; ///< called before it is shown
    virtual void place() = 0;   ///< places the panel in the window, whose size may have changed
    virtual QWidget* focusTarget() const = 0;
    QToolButton* closeButton() const { return m_close; }
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void retranslateClose();
    QToolButton* m_close;
    QPointer<QWidget> m_before; ///< widget that had the focus before
};

} // namespace rankscope::ui
