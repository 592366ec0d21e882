// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/geometry/timeline_colours.h"

#include "widgets/theme/theme.h"

namespace rankscope::ui {

using telemetry::Phase;

static QColor lightColour(Phase phase) {
    switch (phase) {
    case Phase::Startup:
        return QColor(0xbb, 0xbb, 0xbb);
    case Phase::Rendezvous:
        return QColor(0x8a, 0x8f, 0x96);
    case Phase::DataWait:
        return QColor(0xcc, 0x66, 0x77);
    case Phase::ToDevice:
        return QColor(0xdd, 0xcc, 0x77);
    case Phase::Preprocess:
        return QColor(0x99, 0x99, 0x33);
    case Phase::Augment:
        return QColor(0x44, 0xaa, 0x99);
    case Phase::Forward:
        return QColor(0x88, 0xcc, 0xee);
    case Phase::Loss:
        return QColor(0x33, 0x22, 0x88);
    case Phase::Backward:
        return QColor(0x11, 0x77, 0x33);
    case Phase::Optimizer:
        return QColor(0x88, 0x22, 0x55);
    case Phase::Validate:
        return QColor(0xaa, 0x44, 0x99);
    case Phase::Checkpoint:
        return QColor(0x66, 0x33, 0x00);
    case Phase::Barrier:
        return QColor(0x66, 0x99, 0xcc);
    case Phase::None:
    case Phase::Count:
        break;
    }
    return QColor(0xd0, 0xd4, 0xd9);
}

QColor TimelineColours::of(Phase phase) const {
    const auto at = static_cast<std::size_t>(phase);
    return at < phases.size() ? phases[at] : phases[0];
}

TimelineColours TimelineColours::ofTheme() {
    const Palette& palette = Theme::instance().palette();
    TimelineColours colours;
    for (std::size_t p = 0; p < colours.phases.size(); ++p) {
        const QColor light = lightColour(static_cast<Phase>(p));
        // the darkest ones would sink into a dark ground
        colours.phases[p] = palette.dark && light.lightnessF() < 0.35F ? blend(light, Qt::white, 0.32) : light;
    }
    colours.lane = blend(palette.panel, palette.raised, palette.dark ? 0.55 : 0.6);
    colours.transfer = palette.dark ? QColor(0x6f, 0x8f, 0xb4) : QColor(0x5b, 0x7f, 0xa6);
    colours.waiting = blend(palette.panel, palette.waiting, palette.dark ? 0.28 : 0.25);
    colours.waitingHatch = palette.waiting;
    colours.unknownWait = blend(palette.panel, palette.secondary, 0.55);
    colours.step = blend(palette.panel, palette.secondary, 0.35);
    return colours;
}

QColor textOn(const QColor& ground) {
    const float luminance = 0.299F * ground.redF() + 0.587F * ground.greenF() + 0.114F * ground.blueF();
    return luminance > 0.55F ? QColor(0x10, 0x14, 0x18) : QColor(0xff, 0xff, 0xff);
}

} // namespace rankscope::ui
