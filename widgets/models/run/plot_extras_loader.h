// SPDX-License-Identifier: GPL-3.0-or-later
// What plots show of a run besides its metrics: series of an imported run, checkpoints, annotations made by users, and
// the alerts that were sent. Read and written on a separate thread with its own reader.
#pragma once

#include "core/launch/run/run_annotations.h"
#include "core/store/report/scalar_reader.h"
#include "core/store/report/supervisor_notes.h"
#include "widgets/models/base/background_task.h"
#include "widgets/models/curves/curve_axis.h"
#include "widgets/models/view/run_view.h"

#include <QElapsedTimer>

#include <functional>
#include <memory>
#include <vector>

namespace rankscope::ui {

struct ExtrasView {
    std::vector<std::string> tags;
    std::vector<store::CheckpointRow> checkpoints;
    std::vector<launch::Annotation> annotations;
    std::vector<store::Note> alerts; ///< the supervisor's notes on calls of the command for incidents
};

/// A request for series by tag, like SeriesRequest for metrics.
struct TagRequest {
    std::vector<std::string> tags;
    int ranks = 0;
    CurveAxis axis = CurveAxis::Step;
    std::int64_t from = 0, to = 0; ///< ns on a time axis, otherwise steps
    int maxPoints = 1000;
};
struct TagReply {
    TagRequest request;
    std::vector<std::vector<std::vector<store::SeriesPoint>>> points; ///< [tag][rank][point]
    QString error;
};

/// Returns an annotation's text and its steps, one below the other.
QString annotationTip(const launch::Annotation& annotation);

using ExtrasPtr = std::shared_ptr<const ExtrasView>;
using TagReplyPtr = std::shared_ptr<const TagReply>;

class PlotExtras final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Sets the run; pending requests for the previous run are dropped.
    void setRun(const launch::RunPaths& run);
    void clear();
    /// Loads the extras. Answered by read(); a store that does not exist yet has none.
    void load();
    /// Loads the extras if this view of the run is the first one or that of its end, and from time to time while the
    /// run is live. Those of a run whose folder is gone stay as they are.
    void loadFor(const RunView& view);
    void requestSeries(const TagRequest& request);
    /// Changes the marks. Answered by read() and edited().
    void edit(std::function<void(launch::RunMarks&)> change);
    bool isBusy() const { return m_task.isBusy(); }

signals:
    void read(const rankscope::ui::ExtrasPtr& extras);
    void seriesRead(const rankscope::ui::TagReplyPtr& reply);
    void edited(const QString& problem); ///< why the marks were not written; empty: they were
    void failed(const QString& problem);

private:
    struct Look {
        ExtrasPtr extras;
        QString problem, refused; ///< what could not be read; why the edit was refused
    };
    static Look lookAt(const launch::RunPaths& run, const QString& refused = {});

    BackgroundTask m_task{QStringLiteral("run-extras")};
    launch::RunPaths m_run;
    QElapsedTimer m_sinceLoad; ///< invalid: nothing of this run was loaded for a view
    bool m_wasLive = false;    ///< in the newest view
};

} // namespace rankscope::ui
