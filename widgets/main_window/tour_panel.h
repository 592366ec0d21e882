// SPDX-License-Identifier: GPL-3.0-or-later
// What goes with the user through the tour: a panel over the window that says what is seen, and an outline around it.
// No dialog: the page below stays as usable as ever.
#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace rankscope::ui {

class TourPanel final : public QFrame {
    Q_OBJECT
public:
    explicit TourPanel(QWidget* window);
    /// `step` from 0.
    void setStep(int step, int count, const QString& title, const QString& text);
    /// Where it hides least of `target`: both in the window's coordinates.
    void place(const QRect& area, const QRect& target);
    void takeFocus();
    QString title() const;
    QString text() const;
    QString progress() const;

signals:
    void backRequested();
    void nextRequested();
    void endRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool isOurKey(QKeyEvent* event);
    QLabel *m_title, *m_text, *m_progress;
    QPushButton *m_end, *m_back, *m_next;
    bool m_first = true, m_last = false;
};

/// A rounded line around a part of the window; the mouse goes through it.
class TourOutline final : public QWidget {
    Q_OBJECT
public:
    explicit TourOutline(QWidget* window);
    void surround(const QRect& target); ///< empty: hides

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace rankscope::ui
