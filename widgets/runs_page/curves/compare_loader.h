// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the curves of a comparison on a thread of its own. Only the newest request is answered.
#pragma once

#include "widgets/runs_page/curves/run_curve.h"

#include <QObject>
#include <QStringList>
#include <QThread>

#include <atomic>
#include <memory>

namespace rankscope::ui {

struct CompareReply {
    CurveRequest request;
    QStringList dirs;
    std::vector<Curve> curves; ///< by dir
};
using CompareReplyPtr = std::shared_ptr<const CompareReply>;

class CompareLoader final : public QObject {
    Q_OBJECT
public:
    static constexpr int kMaxPoints = 2000; ///< per rank, twice that at most

    explicit CompareLoader(QObject* parent = nullptr);
    ~CompareLoader() override;
    /// Answered by loaded() unless a newer one comes first.
    void request(const QStringList& dirs, const CurveRequest& request);
    void cancel();
    bool isBusy() const { return m_busy; }

signals:
    void loaded(const rankscope::ui::CompareReplyPtr& reply);

private:
    QThread m_thread;
    QObject* m_worker; ///< lives in m_thread
    std::atomic<quint64> m_newest{0};
    bool m_busy = false;
};

} // namespace rankscope::ui
