// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/curves/compare_loader.h"

#include "core/launch/run/run_folder.h"

namespace rankscope::ui {

CompareLoader::CompareLoader(QObject* parent) : QObject(parent), m_worker(new QObject) {
    m_thread.setObjectName(QStringLiteral("compare"));
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.start();
}

CompareLoader::~CompareLoader() {
    cancel();
    m_thread.quit();
    m_thread.wait(); // soon: what is under way looks whether it is still wanted
}

void CompareLoader::cancel() {
    ++m_newest;
    m_busy = false;
}

void CompareLoader::request(const QStringList& dirs, const CurveRequest& request) {
    const quint64 number = ++m_newest;
    m_busy = true;
    QMetaObject::invokeMethod(m_worker, [this, dirs, request, number] {
        const auto old = [this, number] { return number != m_newest; };
        auto reply = std::make_shared<CompareReply>();
        reply->request = request;
        reply->dirs = dirs;
        for (const QString& dir : dirs) {
            if (old())
                return;
            reply->curves.push_back(readCurve(launch::RunPaths{dir.toStdString()}.store(), request, kMaxPoints, old));
        }
        QMetaObject::invokeMethod(this, [this, old, reply] {
            if (old())
                return;
            m_busy = false;
            emit loaded(reply);
        });
    });
}

} // namespace rankscope::ui
