// SPDX-License-Identifier: GPL-3.0-or-later
// Reads timelines on separate threads with their own readers: one for the part in view, one for searches and details,
// so that neither waits for the other. Of each kind, only the newest request is answered.
#pragma once

#include "widgets/models/base/background_task.h"
#include "widgets/models/timeline/timeline_source.h"

namespace rankscope::ui {

class TimelineLoader final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~TimelineLoader() override { cancel(); } // all tasks first, because those that share a thread end together

    void request(const TimelineRequest& request);
    void requestOverview(const TimelineRequest& request);
    void requestDetail(const std::filesystem::path& store, int rank, const TimelineSpan& span);
    void requestSummary(const SummaryRequest& request);
    void search(const std::filesystem::path& store, const TimelineQuery& query);
    /// Drops the answers of requests in progress.
    void cancel();
    bool isBusy() const { return m_window.isBusy() || m_overview.isBusy(); } ///< reading the part in view
    bool isSearching() const { return m_search.isBusy(); }
    bool isSummarising() const { return m_summary.isBusy(); }

signals:
    void read(const rankscope::ui::TimelineReplyPtr& reply);
    void overviewRead(const rankscope::ui::TimelineReplyPtr& reply);
    void detailRead(const rankscope::ui::SpanDetail& detail);
    void summaryRead(const rankscope::ui::TimelineSummaryPtr& summary);
    void found(const rankscope::ui::TimelineHits& hits);

private:
    void ask(BackgroundTask& task, const TimelineRequest& request,
             void (TimelineLoader::*answer)(const TimelineReplyPtr&));

    TimelineSource m_viewSource, m_lookSource; ///< one for each thread
    BackgroundTask m_window{QStringLiteral("timeline")}, m_overview{&m_window}, m_summary{&m_window};
    BackgroundTask m_search{QStringLiteral("timeline-look")}, m_detail{&m_search};
};

} // namespace rankscope::ui
