// SPDX-License-Identifier: GPL-3.0-or-later
// What the page draws in addition to the series of a run: the runs that it was resumed from, and a live run's ongoing
// waits for other ranks and current phases. Pure functions; a null chain means that there are no earlier runs.
#pragma once

#include "widgets/models/run/run_session.h"
#include "widgets/plots/axes/sample_reduction.h"
#include "widgets/plots/curves/ongoing_marks.h"
#include "widgets/plots/plot/plot_marks.h"
#include "widgets/plots/plot/plot_spec.h"
#include "widgets/plots/plot/resume_marks.h"

#include <QList>

#include <functional>
#include <vector>

namespace rankscope::ui {

/// Returns one curve for each rank over all runs; `metric` is an index into the requested ones.
std::vector<Samples> samplesOfChain(const SeriesReply& reply, std::size_t metric);

std::vector<ResumeMark> jointsOf(const RunLineage* chain, const RunView& view);
QList<IncidentSpan> earlierSpans(const RunLineage* chain);
std::vector<PlotMark> earlierMarks(const RunLineage* chain);
/// Returns the validation losses of the chain and the run, at the steps that they followed, the samples seen by then,
/// or the time at which they were known.
Samples validationCurve(const RunLineage* chain, const RunView& view, CurveAxis axis, const SampleAxis* samplesSeen);
/// Returns the sentence of an earlier run's incident, with that run's name; empty if there is no such incident.
QString earlierSentence(const RunLineage* chain, qint64 id);

/// Returns ongoing waits and phases as values of a series, by rank; empty for series that have none. `placeOf` returns
/// the place of a step on the x axis.
std::vector<OngoingValue> openValues(store::Metric metric, const RunView& view,
                                     const std::function<double(std::int64_t step)>& placeOf);

} // namespace rankscope::ui
