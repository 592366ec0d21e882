// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/series/tag_plots.h"

#include "widgets/review/series/shared_axis_controller.h"

#include <algorithm>

namespace rankscope::ui {

static constexpr int kMostTagPoints = 150'000; ///< over all ranks and tags of one answer

TagPlots::TagPlots(const SharedAxisController& controller, PlotExtras& loader)
    : m_controller(controller), m_loader(loader) {
    connect(&loader, &PlotExtras::seriesRead, this, [this](const TagReplyPtr& reply) { take(*reply); });
}

void TagPlots::ask(const SeriesRequest& window, int ranks, int pixels) {
    if (m_plots.empty())
        return;
    TagRequest request;
    for (const auto& [plot, tag] : m_plots)
        request.tags.push_back(tag);
    request.ranks = ranks;
    request.axis = window.axis;
    const bool counted = window.axis == CurveAxis::SampleCount; // an import's series are recorded at steps
    const auto place = [&](std::int64_t x) {
        return counted ? static_cast<std::int64_t>(m_controller.stepOf(static_cast<double>(x))) : x;
    };
    request.from = std::max<std::int64_t>(0, place(window.from));
    request.to = place(window.to) + counted;
    const auto series = static_cast<int>(request.tags.size()) * std::max(1, ranks);
    request.maxPoints = std::clamp(kMostTagPoints / series, 50, std::max(50, pixels));
    m_loader.requestSeries(request);
}

void TagPlots::take(const TagReply& reply) {
    if (!reply.error.isEmpty())
        emit failed(reply.error);
    if (reply.request.axis != m_controller.axis())
        return;
    for (std::size_t t = 0; t < reply.points.size(); ++t)
        for (const auto& [plot, tag] : m_plots) {
            if (tag != reply.request.tags[t])
                continue;
            std::vector<Samples> ranks;
            for (const auto& points : reply.points[t])
                ranks.push_back(samplesFrom(points, reply.request.axis, 1, m_controller.samples()));
            plot->setSeries(std::move(ranks));
        }
}

} // namespace rankscope::ui
