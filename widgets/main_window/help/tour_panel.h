// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QList>
#include <QRect>

class QLabel;
class QPushButton;

namespace rankscope::ui {

/// A panel over the window that explains a step of the tour. It is not a dialog: the page below stays usable.
class TourPanel final : public QFrame {
    Q_OBJECT
public:
    explicit TourPanel(QWidget* window);
    /// Shows a step. `step` counts from 0; `last` is the label of the last step's button, empty if it only ends the
    /// tour.
    void setStep(int step, int count, const QString& title, const QString& text, const QString& last = {});
    /// Moves to where it hides least of the first part, then of the second, and so on. All are in the window's
    /// coordinates.
    void place(const QRect& area, const QList<QRect>& parts);
    void takeFocus();

signals:
    void backRequested();
    void nextRequested();
    void endRequested();
    void tryRequested(); ///< the last step's button was pressed

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool isOurKey(QKeyEvent* event);
    QLabel *m_title, *m_text, *m_progress;
    QPushButton *m_end, *m_back, *m_next;
    bool m_first = true, m_last = false, m_tries = false;
};

/// A rounded outline around a part of the window; it ignores the mouse.
class TourOutline final : public QWidget {
    Q_OBJECT
public:
    explicit TourOutline(QWidget* window);
    void surround(const QRect& target); ///< empty: hides

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace rankscope::ui
