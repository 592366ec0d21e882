// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/launch/run/checkpoint_list.h"

#include <QCoreApplication>
#include <QString>

namespace rankscope::ui {

/// The texts with which the end of a run offers to continue it. A run that was resumed before offers the newer run
/// first, because resuming it again makes a second continuation.
struct ResumeOffer {
    Q_DECLARE_TR_FUNCTIONS(ResumeOffer)
public:
    QString resume;   ///< of the button that resumes the run
    QString next;     ///< of the button that opens the run that was resumed from it; empty: there is none
    QString sentence; ///< about that run; empty: there is none

    /// `newest` is the checkpoint to resume from, null if it is not known. `beforeNan`: it is older than the first NaN.
    /// `nextDir` is the folder of the newest run that was resumed from this one; empty: there is none.
    static ResumeOffer of(const launch::CheckpointFile* newest, bool beforeNan, const QString& nextDir);
};

} // namespace rankscope::ui
