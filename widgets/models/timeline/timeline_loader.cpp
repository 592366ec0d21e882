// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/timeline/timeline_loader.h"

#include "widgets/models/text/store_health_text.h"
#include "widgets/models/text/text_format.h"

namespace rankscope::ui {

TimelineLoader::TimelineLoader(QObject* parent) : QObject(parent), m_view(new Worker), m_look(new Worker) {
    m_viewThread.setObjectName(QStringLiteral("timeline"));
    m_lookThread.setObjectName(QStringLiteral("timeline-look"));
    m_view->moveToThread(&m_viewThread);
    m_look->moveToThread(&m_lookThread);
    connect(&m_viewThread, &QThread::finished, m_view, &QObject::deleteLater);
    connect(&m_lookThread, &QThread::finished, m_look, &QObject::deleteLater);
    m_viewThread.start();
    m_lookThread.start();
}

TimelineLoader::~TimelineLoader() {
    cancel();
    m_viewThread.quit();
    m_lookThread.quit();
    m_viewThread.wait(); // soon: what is under way looks whether it is still wanted
    m_lookThread.wait();
}

void TimelineLoader::cancel() {
    ++m_window;
    ++m_overview;
    ++m_detail;
    ++m_search;
    ++m_summary;
    m_searching = m_summarising = false;
}

void TimelineLoader::ask(const TimelineRequest& request, Number& newest,
                         void (TimelineLoader::*answer)(const TimelineReplyPtr&)) {
    const quint64 number = ++newest;
    ++m_busy;
    QMetaObject::invokeMethod(m_view, [this, request, number, &newest, answer] {
        const auto old = [&newest, number] { return number != newest; };
        auto reply = std::make_shared<TimelineReply>();
        if (!old()) {
            auto got = m_view->source.read(request, old);
            if (got) {
                *reply = std::move(*got);
            } else {
                reply->request = request;
                reply->error = storeErrorText(toQString(got.error().message()));
            }
        }
        QMetaObject::invokeMethod(this, [this, old, reply, answer] {
            --m_busy;
            if (!old())
                emit(this->*answer)(reply);
        });
    });
}

void TimelineLoader::request(const TimelineRequest& request) {
    ask(request, m_window, &TimelineLoader::read);
}

void TimelineLoader::requestOverview(const TimelineRequest& request) {
    ask(request, m_overview, &TimelineLoader::overviewRead);
}

void TimelineLoader::requestDetail(const std::filesystem::path& store, int rank, const TimelineSpan& span) {
    const quint64 number = ++m_detail;
    QMetaObject::invokeMethod(m_look, [this, store, rank, span, number] {
        if (number != m_detail)
            return;
        auto got = m_look->source.detail(store, rank, span);
        SpanDetail detail;
        if (got) {
            detail = std::move(*got);
        } else {
            detail.rank = rank;
            detail.span = span;
            detail.error = toQString(got.error().message());
        }
        QMetaObject::invokeMethod(this, [this, number, detail] {
            if (number == m_detail)
                emit detailRead(detail);
        });
    });
}

void TimelineLoader::requestSummary(const SummaryRequest& request) {
    const quint64 number = ++m_summary;
    m_summarising = true;
    QMetaObject::invokeMethod(m_view, [this, request, number] {
        const auto old = [this, number] { return number != m_summary; };
        if (old())
            return;
        auto got = m_view->source.summary(request, old);
        auto summary = std::make_shared<TimelineSummary>();
        if (got) {
            *summary = std::move(*got);
        } else {
            summary->request = request;
            summary->error = toQString(got.error().message());
        }
        QMetaObject::invokeMethod(this, [this, old, summary] {
            if (old())
                return;
            m_summarising = false;
            emit summaryRead(summary);
        });
    });
}

void TimelineLoader::search(const std::filesystem::path& store, const TimelineQuery& query) {
    const quint64 number = ++m_search;
    m_searching = true;
    QMetaObject::invokeMethod(m_look, [this, store, query, number] {
        const auto old = [this, number] { return number != m_search; };
        if (old())
            return;
        auto got = m_look->source.search(store, query, old);
        auto hits = std::make_shared<TimelineHits>();
        hits->query = query;
        if (got)
            *hits = std::move(*got);
        else
            hits->error = toQString(got.error().message());
        QMetaObject::invokeMethod(this, [this, old, hits] {
            if (old())
                return;
            m_searching = false;
            emit found(*hits);
        });
    });
}

} // namespace rankscope::ui
