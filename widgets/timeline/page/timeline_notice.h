// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/timeline/view/timeline_scene.h"

#include <QLabel>

namespace rankscope::ui {

/// Says what the timeline does not show in detail, and why, so that an empty part does not look as if nothing had
/// happened. It is hidden if there is nothing to say.
class TimelineNotice final : public QLabel {
    Q_OBJECT
public:
    /// What the scene does not know about its run.
    struct Context {
        QString problem; ///< why the newest request failed; empty: it did not
        bool live = false;
        bool hasPhases = false; ///< some are in or around the view
    };

    explicit TimelineNotice(QWidget* parent = nullptr);

    void setScene(const TimelineScene& scene, const Context& context);

private:
    static QString textFor(const TimelineScene& scene, const Context& context);
};

} // namespace rankscope::ui
