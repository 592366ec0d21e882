// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/page/window_link.h"

#include "widgets/review/series/shared_axis_controller.h"

#include <QScopedValueRollback>

namespace rankscope::ui {

WindowLink::WindowLink(SharedAxisController& controller, QObject* parent) : QObject(parent), m_controller(controller) {
    connect(&controller, &SharedAxisController::aboutToMove, this, [this] {
        if (m_linked)
            return;
        m_isOwnWindow = true;
        emit movedHere();
    });
}

void WindowLink::clear() {
    m_publishedRange = {0, -1};
    m_isOwnWindow = true;
}

void WindowLink::showTime(qint64 fromNs, qint64 toNs) {
    const QScopedValueRollback linked(m_linked, true);
    m_isOwnWindow = false;
    m_controller.showLinkedTime(fromNs, toNs);
}

void WindowLink::showAll() {
    m_isOwnWindow = false;
    m_controller.showLinkedAll();
}

void WindowLink::publish() {
    if (!m_controller.hasSteps())
        return;
    emit rangeChanged(m_controller.window(), m_controller.axis());
    const PlotRange seconds = m_controller.secondsOfWindow();
    if (seconds == m_publishedRange || seconds.width() <= 0) // the steps' times are not known yet
        return;
    m_publishedRange = seconds;
    if (m_isOwnWindow)
        emit windowChanged(seconds.lo, seconds.hi);
}

} // namespace rankscope::ui
