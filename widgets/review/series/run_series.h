// SPDX-License-Identifier: GPL-3.0-or-later
// What the page draws beside the series of a run: the runs that it was resumed from, and what goes on in a live run,
// that is waits for other ranks and the phase that a rank is in. Pure; a null chain has nothing.
#pragma once

#include "widgets/models/run/run_session.h"
#include "widgets/plots/axes/sample_reduction.h"
#include "widgets/plots/curves/open_value_marks.h"
#include "widgets/plots/plot/plot_marks.h"
#include "widgets/plots/plot/plot_spec.h"
#include "widgets/plots/plot/resume_marks.h"

#include <QList>

#include <functional>
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

/// What goes on, as values of a series, by rank; empty for series that have no such value. `placeOf` gives the place of
/// a step on the x axis.
std::vector<OpenValue> openValues(store::Metric metric, const RunView& view,
                                  const std::function<double(std::int64_t step)>& placeOf);

} // namespace rankscope::ui
