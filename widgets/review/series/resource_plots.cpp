// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/series/resource_plots.h"

#include "widgets/review/series/plot_series.h"
#include "widgets/review/series/shared_axis_controller.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {
constexpr double kBeside = 0.25;             ///< share of the window read on either side
constexpr int kMostResourcePoints = 150'000; ///< over all ranks and plots of one answer
} // namespace

ResourcePlots::ResourcePlots(const SharedAxisController& controller, QObject* parent)
    : QObject(parent), m_controller(controller) {
    connect(&m_loader, &ResourceLoader::read, this, &ResourcePlots::take);
}

void ResourcePlots::setStore(const std::filesystem::path& store) {
    m_store = store;
    clear();
}

void ResourcePlots::clear() {
    m_loader.cancel();
    m_reply.reset();
    for (auto& [plot, resource] : m_plots)
        plot->setSeries({});
}

void ResourcePlots::ask(int ranks, int pixels) {
    if (m_plots.empty() || m_store.empty())
        return;
    ResourceRequest request;
    request.store = m_store;
    for (const auto& [plot, resource] : m_plots)
        request.resources.push_back(resource);
    request.ranks = ranks;
    const PlotRange seen = m_controller.secondsOfWindow();
    const double beside = seen.width() * kBeside;
    request.fromNs = static_cast<std::int64_t>((seen.lo - beside) * 1e9);
    request.toNs = static_cast<std::int64_t>((seen.hi + beside) * 1e9);
    const auto curves = static_cast<int>(m_plots.size()) * std::max(1, ranks);
    request.maxPoints = std::clamp(kMostResourcePoints / curves, 50, std::max(50, 2 * pixels));
    m_loader.request(request);
}

void ResourcePlots::take(const ResourceReplyPtr& reply) {
    if (!reply->error.isEmpty())
        emit failed(reply->error);
    m_reply = reply;
    place();
}

void ResourcePlots::place() {
    if (!m_reply)
        return;
    const auto& asked = m_reply->request.resources;
    for (auto& [plot, resource] : m_plots) {
        const auto at = std::find(asked.begin(), asked.end(), resource) - asked.begin();
        if (static_cast<std::size_t>(at) >= m_reply->series.size())
            continue; // added meanwhile, or the store could not be opened
        const auto& series = m_reply->series[static_cast<std::size_t>(at)];
        std::vector<Samples> ranks;
        for (const auto& points : series.ranks)
            ranks.push_back(placed(points, resource));
        ranks.resize(std::max<std::size_t>(1, ranks.size())); // counts as read, even if there is nothing
        plot->setNothingText(nothingText(series));
        plot->setSeries(std::move(ranks));
    }
}

Samples ResourcePlots::placed(const std::vector<store::SeriesPoint>& points, store::Resource resource) const {
    const double scale = PlotSeries::scaleOf(resource);
    Samples samples;
    samples.reserve(points.size());
    for (const auto& p : points) {
        Sample s;
        s.timeNs = p.beginNs + (p.endNs - p.beginNs) / 2;
        s.x = m_controller.placeOfTime(s.timeNs);
        s.min = p.min * scale;
        s.mean = p.mean * scale;
        s.max = p.max * scale;
        s.count = std::isfinite(s.mean) ? p.count : 0;
        s.firstStep = m_controller.stepAtTime(p.beginNs);
        s.lastStep = std::max(s.firstStep, m_controller.stepAtTime(p.endNs));
        samples.push_back(s);
    }
    return samples;
}

QString ResourcePlots::nothingText(const ResourceReply::ResourceSeries& series) {
    return series.isRecorded ? tr("Nothing was measured in this view") : tr("Not recorded in this run");
}

} // namespace rankscope::ui
