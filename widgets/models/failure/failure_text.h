// SPDX-License-Identifier: GPL-3.0-or-later
// The words of a failed run: what happened, what it mostly means, how to find out more, and how to go on.
#pragma once

#include "widgets/models/failure/run_end_loader.h"
#include "widgets/models/failure/run_failure.h"

#include <QString>
#include <QStringList>

namespace rankscope::ui {

struct FailureText {
    QString headline;      ///< the whole cause, as a sentence
    QStringList facts;     ///< who fell because of it, memory then, last checkpoint
    QString meaning;       ///< what such an end mostly means, and what to do; may be empty
    QString command;       ///< to be copied into a terminal; may be empty
    QStringList log;       ///< last lines of the culprit's log
    bool logTells = false; ///< they say why: shown at once
};

/// `facts` null: not read yet.
FailureText failureText(const RunView& view, const RunFailure& failure, const EndingFacts* facts);

/// "last.safetensors, after step 299 (4.59 MB, complete)"; empty: there is none that can be used.
QString checkpointSentence(const launch::RunCheckpoints& checkpoints);

} // namespace rankscope::ui
