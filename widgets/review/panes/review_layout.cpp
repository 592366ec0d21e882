// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/panes/review_layout.h"

#include "widgets/plots/curves/curve_smoothing.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr std::array kNames{"board", "overview", "who_waits", "checkpoints", "statistics", "annotations"};
static_assert(kNames.size() == ReviewLayout::PaneCount);

/// The plots of version 1, with the names under which it hid them.
constexpr std::array<std::pair<const char*, const char*>, 3> kOldPlots{
    {{"loss", "loss"}, {"length", "frames_max"}, {"wait", "wait_ns"}}};

void readOld(const QJsonObject& object, const QStringList& hidden, ReviewLayout& layout) {
    layout.plots.clear();
    const bool log = object.value(QStringLiteral("log")).toBool();
    for (const auto& [name, series] : kOldPlots)
        if (!hidden.contains(QLatin1String(name)))
            layout.plots.append({QLatin1String(series), log});
}

void readPlots(const QJsonObject& object, ReviewLayout& layout) {
    const QJsonValue plots = object.value(QStringLiteral("plots"));
    if (!plots.isArray())
        return;
    layout.plots.clear();
    for (const auto& value : plots.toArray()) {
        const QJsonObject plot = value.toObject();
        const QString series = plot.value(QStringLiteral("series")).toString();
        if (!series.isEmpty() && layout.plots.size() < ReviewLayout::kMostPlots)
            layout.plots.append({series, plot.value(QStringLiteral("log")).toBool(),
                                 plot.value(QStringLiteral("ignore_outliers")).toBool(),
                                 plot.value(QStringLiteral("pinned")).toBool()});
    }
    std::stable_partition(layout.plots.begin(), layout.plots.end(), [](const auto& plot) { return plot.pinned; });
}

QJsonObject toJson(const ReviewLayout::Plot& plot) {
    QJsonObject object{{QStringLiteral("series"), plot.series}, {QStringLiteral("log"), plot.log}};
    if (plot.ignoresOutliers)
        object.insert(QStringLiteral("ignore_outliers"), true);
    if (plot.pinned)
        object.insert(QStringLiteral("pinned"), true);
    return object;
}

} // namespace

QByteArray ReviewLayout::toBytes() const {
    QJsonArray hidden, heights, list;
    for (std::size_t i = 0; i < WhoWaitsPane; ++i)
        if (!shown[i])
            hidden.append(QLatin1String(kNames[i]));
    for (const int h : plotHeights)
        heights.append(h);
    for (const Plot& plot : plots)
        list.append(toJson(plot));
    QJsonObject object{{QStringLiteral("version"), kVersion},
                       {QStringLiteral("plots"), list},
                       {QStringLiteral("hidden"), hidden},
                       {QStringLiteral("heights"), heights},
                       {QStringLiteral("smooth"), smooth},
                       {QStringLiteral("smooth_half_life"), smoothHalfLife},
                       {QStringLiteral("log"), log},
                       {QStringLiteral("axis"), axisName(axis)},
                       {QStringLiteral("before"), withEarlierRuns}};
    for (std::size_t pane = WhoWaitsPane; pane < PaneCount; ++pane) // hidden by default
        object.insert(QLatin1String(kNames[pane]), shown[pane]);
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

ReviewLayout ReviewLayout::fromBytes(const QByteArray& bytes) {
    ReviewLayout layout;
    const QJsonObject object = QJsonDocument::fromJson(bytes).object();
    QStringList hidden;
    for (const auto& name : object.value(QStringLiteral("hidden")).toArray())
        hidden << name.toString();
    for (std::size_t i = 0; i < WhoWaitsPane; ++i)
        layout.shown[i] = !hidden.contains(QLatin1String(kNames[i]));
    for (std::size_t pane = WhoWaitsPane; pane < PaneCount; ++pane)
        layout.shown[pane] = object.value(QLatin1String(kNames[pane])).toBool();
    if (object.contains(QStringLiteral("version")))
        readPlots(object, layout);
    else if (!object.isEmpty())
        readOld(object, hidden, layout);
    const QJsonArray heights = object.value(QStringLiteral("heights")).toArray();
    if (heights.size() == layout.plots.size())
        for (const auto& h : heights)
            layout.plotHeights.append(qBound(0, h.toInt(), 10'000));
    layout.smooth = object.value(QStringLiteral("smooth")).toBool();
    layout.smoothHalfLife = object.value(QStringLiteral("smooth_half_life")).toDouble(layout.smoothHalfLife);
    layout.smoothHalfLife =
        std::clamp(layout.smoothHalfLife, CurveSmoothing::kLeastHalfLife, CurveSmoothing::kMostHalfLife);
    layout.log = object.value(QStringLiteral("log")).toBool();
    layout.withEarlierRuns = object.value(QStringLiteral("before")).toBool(true);
    layout.axis = axisOfName(object.value(QStringLiteral("axis")).toString());
    if (object.value(QStringLiteral("time")).toBool()) // written by a version that had only two axes
        layout.axis = CurveAxis::Time;
    return layout;
}

} // namespace rankscope::ui
