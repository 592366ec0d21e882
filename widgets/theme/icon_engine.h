// SPDX-License-Identifier: GPL-3.0-or-later
// Draws an SVG of resources/icons in the theme's colours of the moment: icons follow a theme change by themselves.
#pragma once

#include <QIconEngine>
#include <QString>

namespace rankscope::ui {

class SvgIconEngine final : public QIconEngine {
public:
    explicit SvgIconEngine(QString name);
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override;
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override;
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) override;
    QIconEngine* clone() const override;
    bool isNull() override;

private:
    QString m_name;
};

} // namespace rankscope::ui
