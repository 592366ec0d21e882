// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/curves/resource_loader.h"

#include "core/base/values/result.h"
#include "widgets/models/text/text_format.h"

#include <QElapsedTimer>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

static constexpr qint64 kLongestPauseMs = 2000;

static Result<ResourceReply::Series> readResource(store::ResourceReader& reader, store::Resource resource,
                                                  const ResourceRequest& request, const std::function<bool()>& isOld) {
    ResourceReply::Series series;
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

static void readResources(ResourceReply& reply, const std::function<bool()>& isOld) {
    auto reader = store::ResourceReader::open(reply.request.store);
    if (!reader) {
        reply.error = toQString(reader.error().message());
        return;
    }
    for (const auto resource : reply.request.resources) {
        auto series = readResource(*reader, resource, reply.request, isOld);
        if (!series)
            reply.error = toQString(series.error().message());
        reply.series.push_back(series ? std::move(*series) : ResourceReply::Series{});
    }
}

ResourceLoader::ResourceLoader(QObject* parent) : QObject(parent), m_worker(new QObject) {
    m_thread.setObjectName(QStringLiteral("resources"));
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_pause.setSingleShot(true);
    connect(&m_pause, &QTimer::timeout, this, &ResourceLoader::send);
}

ResourceLoader::~ResourceLoader() {
    cancel();
    const bool began = m_thread.isRunning();
    m_thread.quit();
    m_thread.wait(); // soon: what is under way looks after each rank whether it is still wanted
    if (!began)
        delete m_worker;
}

void ResourceLoader::request(const ResourceRequest& request) {
    m_next = request;
    if (!m_underway && !m_pause.isActive())
        send();
}

void ResourceLoader::cancel() {
    ++m_number;
    m_pause.stop();
    m_next.reset();
    m_underway = false;
}

void ResourceLoader::send() {
    if (!m_next)
        return;
    if (!m_thread.isRunning())
        m_thread.start(); // with the first plot that needs it
    m_underway = true;
    QMetaObject::invokeMethod(m_worker,
                              [this, request = *std::exchange(m_next, std::nullopt), number = m_number.load()] {
                                  const auto isOld = [this, number] { return number != m_number; };
                                  if (isOld())
                                      return;
                                  QElapsedTimer clock;
                                  clock.start();
                                  auto reply = std::make_shared<ResourceReply>();
                                  reply->request = request;
                                  readResources(*reply, isOld);
                                  QMetaObject::invokeMethod(this, [this, isOld, reply, tookMs = clock.elapsed()] {
                                      if (!isOld())
                                          take(reply, tookMs);
                                  });
                              });
}

void ResourceLoader::take(const ResourceReplyPtr& reply, qint64 tookMs) {
    m_underway = false;
    m_pause.start(static_cast<int>(std::min(2 * tookMs, kLongestPauseMs)));
    emit read(reply);
}

} // namespace rankscope::ui
