// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/series/plot_series.h"

#include "widgets/models/text/text_format.h"

#include <QCoreApplication>

#include <array>

namespace rankscope::ui {

using store::Metric;
using store::Resource;

namespace {

constexpr int kLongestTag = 256;
constexpr QLatin1String kResourcePrefix("resource:");

struct Titles {
    Q_DECLARE_TR_FUNCTIONS(PlotSeries)
};

constexpr std::size_t kCount = static_cast<std::size_t>(Metric::Count);

/// Titles in the order of enum Metric.
constexpr std::array<const char*, kCount> kTitles{
    QT_TRANSLATE_NOOP("PlotSeries", "Loss"),
    QT_TRANSLATE_NOOP("PlotSeries", "Learning rate"),
    QT_TRANSLATE_NOOP("PlotSeries", "Gradient norm"),
    QT_TRANSLATE_NOOP("PlotSeries", "Masked frames"),
    QT_TRANSLATE_NOOP("PlotSeries", "Throughput"),
    QT_TRANSLATE_NOOP("PlotSeries", "Batch size"),
    QT_TRANSLATE_NOOP("PlotSeries", "Shortest sequence"),
    QT_TRANSLATE_NOOP("PlotSeries", "Mean sequence"),
    QT_TRANSLATE_NOOP("PlotSeries", "Longest sequence"),
    QT_TRANSLATE_NOOP("PlotSeries", "Longest audio"),
    QT_TRANSLATE_NOOP("PlotSeries", "Padding"),
    QT_TRANSLATE_NOOP("PlotSeries", "Step time"),
    QT_TRANSLATE_NOOP("PlotSeries", "Collective wait"),
    QT_TRANSLATE_NOOP("PlotSeries", "Wait in length sync"),
    QT_TRANSLATE_NOOP("PlotSeries", "Wait in gradients"),
    QT_TRANSLATE_NOOP("PlotSeries", "Wait in SyncBatchNorm"),
    QT_TRANSLATE_NOOP("PlotSeries", "Wait in barriers"),
    QT_TRANSLATE_NOOP("PlotSeries", "Wait in metrics"),
    QT_TRANSLATE_NOOP("PlotSeries", "Wait in other collectives"),
    QT_TRANSLATE_NOOP("PlotSeries", "Exposed wait"),
    QT_TRANSLATE_NOOP("PlotSeries", "Data wait"),
    QT_TRANSLATE_NOOP("PlotSeries", "Copy to device"),
    QT_TRANSLATE_NOOP("PlotSeries", "Preprocessing"),
    QT_TRANSLATE_NOOP("PlotSeries", "Augmentation"),
    QT_TRANSLATE_NOOP("PlotSeries", "Forward"),
    QT_TRANSLATE_NOOP("PlotSeries", "Loss computation"),
    QT_TRANSLATE_NOOP("PlotSeries", "Backward"),
    QT_TRANSLATE_NOOP("PlotSeries", "Optimizer"),
    QT_TRANSLATE_NOOP("PlotSeries", "Validation"),
    QT_TRANSLATE_NOOP("PlotSeries", "Checkpoint"),
    QT_TRANSLATE_NOOP("PlotSeries", "Barrier"),
};

/// Translates the units that are words.
QString unitWord(const QString& unit) {
    for (const char* word : {QT_TRANSLATE_NOOP("PlotSeries", "frames"), QT_TRANSLATE_NOOP("PlotSeries", "utterances"),
                             QT_TRANSLATE_NOOP("PlotSeries", "samples"), QT_TRANSLATE_NOOP("PlotSeries", "samples/s")})
        if (unit == QLatin1String(word))
            return Titles::tr(word);
    return unit;
}

/// Titles in the order of enum Resource.
constexpr std::array kResourceTitles{
    QT_TRANSLATE_NOOP("PlotSeries", "Memory"),
    QT_TRANSLATE_NOOP("PlotSeries", "CPU use"),
    QT_TRANSLATE_NOOP("PlotSeries", "GPU memory"),
    QT_TRANSLATE_NOOP("PlotSeries", "GPU utilisation"),
};

QString resourceUnit(Resource resource) {
    return resource == Resource::Cpu      ? Titles::tr("busy cores")
           : resource == Resource::GpuUse ? QStringLiteral("%")
                                          : QStringLiteral("GB");
}

bool isCount(Metric metric) {
    return metric == Metric::MaskedFrames || metric == Metric::BatchSize || metric == Metric::FramesMin ||
           metric == Metric::FramesMax || metric == Metric::SamplesMax;
}

} // namespace

double PlotSeries::scaleOf(Resource resource) {
    return resource == Resource::Memory || resource == Resource::GpuMemory ? 1e-9 : 1;
}

QString PlotSeries::key() const {
    if (resource)
        for (const auto& info : store::resources())
            if (info.resource == *resource)
                return QString(kResourcePrefix) + QLatin1String(info.name);
    return isTag() ? QStringLiteral("tag:") + tag : QLatin1String(store::info(metric).column);
}

std::optional<PlotSeries> PlotSeries::fromKey(const QString& key) {
    if (key.startsWith(QLatin1String("tag:"))) {
        const QString tag = key.mid(4);
        return tag.isEmpty() || tag.size() > kLongestTag ? std::nullopt : std::optional(PlotSeries{Metric::Loss, tag});
    }
    if (key.startsWith(kResourcePrefix))
        for (const auto& info : store::resources())
            if (key.mid(kResourcePrefix.size()) == QLatin1String(info.name))
                return of(info.resource);
    for (const auto& info : store::metrics())
        if (key == QLatin1String(info.column))
            return PlotSeries{info.metric, {}};
    return std::nullopt;
}

QString PlotSeries::title() const {
    if (isTag())
        return tag;
    if (resource)
        return Titles::tr(kResourceTitles[static_cast<std::size_t>(*resource)]);
    return Titles::tr(kTitles[static_cast<std::size_t>(metric)]);
}

QString PlotSeries::unit(bool lossIsInNats) const {
    if (isTag())
        return {};
    if (resource)
        return resourceUnit(*resource);
    if (isLoss())
        return lossIsInNats ? Titles::tr("nats") : QString();
    const QString unit = QLatin1String(store::info(metric).unit);
    return unit == QLatin1String("s") ? QString() : unitWord(unit);
}

PlotSpec PlotSeries::spec() const {
    PlotSpec spec;
    spec.title = title();
    spec.unit = unit(false);
    spec.canBeLog = true;
    if (isTag())
        return spec;
    if (resource) {
        spec.fromZero = true;
        spec.canBeLog = false;
        return spec;
    }
    const QLatin1String stored(store::info(metric).unit);
    spec.duration = stored == QLatin1String("s");
    spec.whole = isCount(metric);
    spec.fromZero = spec.duration || spec.whole || stored == QLatin1String("%") || metric == Metric::FramesMean ||
                    metric == Metric::SamplesPerSecond;
    spec.canBeLog = spec.duration || isLoss() || metric == Metric::LearningRate || metric == Metric::GradientNorm;
    if (spec.duration)
        spec.logFloor = 1e-4; // shorter times are noise
    return spec;
}

SeriesGroup groupOf(Metric metric) {
    if (metric <= Metric::GradientNorm || metric == Metric::SamplesPerSecond || metric == Metric::StepTime)
        return SeriesGroup::Training;
    if (metric <= Metric::PaddingShare)
        return SeriesGroup::Batches;
    return metric <= Metric::ExposedWait ? SeriesGroup::Waits : SeriesGroup::Times;
}

QString resourcesTitle() {
    return Titles::tr("Memory, CPU and GPU");
}

QString groupTitle(SeriesGroup group) {
    return group == SeriesGroup::Training  ? Titles::tr("Training")
           : group == SeriesGroup::Batches ? Titles::tr("Batches")
           : group == SeriesGroup::Waits   ? Titles::tr("Waits")
                                           : Titles::tr("Time by phase");
}

} // namespace rankscope::ui
