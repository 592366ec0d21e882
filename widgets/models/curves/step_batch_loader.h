// SPDX-License-Identifier: GPL-3.0-or-later
// Derives the utterances of a step (core/launch/figures/step_batch.h) on a thread of its own. Only the newest request
// is answered; an older one stops.
#pragma once

#include "core/launch/figures/step_batch.h"

#include <QObject>
#include <QString>
#include <QThread>

#include <atomic>
#include <cstdint>
#include <memory>

namespace rankscope::ui {

struct BatchRequest {
    launch::RunPaths run;
    std::int64_t step = -1;
    int rank = 0;
    bool operator==(const BatchRequest& other) const {
        return run.dir == other.run.dir && step == other.step && rank == other.rank;
    }
};

struct BatchReply {
    BatchRequest request;
    launch::StepBatch batch;
    QString problem; ///< why there is none; empty: there is
};
using BatchReplyPtr = std::shared_ptr<const BatchReply>;

class BatchLoader final : public QObject {
    Q_OBJECT
public:
    explicit BatchLoader(QObject* parent = nullptr);
    ~BatchLoader() override;

    void request(const BatchRequest& request);
    void cancel(); ///< what is under way is not answered

signals:
    void read(const rankscope::ui::BatchReplyPtr& reply);

private:
    QThread m_thread;
    QObject* m_worker; ///< lives in m_thread
    std::atomic<quint64> m_newest{0};
};

} // namespace rankscope::ui
