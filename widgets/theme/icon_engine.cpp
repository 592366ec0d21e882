// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/icon_engine.h"

#include <QFile>
#include <QHash>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

namespace rankscope::ui {

static const QByteArray& svgSource(const QString& name) {
    static QHash<QString, QByteArray> cache;
    const auto found = cache.constFind(name);
    if (found != cache.constEnd())
        return *found;
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    QByteArray bytes;
    if (file.open(QIODevice::ReadOnly))
        bytes = file.readAll();
    else
        qWarning("no icon named %s", qPrintable(name));
    return *cache.insert(name, bytes);
}

SvgIconEngine::SvgIconEngine(QString name, const Palette& colours) : m_name(std::move(name)), m_colours(colours) {}

bool SvgIconEngine::isNull() {
    return svgSource(m_name).isEmpty();
}

void SvgIconEngine::paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) {
    Q_UNUSED(state);
    const QColor colour = mode == QIcon::Disabled ? blend(m_colours.window, m_colours.secondary, 0.5) : m_colours.text;
    QByteArray svg = svgSource(m_name);
    if (svg.isEmpty())
        return;
    svg.replace("currentColor", colour.name().toLatin1());
    QSvgRenderer renderer(svg);
    const int side = std::min(rect.width(), rect.height());
    QRectF square(0, 0, side, side);
    square.moveCenter(QRectF(rect).center());
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    renderer.render(painter, square);
    painter->restore();
}

QPixmap SvgIconEngine::pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) {
    QPixmap pixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, QRect(QPoint(0, 0), size), mode, state);
    return pixmap;
}

QPixmap SvgIconEngine::scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) {
    Q_UNUSED(scale); // `size` is in device pixels already
    return pixmap(size, mode, state);
}

QIconEngine* SvgIconEngine::clone() const {
    return new SvgIconEngine(m_name, m_colours);
}

} // namespace rankscope::ui
