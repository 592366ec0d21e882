// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/curves/resource_loader.h"

#include "core/base/values/result.h"
#include "widgets/models/text/text_format.h"

#include <QElapsedTimer>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

static constexpr qint64 kLongestPauseMs = 2000;

static Result<ResourceReply::ResourceSeries> readResource(store::ResourceReader& reader, store::Resource resource,
                                                          const ResourceRequest& request,
                                                          const std::function<bool()>& isOld) {
    ResourceReply::ResourceSeries series;
    bool any = false;
    for (int rank = 0; rank < request.ranks && !isOld(); ++rank) {
        RS_TRY_ASSIGN(auto points, reader.series(resource, rank, request.fromNs, request.toNs, request.maxPoints));
        any = any || !points.empty();
        series.ranks.push_back(std::move(points));
    }
    if (any)
        return series;
    RS_TRY_ASSIGN(const auto recorded, reader.isRecorded(resource));
    series.isRecorded = recorded;
    return series;
}

static void readEach(ResourceReply& reply, const std::function<bool()>& isOld) {
    auto reader = store::ResourceReader::open(reply.request.store);
    if (!reader) {
        reply.error = toQString(reader.error().message());
        return;
    }
    for (const auto resource : reply.request.resources) {
        auto series = readResource(*reader, resource, reply.request, isOld);
        if (!series)
            reply.error = toQString(series.error().message());
        reply.series.push_back(series ? std::move(*series) : ResourceReply::ResourceSeries{});
    }
}

static ResourceReplyPtr readResources(const ResourceRequest& request, const std::function<bool()>& isOld) {
    QElapsedTimer clock;
    clock.start();
    auto reply = std::make_shared<ResourceReply>();
    reply->request = request;
    readEach(*reply, isOld);
    reply->tookMs = clock.elapsed();
    return reply;
}

ResourceLoader::ResourceLoader(QObject* parent) : QObject(parent) {
    m_pause.setSingleShot(true);
    connect(&m_pause, &QTimer::timeout, this, &ResourceLoader::send);
}

void ResourceLoader::request(const ResourceRequest& request) {
    m_next = request;
    if (!m_task.isBusy() && !m_pause.isActive())
        send();
}

void ResourceLoader::cancel() {
    m_task.cancel();
    m_pause.stop();
    m_next.reset();
}

void ResourceLoader::send() {
    if (!m_next)
        return;
    m_task.ask(
        [request = *std::exchange(m_next, std::nullopt)](const auto& isOld) { return readResources(request, isOld); },
        [this](const ResourceReplyPtr& reply) {
            m_pause.start(static_cast<int>(std::min(2 * reply->tookMs, kLongestPauseMs)));
            emit read(reply);
        });
}

} // namespace rankscope::ui
