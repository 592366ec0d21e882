// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/theme.h"

#include "widgets/theme/flat_style.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QHash>
#include <QIconEngine>
#include <QPainter>
#include <QPixmap>
#include <QStyleHints>
#include <QSvgRenderer>
#include <QToolTip>

#include <algorithm>
#include <utility>

// outside any namespace: the macro declares a global function
static void initResources() {
    Q_INIT_RESOURCE(rankscope);
}

namespace rankscope::ui {

namespace {

const QByteArray& svgSource(const QString& name) {
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

/// Draws an SVG of resources/icons in the current values of `colours`, which must outlive it, so that icons follow a
/// change of theme automatically.
class SvgIconEngine final : public QIconEngine {
public:
    SvgIconEngine(QString name, const Palette& colours) : m_name(std::move(name)), m_colours(colours) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        const QColor colour =
            mode == QIcon::Disabled ? blend(m_colours.window, m_colours.secondary, 0.5) : m_colours.text;
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

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        return pixmap;
    }

    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal) override {
        return pixmap(size, mode, state); // `size` is in device pixels already
    }

    QIconEngine* clone() const override { return new SvgIconEngine(m_name, m_colours); }
    bool isNull() override { return svgSource(m_name).isEmpty(); }

private:
    QString m_name;
    const Palette& m_colours;
};

} // namespace

static void addKnown(QStringList& list, const QStringList& wanted) {
    for (const QString& family : wanted)
        if (QFontDatabase::hasFamily(family) && !list.contains(family))
            list << family;
}

/// Returns the desktop's font families if it names one; a bare X server, or none, reports only "Sans".
static QStringList sansFamilies() {
    QStringList list;
    const QString desktop = QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
    static const QStringList generic{QStringLiteral("Sans Serif"), QStringLiteral("Sans"), QStringLiteral("sans-serif"),
                                     QStringLiteral("DejaVu Sans"), QString()};
    if (!generic.contains(desktop))
        addKnown(list, {desktop});
    addKnown(list, {QStringLiteral("Inter"), QStringLiteral("Noto Sans"), QStringLiteral("Cantarell"),
                    QStringLiteral("Ubuntu"), QStringLiteral("Open Sans"), QStringLiteral("Noto Sans CJK SC"),
                    QStringLiteral("Source Han Sans SC"), QStringLiteral("WenQuanYi Micro Hei"),
                    QStringLiteral("Droid Sans Fallback"), QStringLiteral("DejaVu Sans")});
    if (list.isEmpty())
        list << desktop;
    return list;
}

static QFont sans(double points, QFont::Weight weight = QFont::Normal) {
    static const QStringList families = sansFamilies();
    QFont font;
    font.setFamilies(families);
    font.setPointSizeF(points);
    font.setWeight(weight);
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
    font.setFeature("tnum", 1); // digits of equal width keep figures in columns
#endif
    return font;
}

QFont bodyFont() {
    return sans(10);
}

QFont secondaryFont() {
    return sans(9);
}

QFont titleFont() {
    return sans(13, QFont::DemiBold);
}

QFont headingFont() {
    return sans(10, QFont::DemiBold);
}

QFont monoFont(double points) {
    static const QStringList families = [] {
        QStringList list;
        addKnown(list, {QStringLiteral("JetBrains Mono"), QStringLiteral("Source Code Pro"),
                        QStringLiteral("Noto Sans Mono"), QStringLiteral("DejaVu Sans Mono"),
                        QStringLiteral("Liberation Mono"), QStringLiteral("Noto Sans Mono CJK SC"),
                        QStringLiteral("Noto Sans CJK SC"), QStringLiteral("WenQuanYi Micro Hei Mono")});
        if (list.isEmpty())
            list << QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
        return list;
    }();
    QFont font;
    font.setFamilies(families);
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    font.setPointSizeF(points);
    return font;
}

Theme::Theme() {
    initResources();
    m_platformWasDark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    QObject::connect(QGuiApplication::styleHints(), &QStyleHints::colorSchemeChanged, this, [this] {
        if (m_mode == Mode::System)
            apply(m_mode);
    });
#endif
}

Theme& Theme::instance() {
    static Theme theme;
    return theme;
}

bool Theme::systemIsDark() const {
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    switch (QGuiApplication::styleHints()->colorScheme()) {
    case Qt::ColorScheme::Dark:
        return true;
    case Qt::ColorScheme::Light:
        return false;
    case Qt::ColorScheme::Unknown:
        break;
    }
#endif
    return m_platformWasDark;
}

void Theme::apply(Mode mode) {
    m_mode = mode;
    const bool dark = mode == Mode::Dark || (mode == Mode::System && systemIsDark());
    m_palette = dark ? darkPalette() : lightPalette();
    if (!qobject_cast<FlatStyle*>(QApplication::style()))
        QApplication::setStyle(new FlatStyle(m_palette));
    QApplication::setPalette(toQPalette(m_palette));
    QApplication::setFont(bodyFont());
    QToolTip::setFont(secondaryFont());
    QToolTip::setPalette(toQPalette(m_palette));
    emit changed();
}

QPen Theme::rankPen(int rank) const {
    // Okabe and Ito's colours; black and yellow are replaced or darkened if the background would hide them
    static const QColor colours[8] = {QColor(0x00, 0x72, 0xb2), QColor(0xe6, 0x9f, 0x00), QColor(0x00, 0x9e, 0x73),
                                      QColor(0xd5, 0x5e, 0x00), QColor(0xcc, 0x79, 0xa7), QColor(0x56, 0xb4, 0xe9),
                                      QColor(0xf0, 0xe4, 0x42), QColor(0x00, 0x00, 0x00)};
    const int slot = ((rank % 8) + 8) % 8;
    QColor colour = colours[slot];
    if (slot == 0 && m_palette.dark)
        colour = QColor(0x3d, 0x9b, 0xd6);
    else if (slot == 6 && !m_palette.dark)
        colour = QColor(0xb8, 0xa8, 0x00);
    else if (slot == 7)
        colour = m_palette.text;
    QPen pen(colour, 1.5);
    pen.setJoinStyle(Qt::RoundJoin);
    pen.setCapStyle(Qt::FlatCap);
    if (rank >= 5) {
        static const QList<qreal> dashes[3] = {{6, 3}, {2, 2}, {6, 2, 2, 2}};
        pen.setDashPattern(dashes[(rank - 5) % 3]);
    }
    return pen;
}

QIcon Theme::icon(const QString& name) const {
    return QIcon(new SvgIconEngine(name, m_palette));
}

} // namespace rankscope::ui
