// SPDX-License-Identifier: Apache-2.0
// Messages about the end of a process: torchrun's table of failures, srun, Lightning's launcher, the kernel's and
// Slurm's lines about memory. And what a start says: ranks and backend.
#pragma once

#include "core/explain/line/log_text.h"
#include "core/explain/messages/log_facts.h"

namespace rankscope::explain {

/// Reads all such messages of a record and adds their facts.
void readEndMessages(const DenseText& record, LogFacts& facts);

/// Reads the lines in which a run says at its start how many ranks it has.
void readStartMessages(const DenseText& record, LogFacts& facts);

/// Returns whether the record is of torchrun, whose processes a scheduler does not number.
bool isOfTorchrun(const DenseText& record);

/// Returns the signal number of "Killed", "Aborted", "SIGTERM"; 0: it names none.
int signalNumber(std::string_view name);

} // namespace rankscope::explain
