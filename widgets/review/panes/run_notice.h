// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace rankscope::ui {

struct RunView;

/// Says above the plots what of a run is damaged or missing; hidden if nothing is.
class RunNotice final : public QLabel {
    Q_OBJECT
public:
    explicit RunNotice(QWidget* parent = nullptr);

    void setView(const RunView& view);
};

} // namespace rankscope::ui
