// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the values for columns such as "loss at step 500" from the runs' stores, on a separate thread.
#pragma once

#include "widgets/models/base/background_task.h"
#include "widgets/runs_page/filter/run_fields.h"

#include <QHash>
#include <QList>
#include <QObject>

#include <functional>
#include <utility>

namespace rankscope::ui {

struct StepValue {
    double value = RunFigures::kNone;
    QString missing;      ///< why there is no value
    bool isFinal = false; ///< nothing that the run still records can change it
    quint64 revision = 0; ///< of the run's row when it was read
};

/// Returns the value of an AtStep field: rank 0's loss at exactly that step, or the newest validation loss up to it. A
/// step before the first of a resumed run is read from the run that it was resumed from.
StepValue readStepValue(const launch::RunPaths& run, const RunField& field);

class StepValues final : public QObject {
    Q_OBJECT
public:
    explicit StepValues(QObject* parent = nullptr) : QObject(parent) {}
    /// Reads the values of these columns that are not known, or that may have changed with the run.
    void update(const QList<RunRow>& rows, const QList<RunField>& columns);
    /// Returns the value; null: it has not been read yet.
    const StepValue* find(const QString& dir, const RunField& field) const;
    bool isBusy() const { return m_task.isBusy(); }

signals:
    void changed(); ///< values have been read

private:
    using ValueKey = std::pair<QString, QString>; ///< folder and field
    BackgroundTask m_task{QStringLiteral("step values")};
    QHash<ValueKey, StepValue> m_values;
};

} // namespace rankscope::ui
