// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/curves/compare_data.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace rankscope::ui {

namespace {

/// Of texts from several pools two may be equal at different places.
bool sameText(const std::string* a, const std::string* b) {
    return a == b || (a && b && *a == *b);
}

} // namespace

std::vector<SettingLine> settingLines(const QList<RunRow>& runs, bool onlyDiffering) {
    std::unordered_map<std::string_view, SettingLine> lines; // runs of several pools: by text
    for (qsizetype r = 0; r < runs.size(); ++r) {
        if (!runs[r].settings)
            continue;
        for (const auto& entry : runs[r].settings->entries) {
            SettingLine& line = lines[*entry.key];
            line.key = line.key ? line.key : entry.key;
            line.values.resize(static_cast<std::size_t>(runs.size()), nullptr);
            line.values[static_cast<std::size_t>(r)] = entry.value;
        }
    }
    std::vector<SettingLine> result;
    for (auto& [key, line] : lines) {
        std::optional<const std::string*> first;
        for (qsizetype r = 0; r < runs.size(); ++r) {
            if (!runs[r].settings)
                continue;
            const std::string* value = line.values[static_cast<std::size_t>(r)];
            line.differs = line.differs || (first && !sameText(*first, value));
            first = first.value_or(value);
        }
        if (line.differs || !onlyDiffering)
            result.push_back(std::move(line));
    }
    std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return *a.key < *b.key; });
    return result;
}

std::optional<double> ratioOf(double value, double baseline) {
    if (!std::isfinite(value) || !std::isfinite(baseline) || baseline == 0)
        return std::nullopt;
    return value / baseline;
}

int betterWhenMore(FieldId id) {
    switch (id) {
    case FieldId::Rate:
    case FieldId::SampleRate:
        return 1;
    case FieldId::Loss:
    case FieldId::BestLoss:
    case FieldId::Validation:
    case FieldId::BestValidation:
    case FieldId::Waited:
    case FieldId::Incidents:
    case FieldId::Memory:
        return -1;
    default:
        return 0;
    }
}

QString ratioText(std::optional<double> ratio) {
    if (!ratio)
        return {};
    const double size = std::abs(*ratio);
    return QStringLiteral("×") + QString::number(*ratio, size != 0 && (size < 0.01 || size >= 1000) ? 'g' : 'f',
                                                 size >= 100  ? 0
                                                 : size >= 10 ? 1
                                                              : 2);
}

const std::vector<FieldId>& comparedFigures() {
    static const std::vector<FieldId> fields{
        FieldId::State,      FieldId::Steps,          FieldId::Duration, FieldId::Loss,       FieldId::BestLoss,
        FieldId::Validation, FieldId::BestValidation, FieldId::Rate,     FieldId::SampleRate, FieldId::Waited,
        FieldId::Holder,     FieldId::Incidents,      FieldId::Memory,   FieldId::Ranks};
    return fields;
}

} // namespace rankscope::ui
