// SPDX-License-Identifier: GPL-3.0-or-later
// Reads how the ranks used the resources of their machine, on a separate thread with its own reader. It handles one
// request at a time; of those that arrive meanwhile, the newest is read next.
#pragma once

#include "core/store/report/resource_reader.h"
#include "widgets/models/base/background_task.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::ui {

struct ResourceRequest {
    std::filesystem::path store;
    std::vector<store::Resource> resources;
    int ranks = 0;
    std::int64_t fromNs = 0, toNs = 0; ///< since the run's start
    int maxPoints = 1000;
};
struct ResourceReply {
    struct ResourceSeries {
        std::vector<std::vector<store::SeriesPoint>> ranks;
        bool isRecorded = true; ///< false: no rank recorded it at any time of the run
    };
    ResourceRequest request;
    std::vector<ResourceSeries> series; ///< in the order of the request's resources
    QString error;
    qint64 tookMs = 0;
};
using ResourceReplyPtr = std::shared_ptr<const ResourceReply>;

class ResourceLoader final : public QObject {
    Q_OBJECT
public:
    explicit ResourceLoader(QObject* parent = nullptr);

    void request(const ResourceRequest& request);
    /// Drops the pending requests and their answers.
    void cancel();
    bool isBusy() const { return m_task.isBusy() || m_next; }

signals:
    void read(const rankscope::ui::ResourceReplyPtr& reply);

private:
    void send();

    BackgroundTask m_task{QStringLiteral("resources")};
    QTimer m_pause; ///< between reads, so that a long run does not keep the disk busy all the time
    std::optional<ResourceRequest> m_next;
};

} // namespace rankscope::ui
