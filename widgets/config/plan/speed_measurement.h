// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/plan/plan_process.h"

namespace rankscope::ui {

/// Runs a few steps of the real trainer with `rankscopectl plan --calibrate`. The process trains in a temporary folder,
/// which it removes when it ends or is cancelled.
class Measurement final : public QObject {
    Q_OBJECT
public:
    static constexpr int kSteps = 20; ///< measured, after the warm-up steps

    explicit Measurement(QObject* parent = nullptr);

    void begin(const DryRunRequest& request);
    void cancel(); ///< emits no ended(); earlier measurements are dropped

    bool isRunning() const { return m_process.isRunning(); }
    int step() const { return m_step; } ///< steps done, including those that warm up
    int of() const { return m_of; }     ///< 0: training has not begun
    const Message& problem() const { return m_problem; }

signals:
    void progressed();
    void ended(const QJsonObject& speed); ///< the plan's speed; empty: problem() says why

private:
    void finish(const PlanEnd& end);

    PlanProcess m_process;
    int m_step = 0, m_of = 0;
    Message m_problem;
};

} // namespace rankscope::ui
