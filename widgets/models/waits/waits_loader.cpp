// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/waits/waits_loader.h"

#include "core/base/values/result.h"
#include "core/store/read/run_reader.h"
#include "widgets/models/text/text_format.h"

namespace rankscope::ui {

static Result<store::WaitReport> explain(const WaitsRequest& request, const std::function<bool()>& cancelled) {
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(request.store));
    store::StepInterval steps{request.from, request.to};
    if (request.byTime) {
        RS_TRY_ASSIGN(steps, reader.stepsBetween(request.from, request.to));
    }
    return reader.explainWaits(steps, cancelled);
}

WaitsLoader::WaitsLoader(QObject* parent) : QObject(parent), m_worker(new QObject) {
    m_thread.setObjectName(QStringLiteral("explain-waits"));
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.start();
    m_delay.setSingleShot(true);
    connect(&m_delay, &QTimer::timeout, this, &WaitsLoader::send);
}

WaitsLoader::~WaitsLoader() {
    cancel();
    m_thread.quit();
    m_thread.wait(); // soon: what is under way looks whether it is still wanted
}

void WaitsLoader::request(const WaitsRequest& request, int delayMs) {
    m_next = request;
    ++m_newest;
    m_busy = true;
    m_delay.start(delayMs);
}

void WaitsLoader::cancel() {
    ++m_newest;
    m_delay.stop();
    m_busy = false;
}

void WaitsLoader::send() {
    QMetaObject::invokeMethod(m_worker, [this, request = m_next, number = m_newest.load()] {
        const auto old = [this, number] { return number != m_newest; };
        if (old())
            return;
        auto reply = std::make_shared<WaitsReply>();
        reply->request = request;
        auto report = explain(request, old);
        if (report)
            reply->report = std::move(*report);
        else
            reply->error = toQString(report.error().message());
        QMetaObject::invokeMethod(this, [this, old, reply] {
            if (old())
                return;
            m_busy = false;
            emit explained(reply);
        });
    });
}

} // namespace rankscope::ui
