// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/bars/smoothing_menu.h"

#include "widgets/controls/box_layout.h"
#include "widgets/models/text/text_format.h"
#include "widgets/plots/curves/curve_smoothing.h"
#include "widgets/theme/language_change.h"

#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QWidgetAction>

#include <cmath>

namespace rankscope::ui {

SmoothingMenu::SmoothingMenu(QWidget* parent)
    : QMenu(parent), m_halfLife(CurveSmoothing::kUsualHalfLife), m_figure(new QLabel), m_weak(new QLabel),
      m_strong(new QLabel), m_slider(new QSlider(Qt::Horizontal)) {
    setObjectName(QStringLiteral("smoothingMenu"));
    auto* content = new QWidget;
    content->setLayout(columnOf({m_figure, m_slider, rowOf({m_weak, kSpareRoom, m_strong})}, -1, {12, 8, 12, 8}));
    m_slider->setRange(0, CurveSmoothing::kPositions);
    m_slider->setPageStep(10);
    m_slider->setMinimumWidth(220);
    for (auto* end : {m_weak, m_strong})
        end->setForegroundRole(QPalette::PlaceholderText);
    auto* action = new QWidgetAction(this);
    action->setDefaultWidget(content);
    addAction(action);
    connect(m_slider, &QSlider::valueChanged, this, [this](int position) {
        m_halfLife = CurveSmoothing::halfLifeAt(position);
        retranslate();
        emit halfLifeChosen(m_halfLife);
    });
    setHalfLife(m_halfLife);
    onLanguageChange(this, [this] { retranslate(); });
}

void SmoothingMenu::setHalfLife(double steps) {
    m_halfLife = steps;
    const QSignalBlocker block(m_slider); // a value between two positions is kept until the slider is moved
    m_slider->setValue(CurveSmoothing::positionOf(steps));
    retranslate();
}

void SmoothingMenu::retranslate() {
    m_figure->setText(tr("Half-life: %1 steps").arg(countText(std::llround(m_halfLife))));
    m_figure->setToolTip(tr("A value this many steps back counts half"));
    m_weak->setText(tr("weak"));
    m_strong->setText(tr("strong"));
    m_slider->setAccessibleName(tr("Strength of smoothing"));
}

void SmoothingMenu::showEvent(QShowEvent* event) {
    QMenu::showEvent(event);
    m_slider->setFocus(Qt::PopupFocusReason);
}

} // namespace rankscope::ui
