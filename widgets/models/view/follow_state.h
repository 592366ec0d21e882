// SPDX-License-Identifier: GPL-3.0-or-later
// Says whether the views of a run follow its newest data: one state for all of them. It starts as on; only the user's
// own pan or zoom away from the end turns it off.
#pragma once

#include <QObject>

namespace rankscope::ui {

class Following final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    bool isOn() const { return m_on; }
    void set(bool on);

signals:
    void changed(bool on);

private:
    bool m_on = true;
};

} // namespace rankscope::ui
