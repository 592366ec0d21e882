// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/review_layout.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace rankscope::ui {

namespace {
constexpr std::array kNames{"board", "loss", "length", "wait", "overview", "who_waits"};
static_assert(kNames.size() == ReviewLayout::PaneCount);
} // namespace

QByteArray ReviewLayout::toBytes() const {
    QJsonArray hidden, heights;
    for (std::size_t i = 0; i < WhoWaitsPane; ++i)
        if (!shown[i])
            hidden.append(QLatin1String(kNames[i]));
    for (const int h : plotHeights)
        heights.append(h);
    const QJsonObject object{{QStringLiteral("hidden"), hidden},
                             {QStringLiteral("heights"), heights},
                             {QStringLiteral("smooth"), smooth},
                             {QStringLiteral("log"), log},
                             {QStringLiteral("time"), time},
                             {QLatin1String(kNames[WhoWaitsPane]), shown[WhoWaitsPane]}}; // hidden unless asked for
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

ReviewLayout ReviewLayout::fromBytes(const QByteArray& bytes) {
    ReviewLayout layout;
    const QJsonObject object = QJsonDocument::fromJson(bytes).object();
    for (const auto& name : object.value(QStringLiteral("hidden")).toArray())
        for (std::size_t i = 0; i < kNames.size(); ++i)
            if (name.toString() == QLatin1String(kNames[i]))
                layout.shown[i] = false;
    layout.shown[WhoWaitsPane] = object.value(QLatin1String(kNames[WhoWaitsPane])).toBool();
    const QJsonArray heights = object.value(QStringLiteral("heights")).toArray();
    if (heights.size() == 3)
        for (const auto& h : heights)
            layout.plotHeights.append(qBound(0, h.toInt(), 10'000));
    layout.smooth = object.value(QStringLiteral("smooth")).toBool();
    layout.log = object.value(QStringLiteral("log")).toBool();
    layout.time = object.value(QStringLiteral("time")).toBool();
    return layout;
}

} // namespace rankscope::ui
