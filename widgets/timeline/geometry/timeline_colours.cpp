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
    0xff8250b4, // data wait, replaced by the palette's
    0xffddcc77, // to device
    0xff999933, // preprocess
    0xff44aa99, // augment
    0xffb7c9a8, // forward
    0xff2f3338, // loss
    0xff117733, // backward
    0xff882255, // optimizer
    0xffb98a94, // validate
    0xff663300, // checkpoint
    0xffadb2b7, // barrier
};

QColor TimelineColours::of(Phase phase) const {
    const auto at = static_cast<std::size_t>(phase);
    return at < phases.size() ? phases[at] : phases[0];
}

/// Returns whether a phase is neither waiting nor waiting for data.
static bool isWork(std::size_t phase) {
    return phase != static_cast<std::size_t>(Phase::DataWait) && phase != static_cast<std::size_t>(Phase::Barrier);
}

std::array<float, TimelineColours::kKinds> TimelineColours::joined(const std::array<float, kKinds>& shares) const {
    if (!overview)
        return shares;
    std::array<float, kKinds> sums{};
    for (std::size_t p = 0; p < kKinds; ++p)
        sums[isWork(p) ? static_cast<std::size_t>(Phase::Forward) : p] += shares[p];
    return sums;
}

TimelineColours TimelineColours::ofTheme(double nsInView) {
    const Palette& palette = Theme::instance().palette();
    TimelineColours colours;
    colours.overview = nsInView >= kOverviewNs;
    for (std::size_t p = 0; p < colours.phases.size(); ++p) {
        const QColor light(kLight[p]);
        // the darkest ones would be hard to see on a dark background
        colours.phases[p] = palette.dark && light.lightnessF() < 0.35F ? blend(light, Qt::white, 0.32) : light;
    }
    colours.lane = blend(palette.panel, palette.raised, palette.dark ? 0.55 : 0.6);
    colours.phases[static_cast<std::size_t>(Phase::DataWait)] = palette.data;
    colours.transfer = palette.dark ? QColor(0xa1, 0x96, 0x8a) : QColor(0x85, 0x7a, 0x6c);
    colours.waiting = blend(palette.panel, palette.secondary, 0.08);
    colours.waitingHatch = palette.hatch();
    colours.unknownWait = blend(palette.panel, palette.secondary, 0.55);
    colours.longest = palette.text;
    colours.step = blend(palette.panel, palette.secondary, 0.35);
    if (colours.overview) {
        for (std::size_t p = 0; p < kKinds; ++p)
            if (isWork(p))
                colours.phases[p] = colours.step;
        colours.transfer = colours.step;
    }
    return colours;
}

} // namespace rankscope::ui
