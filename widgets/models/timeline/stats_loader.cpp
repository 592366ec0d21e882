// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/timeline/stats_loader.h"

#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "widgets/models/text/text_format.h"

namespace rankscope::ui {

static constexpr std::int64_t kProgressNs = 50'000'000;

static Result<TimelineStats> openAndRead(const StatsRequest& request, const std::function<bool(double)>& progress) {
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(request.store));
    return readStats(reader, request, progress);
}

StatsLoader::StatsLoader(QObject* parent) : QObject(parent), m_worker(new QObject) {
    m_thread.setObjectName(QStringLiteral("timeline-stats"));
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.start();
    m_delay.setSingleShot(true);
    connect(&m_delay, &QTimer::timeout, this, &StatsLoader::send);
}

StatsLoader::~StatsLoader() {
    cancel();
    m_thread.quit();
    m_thread.wait(); // soon: what is under way looks whether it is still wanted
}

void StatsLoader::request(const StatsRequest& request, int delayMs) {
    m_next = request;
    ++m_newest;
    m_busy = true;
    m_delay.start(delayMs);
}

void StatsLoader::cancel() {
    ++m_newest;
    m_delay.stop();
    m_busy = false;
}

void StatsLoader::send() {
    QMetaObject::invokeMethod(m_worker, [this, request = m_next, number = m_newest.load()] {
        const auto old = [this, number] { return number != m_newest; };
        if (old())
            return;
        std::int64_t told = monotonicNs();
        auto got = openAndRead(request, [&](double share) {
            if (const std::int64_t now = monotonicNs(); now - told > kProgressNs) {
                told = now;
                QMetaObject::invokeMethod(this, [this, old, share] {
                    if (!old())
                        emit progress(share);
                });
            }
            return !old();
        });
        auto stats = std::make_shared<TimelineStats>();
        if (got) {
            *stats = std::move(*got);
        } else {
            stats->request = request;
            stats->error = toQString(got.error().message());
        }
        QMetaObject::invokeMethod(this, [this, old, stats] {
            if (old())
                return;
            m_busy = false;
            emit read(stats);
        });
    });
}

} // namespace rankscope::ui
