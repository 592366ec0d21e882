// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/table/step_values.h"

#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"

#include <QCoreApplication>

#include <cmath>
#include <vector>

namespace rankscope::ui {

namespace {

constexpr int kMostEarlierRuns = 1000; ///< the files may say anything, even a circle
constexpr int kMostStepValidations = 1'000'000;
constexpr std::size_t kMostAtOnce = 2000; ///< values read before they are shown

struct StepLabels {
    Q_DECLARE_TR_FUNCTIONS(StepValues)
};

StepValue noValue(const QString& why) {
    StepValue none;
    none.missing = why;
    return none;
}

StepValue valueOr(double value, const QString& otherwise) {
    StepValue read;
    read.value = value;
    if (!std::isfinite(value))
        read.missing = otherwise;
    return read;
}

StepValue lossAt(store::RunReader& reader, int rank, std::int64_t step) {
    const auto points = reader.series(store::Metric::Loss, rank, step, step, 1);
    if (!points)
        return noValue(QString::fromStdString(points.error().message()));
    double value = RunFigures::kNone;
    for (const auto& point : *points)
        if (point.count > 0 && point.firstStep == step && point.lastStep == step)
            value = point.mean;
    return valueOr(value, StepLabels::tr("No loss of step %1 was recorded.").arg(step));
}

StepValue validationUpTo(store::RunReader& reader, std::int64_t step) {
    const auto rows = reader.validations(-1, kMostStepValidations);
    if (!rows)
        return noValue(QString::fromStdString(rows.error().message()));
    double value = RunFigures::kNone;
    for (const auto& row : *rows)
        if (row.known && row.step <= step)
            value = row.loss;
    return valueOr(value, StepLabels::tr("No validation was recorded up to step %1.").arg(step));
}

} // namespace

StepValue readStepValue(const launch::RunPaths& run, const RunField& field) {
    const std::int64_t step = field.step();
    launch::RunPaths paths = run;
    for (int hops = 0; hops < kMostEarlierRuns; ++hops) {
        auto reader = store::RunReader::open(paths.store());
        if (!reader)
            return noValue(QString::fromStdString(reader.error().message()));
        const auto ranks = reader->ranks();
        if (!ranks)
            return noValue(QString::fromStdString(ranks.error().message()));
        if (ranks->empty() || ranks->front().lastStep < step)
            return noValue(StepLabels::tr("The run has not reached step %1.").arg(step));
        const auto info = launch::readRunInfo(paths);
        if (ranks->front().firstStep <= step || !info || info->resumedFrom.empty()) {
            auto read =
                field.isValidation() ? validationUpTo(*reader, step) : lossAt(*reader, ranks->front().rank, step);
            // a validation is recorded some time after its step
            const bool mayCome = field.isValidation() && (!info || launch::isLive(info->state));
            read.isFinal = read.missing.isEmpty() && !mayCome;
            return read;
        }
        paths = launch::RunPaths{paths.dir.parent_path() / info->resumedFrom};
    }
    return noValue(StepLabels::tr("The run has not reached step %1.").arg(step));
}

const StepValue* StepValues::find(const QString& dir, const RunField& field) const {
    const auto at = m_values.constFind({dir, QString::fromStdString(field.key)});
    return at == m_values.constEnd() ? nullptr : &*at;
}

void StepValues::update(const QList<RunRow>& rows, const QList<RunField>& columns) {
    struct Wanted {
        launch::RunPaths run;
        RunField field;
        ValueKey key;
        quint64 revision = 0;
    };
    std::vector<Wanted> wanted;
    for (const RunField& field : columns) {
        if (field.id != FieldId::AtStep)
            continue;
        for (const RunRow& row : rows) {
            const StepValue* known = find(row.dir(), field);
            const bool isOpen = !known || (!known->isFinal && known->revision != row.revision);
            if (isOpen && row.figures && wanted.size() < kMostAtOnce)
                wanted.push_back({row.paths, field, {row.dir(), QString::fromStdString(field.key)}, row.revision});
        }
    }
    if (wanted.empty() || m_task.isBusy())
        return;
    m_task.ask(
        [wanted](const BackgroundTask::IsOld& isOld) {
            QHash<ValueKey, StepValue> read;
            for (const Wanted& one : wanted) {
                if (isOld())
                    break;
                StepValue value = readStepValue(one.run, one.field);
                value.revision = one.revision;
                read.insert(one.key, value);
            }
            return read;
        },
        [this](const QHash<ValueKey, StepValue>& read) {
            m_values.insert(read);
            emit changed();
        });
}

} // namespace rankscope::ui
