// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the views of a run go along with it: one state for all of them. It begins on; only a person's own pan or zoom
// away from the end turns it off.
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
