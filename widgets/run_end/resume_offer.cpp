// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run_end/resume_offer.h"

#include "widgets/models/text/text_format.h"
#include "widgets/models/view/run_lineage.h"

#include <QFileInfo>

namespace rankscope::ui {

ResumeOffer ResumeOffer::of(const launch::CheckpointFile* newest, bool beforeNan, const QString& nextDir) {
    const QString step = newest ? countText(newest->steps) : QString();
    ResumeOffer offer;
    if (nextDir.isEmpty()) {
        offer.resume = !newest     ? tr("Resume")
                       : beforeNan ? tr("Resume from before it, step %1").arg(step)
                                   : tr("Resume from step %1").arg(step);
        return offer;
    }
    const QString id = shortRunId(QFileInfo(nextDir).fileName());
    offer.resume = newest ? tr("Resume again from step %1").arg(step) : tr("Resume again");
    offer.next = tr("Open run %1").arg(id);
    offer.sentence = tr("Run %1 was resumed from this one.").arg(id);
    return offer;
}

} // namespace rankscope::ui
