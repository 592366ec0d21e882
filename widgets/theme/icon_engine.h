// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme/palette.h"

#include <QIconEngine>
#include <QString>

namespace rankscope::ui {

/// Draws an SVG of resources/icons in the colours that `colours`, which must outlive it, holds at that moment: icons
/// follow a change of theme by themselves.
class SvgIconEngine final : public QIconEngine {
public:
    SvgIconEngine(QString name, const Palette& colours);
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override;
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override;
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) override;
    QIconEngine* clone() const override;
    bool isNull() override;

private:
    QString m_name;
    const Palette& m_colours;
};

} // namespace rankscope::ui
