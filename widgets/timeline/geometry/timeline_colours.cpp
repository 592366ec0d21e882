// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/geometry/timeline_colours.h"

#include "widgets/theme/theme.h"

namespace rankscope::ui {

using telemetry::Phase;

/// Colours on a light background, in the order of Phase.
static constexpr std::array<QRgb, static_cast<std::size_t>(Phase::Count)> kLight{
    0xffd0d4d9, // none
    0xffbbbbbb, // startup
    0xff8a8f96, // rendezvous
    0xffcc6677, // data wait
    0xffddcc77, // to device
    0xff999933, // preprocess
    0xff44aa99, // augment
    0xff88ccee, // forward
    0xff332288, // loss
    0xff117733, // backward
    0xff882255, // optimizer
    0xffaa4499, // validate
    0xff663300, // checkpoint
    0xff6699cc, // barrier
};

QColor TimelineColours::of(Phase phase) const {
    const auto at = static_cast<std::size_t>(phase);
    return at < phases.size() ? phases[at] : phases[0];
}

TimelineColours TimelineColours::ofTheme() {
    const Palette& palette = Theme::instance().palette();
    TimelineColours colours;
    for (std::size_t p = 0; p < colours.phases.size(); ++p) {
        const QColor light(kLight[p]);
        // the darkest ones would be hard to see on a dark background
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
