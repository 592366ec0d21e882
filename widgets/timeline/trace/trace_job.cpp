// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/trace/trace_job.h"

#include "core/base/values/result.h"
#include "core/exchange/perfetto/trace_export.h"
#include "widgets/models/text/text_format.h"

namespace rankscope::ui {

static Result<void> writeTrace(const std::filesystem::path& store, const QString& file, std::int64_t fromNs,
                               std::int64_t toNs, const exchange::TraceWatch& watch) {
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(store));
    RS_TRY_ASSIGN(const auto steps, reader.stepsBetween(fromNs, toNs));
    exchange::Selection selection;
    selection.steps = steps;
    if (fromNs <= 0)
        selection.steps.first = -1; // includes the time before the first step
    if (selection.steps.count() == 0)
        return fail(Errc::NotFound, "there is no step in this part of the run");
    RS_TRY(exchange::exportTrace(reader, file.toStdString(), selection, watch));
    return {};
}

TraceJob::TraceJob(QObject* parent) : QObject(parent), m_worker(new QObject) {
    m_thread.setObjectName(QStringLiteral("trace-export"));
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.start();
}

TraceJob::~TraceJob() {
    cancel();
    m_thread.quit();
    m_thread.wait();
}

bool TraceJob::start(const std::filesystem::path& store, const QString& file, std::int64_t fromNs, std::int64_t toNs) {
    if (m_running)
        return false;
    m_running = true;
    m_cancelled = false;
    QMetaObject::invokeMethod(m_worker, [this, store, file, fromNs, toNs] {
        const auto written = writeTrace(store, file, fromNs, toNs, [this](std::int64_t events) {
            QMetaObject::invokeMethod(this, [this, events] { emit progress(events); });
            return !m_cancelled;
        });
        const QString problem = written ? QString() : toQString(written.error().message());
        const bool cancelled = !written && m_cancelled;
        QMetaObject::invokeMethod(this, [this, file, problem, cancelled] {
            m_running = false;
            emit finished(file, problem, cancelled);
        });
    });
    return true;
}

} // namespace rankscope::ui
