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

/// Draws an SVG of resources/icons in the colours that `colours`, which must outlive it, holds at that moment: icons
/// follow a change of theme by themselves.
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

/// The desktop's own font when it names one; a bare X server or none says only "Sans".
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
    font.setFeature("tnum", 1); // figures keep their columns
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

Palette lightPalette() {
    Palette p;
    p.dark = false;
    p.window = QColor(0xf6, 0xf7, 0xf9);
    p.panel = QColor(0xff, 0xff, 0xff);
    p.raised = QColor(0xee, 0xf0, 0xf3);
    p.text = QColor(0x1b, 0x1f, 0x24);
    p.secondary = QColor(0x5b, 0x65, 0x70);
    p.hairline = QColor(0xd8, 0xdd, 0xe3);
    p.accent = QColor(0x0a, 0x66, 0xc2);
    p.computing = QColor(0x00, 0x9e, 0x73);
    p.waiting = QColor(0xe6, 0x9f, 0x00);
    p.holder = QColor(0xd5, 0x5e, 0x00);
    p.stopped = QColor(0xcc, 0x79, 0xa7);
    p.dead = QColor(0xb3, 0x26, 0x1e);
    p.danger = QColor(0xc2, 0x41, 0x0c);
    p.caution = QColor(0x8a, 0x63, 0x00);
    return p;
}

Palette darkPalette() {
    Palette p = lightPalette();
    p.dark = true;
    p.window = QColor(0x16, 0x18, 0x1d);
    p.panel = QColor(0x1d, 0x20, 0x26);
    p.raised = QColor(0x26, 0x2a, 0x32);
    p.text = QColor(0xe6, 0xe9, 0xee);
    p.secondary = QColor(0x9a, 0xa4, 0xb0);
    p.hairline = QColor(0x34, 0x3a, 0x44);
    p.accent = QColor(0x5a, 0xa9, 0xff);
    p.dead = QColor(0xe5, 0x5a, 0x50); // the light theme's red is too dark to read on a dark panel
    p.danger = QColor(0xff, 0x8a, 0x50);
    p.caution = QColor(0xe3, 0xb9, 0x41);
    return p;
}

QColor blend(const QColor& base, const QColor& top, double share) {
    const auto mix = [share](float a, float b) { return static_cast<float>(a + (b - a) * share); };
    return QColor::fromRgbF(mix(base.redF(), top.redF()), mix(base.greenF(), top.greenF()),
                            mix(base.blueF(), top.blueF()));
}

QPalette toQPalette(const Palette& c) {
    QPalette q;
    q.setColor(QPalette::Window, c.window);
    q.setColor(QPalette::WindowText, c.text);
    q.setColor(QPalette::Base, c.panel);
    q.setColor(QPalette::AlternateBase, blend(c.panel, c.raised, 0.5));
    q.setColor(QPalette::Text, c.text);
    q.setColor(QPalette::PlaceholderText, c.secondary); // secondary text too: fainter is hard to read
    q.setColor(QPalette::Button, c.raised);
    q.setColor(QPalette::ButtonText, c.text);
    q.setColor(QPalette::BrightText, c.dead);
    q.setColor(QPalette::ToolTipBase, c.raised);
    q.setColor(QPalette::ToolTipText, c.text);
    q.setColor(QPalette::Light, blend(c.raised, Qt::white, c.dark ? 0.06 : 0.6));
    q.setColor(QPalette::Midlight, c.raised);
    q.setColor(QPalette::Mid, c.hairline);
    q.setColor(QPalette::Dark, blend(c.hairline, c.secondary, 0.5));
    q.setColor(QPalette::Shadow, c.dark ? QColor(Qt::black) : c.secondary);
    q.setColor(QPalette::Link, c.accent);
    q.setColor(QPalette::LinkVisited, c.accent);
    const QColor selection = blend(c.panel, c.accent, c.dark ? 0.32 : 0.18);
    q.setColor(QPalette::Highlight, selection);
    q.setColor(QPalette::HighlightedText, c.text);
    const QColor faint = blend(c.window, c.secondary, 0.6);
    for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        q.setColor(QPalette::Disabled, role, faint);
    q.setColor(QPalette::Disabled, QPalette::Base, c.window);
    q.setColor(QPalette::Inactive, QPalette::Highlight, blend(c.panel, c.secondary, 0.18));
    return q;
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
    // Okabe and Ito's colours; black and yellow are exchanged or darkened where the background would swallow them
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
