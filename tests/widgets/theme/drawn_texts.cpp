// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/theme/drawn_texts.h"

#include "widgets/theme/palette.h"

#include <QFontInfo>
#include <QHash>
#include <QPaintEngine>
#include <QPainter>
#include <QRegion>
#include <qcustomplot.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace rankscope::test {

namespace {

constexpr int kLeastShare = 8; ///< a ground covers at least one part of so many; every fifth pixel of a hatch is a line
constexpr int kLeastWidth = 10; ///< in a narrower box the edge of a letter would cover as much

/// Keeps the texts that are drawn and draws nothing.
class TextEngine final : public QPaintEngine {
public:
    explicit TextEngine(QRegion visible) : QPaintEngine(AllFeatures), m_visible(std::move(visible)) {}

    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    void updateState(const QPaintEngineState&) override {} // the painter is asked instead
    Type type() const override { return User; }
    void drawPath(const QPainterPath&) override {}
    using QPaintEngine::drawPolygon;
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
    void drawTiledPixmap(const QRectF&, const QPixmap&, const QPointF&) override {}
    void drawImage(const QRectF&, const QImage&, const QRectF&, Qt::ImageConversionFlags) override {}

    void drawTextItem(const QPointF& at, const QTextItem& item) override {
        if (item.text().trimmed().isEmpty())
            return;
        const QRectF line(at.x(), at.y() - item.ascent(), item.width(), item.ascent() + item.descent());
        const QRect whole = painter()->deviceTransform().mapRect(line).toRect();
        QRegion seen = m_visible & whole;
        if (painter()->hasClipping())
            seen &= painter()->deviceTransform().map(painter()->clipRegion());
        const QRect box = seen.boundingRect();
        if (box.height() * 2 < whole.height()) // mostly hidden, as in a row at the edge
            return;
        QColor colour = painter()->pen().color();
        colour.setAlphaF(colour.alphaF() * static_cast<float>(painter()->opacity()));
        m_texts << DrawnText{item.text(), item.font(), colour, box};
    }

    const QList<DrawnText>& texts() const { return m_texts; }

private:
    QRegion m_visible;
    QList<DrawnText> m_texts;
};

/// An image in name only: its painter draws with a TextEngine. An image has the resolution of the screen.
class TextRecorder final : public QImage {
public:
    explicit TextRecorder(const QWidget& widget)
        : QImage(widget.size(), QImage::Format_RGB32), m_engine(widget.visibleRegion()) {
        setDotsPerMeterX(qRound(widget.logicalDpiX() / 0.0254));
        setDotsPerMeterY(qRound(widget.logicalDpiY() / 0.0254));
    }
    QPaintEngine* paintEngine() const override { return &m_engine; }
    const QList<DrawnText>& texts() const { return m_engine.texts(); }

private:
    mutable TextEngine m_engine;
};

bool isAlike(const QColor& a, const QColor& b) {
    return std::max({std::abs(a.red() - b.red()), std::abs(a.green() - b.green()), std::abs(a.blue() - b.blue())}) <= 3;
}

} // namespace

QList<DrawnText> drawnTexts(QWidget& widget) {
    const QRegion visible = widget.visibleRegion();
    if (visible.isEmpty())
        return {};
    TextRecorder recorder(widget);
    widget.render(&recorder, visible.boundingRect().topLeft(), visible, QWidget::RenderFlags());
    if (auto* plot = qobject_cast<QCustomPlot*>(&widget)) { // its paint event only copies a picture
        QCPPainter painter(&recorder);
        plot->toPainter(&painter, plot->width(), plot->height());
    }
    return recorder.texts();
}

QList<QColor> groundsOf(const DrawnText& drawn, const QImage& picture) {
    QHash<QRgb, int> counts;
    const QRect box = drawn.box & picture.rect();
    for (int y = box.top(); y <= box.bottom(); ++y)
        for (int x = box.left(); x <= box.right(); ++x)
            ++counts[picture.pixel(x, y)];
    if (counts.isEmpty())
        return {};
    const auto most = std::max_element(counts.cbegin(), counts.cend());
    const QColor usual(most.key()), ink = inkOn(drawn, usual);
    if (box.width() < kLeastWidth)
        return {usual};
    QList<QColor> grounds;
    for (auto one = counts.cbegin(); one != counts.cend(); ++one)
        if (one.value() * kLeastShare >= box.width() * box.height() && !isAlike(QColor(one.key()), ink))
            grounds << QColor(one.key());
    return grounds.isEmpty() ? QList<QColor>{usual} : grounds; // a text that cannot be seen is like its ground
}

QColor inkOn(const DrawnText& drawn, const QColor& ground) {
    return ui::blend(ground, drawn.colour, static_cast<double>(drawn.colour.alphaF()));
}

bool isLarge(const QFont& font) {
    const int pixels = QFontInfo(font).pixelSize();
    return pixels >= 24 || (pixels >= 19 && font.weight() >= QFont::Bold);
}

} // namespace rankscope::test
