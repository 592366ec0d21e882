// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/curves/run_colours.h"

#include "widgets/theme/theme.h"

#include <algorithm>

namespace rankscope::ui {

static constexpr double kBaselineWidth = 3;

/// Sorts numbers by value, before texts.
static bool settingIsLess(const QString& a, const QString& b) {
    bool aIsNumber = false, bIsNumber = false;
    const double left = a.toDouble(&aIsNumber), right = b.toDouble(&bIsNumber);
    if (aIsNumber != bIsNumber)
        return aIsNumber;
    return aIsNumber && left != right ? left < right : a < b;
}

void RunColours::setRuns(const QList<RunRow>& runs) {
    m_baseline = runs.isEmpty() ? QString() : runs.front().dir();
}

void RunColours::choose(const QList<RunRow>& runs, const std::string& key) {
    setRuns(runs);
    m_key = key;
    m_values.clear();
    if (!key.empty())
        for (const RunRow& run : runs)
            m_values << valueOf(run);
    m_values.removeDuplicates();
    std::sort(m_values.begin(), m_values.end(), settingIsLess);
    m_colourOfValue.clear();
    for (int i = 0; i < m_values.size(); ++i)
        m_colourOfValue.insert(m_values[i], i);
}

QString RunColours::valueOf(const RunRow& run) const {
    const std::string* value = run.settings ? run.settings->find(m_key) : nullptr;
    return value ? QString::fromStdString(*value) : QString();
}

QPen RunColours::penOf(const RunRow& run) const {
    if (!m_key.empty())
        return Theme::instance().rankPen(m_colourOfValue.value(valueOf(run)));
    auto at = m_colourOfRun.constFind(run.dir());
    if (at == m_colourOfRun.constEnd())
        at = m_colourOfRun.insert(run.dir(), static_cast<int>(m_colourOfRun.size()));
    if (run.dir() == m_baseline)
        return {Theme::instance().palette().text, kBaselineWidth};
    return Theme::instance().rankPen(*at);
}

} // namespace rankscope::ui
