// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace rankscope::ui {

class ConfigFile;
class LaunchPanel;
class PlanRequest;

/// Keeps two plans of the open recipe up to date: the one that the user asked for, and one to compare it with.
class LaunchPlans final : public QObject {
public:
    LaunchPlans(ConfigFile* file, QObject* parent);
    /// Sets the panel whose fields are planned; call it before any other function that plans.
    void setLaunchPanel(const LaunchPanel* launch) { m_launch = launch; }

    PlanRequest* run() const { return m_run; }
    /// Returns the plan for this machine if run() is for another one; otherwise for 8 x H100 if a launch here has a
    /// single rank.
    PlanRequest* other() const { return m_other; }
    bool isBusy() const;

    void plan();          ///< the recipe or a field of the panel has changed
    void planElsewhere(); ///< run() has changed
    void invalidate();    ///< the text has changed; plan() follows after its evaluation
    void rerunRefused();  ///< the reason why a launch would be refused may be gone

private:
    ConfigFile* m_file;
    const LaunchPanel* m_launch = nullptr;
    PlanRequest* m_run;
    PlanRequest* m_other;
};

} // namespace rankscope::ui
