// SPDX-License-Identifier: GPL-3.0-or-later
// Describes a failed run: what happened, what usually causes it, how to find out more, and how to continue.
#pragma once

#include "widgets/models/failure/run_end_loader.h"
#include "widgets/models/failure/run_failure.h"

#include <QString>
#include <QStringList>

namespace rankscope::ui {

struct FailureText {
    QString headline;      ///< the full cause, as a sentence
    QStringList facts;     ///< ranks that failed as a consequence, memory at that time, last checkpoint
    QString meaning;       ///< what usually causes such an end, and what to do; may be empty
    QString command;       ///< to copy into a terminal; may be empty
    QStringList log;       ///< last lines of the culprit's log
    bool logTells = false; ///< the lines say why: show them right away
};

/// Returns the text of a failure; `facts` null: not read yet.
FailureText failureText(const RunView& view, const RunFailure& failure, const EndingFacts* facts);

/// Returns "last.safetensors, after step 299 (4.59 MB, complete)"; empty: there is no usable one.
QString checkpointSentence(const launch::RunCheckpoints& checkpoints);

} // namespace rankscope::ui
