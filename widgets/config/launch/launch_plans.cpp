// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/launch/launch_plans.h"

#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/launch/machine_choice.h"
#include "widgets/config/plan/plan_request.h"
#include "widgets/config/recipe/recipe_file.h"
#include "widgets/config/recipe/working_folder.h"

namespace rankscope::ui {

LaunchPlans::LaunchPlans(ConfigFile* file, QObject* parent)
    : QObject(parent), m_file(file), m_run(new PlanRequest(this)), m_other(new PlanRequest(this)) {}

void LaunchPlans::plan() {
    const Evaluation& evaluation = m_file->evaluation();
    if (m_file->evaluator()->isBusy())
        return m_run->invalidate(); // requested again after the evaluation
    if (!evaluation || !isPlannable(*evaluation))
        return m_run->clear();
    m_run->request(m_launch->dryRunRequest());
}

void LaunchPlans::planElsewhere() {
    DryRunRequest request = m_launch->dryRunRequest();
    const bool here = request.machine.isEmpty();
    const bool alone = m_run->state() == PlanRequest::PlanState::Ready && m_run->worldSize() == 1;
    if (m_run->state() == PlanRequest::PlanState::None || (here && !alone && !m_run->isBusy()))
        return m_other->clear();
    if (m_run->isBusy())
        return m_other->invalidate();
    request.machine = here ? MachineChoice::usualTarget() : QString();
    m_other->request(request);
}

bool LaunchPlans::isBusy() const {
    return m_run->isBusy() || m_other->isBusy();
}

void LaunchPlans::invalidate() {
    m_run->invalidate();
    m_other->invalidate();
}

void LaunchPlans::rerunRefused() {
    for (PlanRequest* run : {m_run, m_other})
        if (run->isRefused())
            run->rerun();
}

} // namespace rankscope::ui
