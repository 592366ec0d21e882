// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/timeline/timeline_loader.h"

#include "widgets/models/text/text_format.h"

namespace rankscope::ui {

void TimelineLoader::cancel() {
    for (BackgroundTask* task : {&m_window, &m_overview, &m_summary, &m_search, &m_detail})
        task->cancel();
}

void TimelineLoader::ask(BackgroundTask& task, const TimelineRequest& request,
                         void (TimelineLoader::*answer)(const TimelineReplyPtr&)) {
    task.ask(
        [this, request](const auto& isOld) {
            auto reply = std::make_shared<TimelineReply>();
            if (auto got = m_viewSource.read(request, isOld)) {
                *reply = std::move(*got);
            } else {
                reply->request = request;
                reply->error = messageText(got.error());
            }
            return reply;
        },
        [this, answer](const TimelineReplyPtr& reply) { emit(this->*answer)(reply); });
}

void TimelineLoader::request(const TimelineRequest& request) {
    ask(m_window, request, &TimelineLoader::read);
}

void TimelineLoader::requestOverview(const TimelineRequest& request) {
    ask(m_overview, request, &TimelineLoader::overviewRead);
}

void TimelineLoader::requestDetail(const std::filesystem::path& store, int rank, const TimelineSpan& span) {
    m_detail.ask(
        [this, store, rank, span](const auto&) {
            SpanDetail detail;
            if (auto got = m_lookSource.detail(store, rank, span)) {
                detail = std::move(*got);
            } else {
                detail.rank = rank;
                detail.span = span;
                detail.error = toQString(got.error().message());
            }
            return detail;
        },
        [this](const SpanDetail& detail) { emit detailRead(detail); });
}

void TimelineLoader::requestSummary(const SummaryRequest& request) {
    m_summary.ask(
        [this, request](const auto& isOld) {
            auto summary = std::make_shared<TimelineSummary>();
            if (auto got = m_viewSource.summary(request, isOld)) {
                *summary = std::move(*got);
            } else {
                summary->request = request;
                summary->error = toQString(got.error().message());
            }
            return summary;
        },
        [this](const TimelineSummaryPtr& summary) { emit summaryRead(summary); });
}

void TimelineLoader::search(const std::filesystem::path& store, const TimelineQuery& query) {
    m_search.ask(
        [this, store, query](const auto& isOld) {
            auto hits = std::make_shared<TimelineHits>();
            hits->query = query;
            if (auto got = m_lookSource.search(store, query, isOld))
                *hits = std::move(*got);
            else
                hits->error = toQString(got.error().message());
            return hits;
        },
        [this](const std::shared_ptr<TimelineHits>& hits) { emit found(*hits); });
}

} // namespace rankscope::ui
