// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/curves/step_batch_loader.h"

#include "widgets/models/text/text_format.h"

namespace rankscope::ui {

BatchLoader::BatchLoader(QObject* parent) : QObject(parent), m_worker(new QObject) {
    m_thread.setObjectName(QStringLiteral("step-batch"));
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.start();
}

BatchLoader::~BatchLoader() {
    cancel();
    m_thread.quit();
    m_thread.wait(); // soon: what is under way looks whether it is still wanted
}

void BatchLoader::cancel() {
    ++m_newest;
}

void BatchLoader::request(const BatchRequest& request) {
    QMetaObject::invokeMethod(m_worker, [this, request, number = ++m_newest] {
        const auto old = [this, number] { return number != m_newest; };
        if (old())
            return;
        auto found = launch::batchOfStep(request.run, request.step, request.rank, old);
        auto reply = std::make_shared<BatchReply>();
        reply->request = request;
        if (found)
            reply->batch = std::move(*found);
        else
            reply->problem = toQString(found.error().message());
        QMetaObject::invokeMethod(this, [this, old, reply] {
            if (!old())
                emit read(reply);
        });
    });
}

} // namespace rankscope::ui
