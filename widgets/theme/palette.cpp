// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/palette.h"

#include <QImage>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

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
    p.incident = QColor(0xc6, 0x2f, 0x10);
    p.data = QColor(0x82, 0x50, 0xb4);
    p.good = QColor(0x42, 0x70, 0x1a);
    p.dead = QColor(0xb3, 0x26, 0x1e);
    p.caution = QColor(0x88, 0x61, 0x00);
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
    p.dead = QColor(0xf5, 0x83, 0x8c); // the light theme's red is too dark to read on a dark panel
    p.incident = QColor(0xff, 0x7a, 0x45);
    p.data = QColor(0xb0, 0x8a, 0xdc);
    p.good = QColor(0x8c, 0xc2, 0x65);
    p.caution = QColor(0xe3, 0xb9, 0x41);
    return p;
}

QColor Palette::tinted(const QColor& tint) const {
    return blend(panel, tint, dark ? 0.20 : 0.12);
}

QColor Palette::selectedRow() const {
    return blend(panel, accent, dark ? 0.18 : 0.13);
}

QColor Palette::hoveredLink() const {
    return blend(raised, accent, 0.06);
}

QColor Palette::waitShade(double share) const {
    return blend(panel, secondary, 0.08 + 0.77 * share);
}

QColor Palette::hatch() const {
    return blend(panel, secondary, 0.5);
}

QColor Palette::searchHit() const {
    return blend(panel, caution, 0.35);
}

QColor Palette::tileHatch() const {
    return blend(panel, secondary, 0.16);
}

QColor blend(const QColor& base, const QColor& top, double share) {
    const auto mix = [share](float a, float b) { return static_cast<float>(a + (b - a) * share); };
    return QColor::fromRgbF(mix(base.redF(), top.redF()), mix(base.greenF(), top.greenF()),
                            mix(base.blueF(), top.blueF()));
}

static double luminance(const QColor& c) {
    const auto linear = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

double contrast(const QColor& a, const QColor& b) {
    const double first = luminance(a), second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

QColor textOn(const QColor& ground) {
    return contrast(Qt::black, ground) >= contrast(Qt::white, ground) ? Qt::black : Qt::white;
}

QBrush hatchBrush(const QColor& lines, const QColor& ground) {
    QImage tile(kHatchApart, kHatchApart, QImage::Format_ARGB32);
    tile.fill(ground.rgba());
    for (int y = 0; y < kHatchApart; ++y)
        tile.setPixel((kHatchApart - y) % kHatchApart, y, lines.rgba());
    return QBrush(tile);
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
    const QColor faint = blend(c.window, c.secondary, 0.75);
    for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        q.setColor(QPalette::Disabled, role, faint);
    q.setColor(QPalette::Disabled, QPalette::Base, c.window);
    q.setColor(QPalette::Inactive, QPalette::Highlight, blend(c.panel, c.secondary, 0.18));
    return q;
}

} // namespace rankscope::ui
