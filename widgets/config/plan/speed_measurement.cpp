// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/plan/speed_measurement.h"

#include "core/base/values/error.h"

namespace rankscope::ui {

// The process stops its ranks and removes its folder before it ends, so it must not be killed.
Measurement::Measurement(QObject* parent) : QObject(parent), m_process(PlanProcess::Stop::Terminate, nullptr) {
    connect(&m_process, &PlanProcess::ended, this, &Measurement::finish);
    connect(&m_process, &PlanProcess::measured, this, [this](int step, int of) {
        m_step = step;
        m_of = of;
        emit progressed();
    });
}

void Measurement::begin(const DryRunRequest& request) {
    cancel();
    m_process.start(request, {QStringLiteral("--calibrate"), QString::number(kSteps)});
    if (isRunning())
        emit progressed();
}

void Measurement::cancel() {
    m_step = m_of = 0;
    m_problem = {};
    if (!isRunning())
        return;
    m_process.stop();
    emit progressed();
}

void Measurement::finish(const PlanEnd& end) {
    const QJsonObject speed = end.plan.value(QStringLiteral("speed")).toObject();
    const bool measured = speed.value(QStringLiteral("measured_steps")).toInt() > 0;
    m_problem = measured ? Message() : Error{Errc::BadInput, end.problem, end.where.toStdString()}.asMessage();
    emit ended(measured ? speed : QJsonObject());
}

} // namespace rankscope::ui
