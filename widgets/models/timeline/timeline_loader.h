// SPDX-License-Identifier: GPL-3.0-or-later
// Reads timelines on threads of their own, with readers of their own: one for what is in view, one for searches and
// details, so that neither waits for the other. Of each kind only the newest request is answered.
#pragma once

#include "widgets/models/timeline/timeline_source.h"

#include <QObject>
#include <QThread>

#include <atomic>

namespace rankscope::ui {

class TimelineLoader final : public QObject {
    Q_OBJECT
public:
    explicit TimelineLoader(QObject* parent = nullptr);
    ~TimelineLoader() override;

    void request(const TimelineRequest& request);
    void requestOverview(const TimelineRequest& request);
    void requestDetail(const std::filesystem::path& store, int rank, const TimelineSpan& span);
    void requestSummary(const SummaryRequest& request);
    void search(const std::filesystem::path& store, const TimelineQuery& query);
    /// What is under way is not answered.
    void cancel();
    bool isBusy() const { return m_busy > 0; } ///< with what is in view
    bool isSearching() const { return m_searching; }
    bool isSummarising() const { return m_summarising; }

signals:
    void read(const rankscope::ui::TimelineReplyPtr& reply);
    void overviewRead(const rankscope::ui::TimelineReplyPtr& reply);
    void detailRead(const rankscope::ui::SpanDetail& detail);
    void summaryRead(const rankscope::ui::TimelineSummaryPtr& summary);
    void found(const rankscope::ui::TimelineHits& hits);

private:
    struct Worker final : QObject {
        TimelineSource source;
    };
    using Number = std::atomic<quint64>;
    void ask(const TimelineRequest& request, Number& newest, void (TimelineLoader::*answer)(const TimelineReplyPtr&));

    QThread m_viewThread, m_lookThread;
    Worker *m_view, *m_look; ///< live in their threads
    Number m_window{0}, m_overview{0}, m_detail{0}, m_search{0}, m_summary{0};
    int m_busy = 0;
    bool m_searching = false, m_summarising = false;
};

} // namespace rankscope::ui
