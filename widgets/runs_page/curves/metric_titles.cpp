// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/curves/metric_titles.h"

#include <QCoreApplication>

namespace rankscope::ui {

// what core/store/tables/metrics.cpp says in English, for lupdate
[[maybe_unused]] static constexpr const char* kTitles[] = {
    QT_TRANSLATE_NOOP("Metric", "Loss"),
    QT_TRANSLATE_NOOP("Metric", "Learning rate"),
    QT_TRANSLATE_NOOP("Metric", "Gradient norm"),
    QT_TRANSLATE_NOOP("Metric", "Masked frames"),
    QT_TRANSLATE_NOOP("Metric", "Throughput"),
    QT_TRANSLATE_NOOP("Metric", "Batch size"),
    QT_TRANSLATE_NOOP("Metric", "Shortest length"),
    QT_TRANSLATE_NOOP("Metric", "Mean length"),
    QT_TRANSLATE_NOOP("Metric", "Longest length"),
    QT_TRANSLATE_NOOP("Metric", "Longest audio"),
    QT_TRANSLATE_NOOP("Metric", "Padding"),
    QT_TRANSLATE_NOOP("Metric", "Step time"),
    QT_TRANSLATE_NOOP("Metric", "Collective wait"),
    QT_TRANSLATE_NOOP("Metric", "Wait in length sync"),
    QT_TRANSLATE_NOOP("Metric", "Wait in gradients"),
    QT_TRANSLATE_NOOP("Metric", "Wait in SyncBatchNorm"),
    QT_TRANSLATE_NOOP("Metric", "Wait in barriers"),
    QT_TRANSLATE_NOOP("Metric", "Wait in metrics"),
    QT_TRANSLATE_NOOP("Metric", "Wait in other collectives"),
    QT_TRANSLATE_NOOP("Metric", "Exposed wait"),
    QT_TRANSLATE_NOOP("Metric", "Data wait"),
    QT_TRANSLATE_NOOP("Metric", "Copy to device"),
    QT_TRANSLATE_NOOP("Metric", "Preprocessing"),
    QT_TRANSLATE_NOOP("Metric", "Augmentation"),
    QT_TRANSLATE_NOOP("Metric", "Forward"),
    QT_TRANSLATE_NOOP("Metric", "Loss computation"),
    QT_TRANSLATE_NOOP("Metric", "Backward"),
    QT_TRANSLATE_NOOP("Metric", "Optimizer"),
    QT_TRANSLATE_NOOP("Metric", "Validation"),
    QT_TRANSLATE_NOOP("Metric", "Checkpoint"),
    QT_TRANSLATE_NOOP("Metric", "Barrier"),
};

QString metricTitle(store::Metric metric) {
    return QCoreApplication::translate("Metric", store::info(metric).title);
}

} // namespace rankscope::ui
