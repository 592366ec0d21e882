// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/risks/risk_rules.h"
#include "core/plan/result/plan.h"
#include "widgets/config/plan/plan_process.h"
#include "widgets/config/problems/problem_model.h"

#include <QFileSystemWatcher>
#include <QTimer>

#include <optional>
#include <vector>

namespace rankscope::ui {

class Measurement;

/// Cost of the collectives of one kind in an optimizer step, on each rank.
struct CollectiveCost {
    qint64 calls = 0, bytes = 0;
    bool blocks = false, certain = true;
};

/// Plans what a launch of the recipe as shown would do, with `rankscopectl plan`. It never returns a plan of an
/// outdated recipe.
class PlanRequest final : public QObject {
    Q_OBJECT
public:
    enum class PlanState { None, Working, Ready, Failed };
    explicit PlanRequest(QObject* parent = nullptr);

    void request(const DryRunRequest& request);
    void invalidate(); ///< the recipe has changed; request() or clear() follows
    void clear();      ///< nothing can be planned: no recipe, or one with errors

    PlanState state() const { return m_state; }
    bool isBusy() const { return m_state == PlanState::Working; }
    const QJsonObject& plan() const { return m_plan; } ///< of plan::planJson(); empty unless Ready
    Message problem() const;                           ///< why the state is Failed, with the place or key
    std::vector<config::Risk> risks() const;           ///< taking the plan's facts into account
    /// Returns what prevents a launch according to the plan, or why rankscopectl rejected the recipe.
    QList<LaunchBlocker> obstacles() const;
    std::optional<plan::DiskPlan> disk() const; ///< of the folder of runs; nothing: unknown
    /// Sets the free space of the folder of runs, read after the plan was made; without a plan it is ignored.
    void setFreeDisk(std::int64_t bytes);
    bool isRefused() const; ///< a launch would be refused
    /// Returns the reasons why a launch would be refused, as errors of their keys.
    std::vector<config::Problem> refusals() const;
    QString machine() const; ///< machine planned for, in words; empty: this one
    /// Returns the commands that start the run on that machine, by program.
    QList<std::pair<QString, QString>> startLines() const;
    int ranks() const;
    int worldSize() const;   ///< of all nodes
    void rerun();            ///< plans again: files outside the recipe may have changed
    bool canMeasure() const; ///< planned for this machine, and a launch would start
    /// Measures the planned run; its speed goes into the plan. Changing the recipe cancels the measurement.
    void measure();
    Measurement* measurement() const { return m_measurement; }
    /// Returns the sum over the tags with this prefix.
    CollectiveCost cost(const QString& tagPrefix) const;

signals:
    void changed();

private:
    void setState(PlanState state);
    void fail(const PlanEnd& end);
    void start();
    void end();
    void finished(const PlanEnd& end);
    void watchManifests();
    void watch(const QString& file);

    DryRunRequest m_request;
    Measurement* m_measurement;
    QTimer m_delay;
    PlanProcess m_process;
    QStringList m_awaited; ///< manifests that did not exist
    QFileSystemWatcher m_watcher;
    QJsonObject m_plan;
    PlanEnd m_failure; ///< why the state is Failed
    PlanState m_state = PlanState::None;
};

} // namespace rankscope::ui
