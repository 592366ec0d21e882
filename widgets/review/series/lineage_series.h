// SPDX-License-Identifier: GPL-3.0-or-later
// What the page draws of the runs that the opened one was resumed from. Pure; a null chain has nothing.
#pragma once

#include "widgets/models/run/run_session.h"
#include "widgets/plots/axes/sample_reduction.h"
#include "widgets/plots/plot/incident_span.h"
#include "widgets/plots/plot/plot_marks.h"
#include "widgets/plots/plot/resume_marks.h"

#include <QList>

#include <vector>

namespace rankscope::ui {

/// Of all ranks, one curve each over all runs; `metric` counts those that were asked for.
std::vector<Samples> samplesOfChain(const SeriesReply& reply, std::size_t metric);

std::vector<RunJoint> jointsOf(const RunChain* chain, const RunView& view);
QList<IncidentSpan> earlierSpans(const RunChain* chain);
std::vector<PlotMark> earlierMarks(const RunChain* chain);
/// The validation losses of the chain and the run, at the steps that they followed, the samples seen by then, or the
/// time at which they were known.
Samples validationCurve(const RunChain* chain, const RunView& view, CurveAxis axis, const SampleAxis* samplesSeen);
/// Of an incident of an earlier run, with that run's name; empty: there is no such incident.
QString earlierSentence(const RunChain* chain, qint64 id);

} // namespace rankscope::ui
