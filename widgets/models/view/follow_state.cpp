// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/view/follow_state.h"

namespace rankscope::ui {

void Following::set(bool on) {
    if (on == m_on)
        return;
    m_on = on;
    emit changed(on);
}

} // namespace rankscope::ui
