// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>

class QLabel;
class QSlider;

namespace rankscope::ui {

/// Chooses how strongly the curves are smoothed, with a slider in a menu that takes effect while it is moved.
class SmoothingMenu final : public QMenu {
    Q_OBJECT
public:
    explicit SmoothingMenu(QWidget* parent = nullptr);

    double halfLife() const { return m_halfLife; }
    void setHalfLife(double steps);
    QSlider* slider() const { return m_slider; }

signals:
    void halfLifeChosen(double steps); ///< by the user

protected:
    void showEvent(QShowEvent* event) override;

private:
    void retranslate();

    double m_halfLife;
    QLabel *m_figure, *m_weak, *m_strong;
    QSlider* m_slider;
};

} // namespace rankscope::ui
