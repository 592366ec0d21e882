// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/runs/scan/run_row.h"

#include <QHash>
#include <QPen>
#include <QStringList>

#include <string>

namespace rankscope::ui {

/// Chooses the colours of compared runs: each run has its own, or that of its value of a setting. A run keeps its own
/// colour as long as this object exists.
class RunColours {
public:
    /// Sets the runs, the baseline first. The values of the setting remain those of the last call of choose().
    void setRuns(const QList<RunRow>& runs);
    /// Sets the runs and the key of the setting that colours are chosen by; empty: by run.
    void choose(const QList<RunRow>& runs, const std::string& key);
    const std::string& key() const { return m_key; }
    /// Returns the values of the setting, each once: numbers by value, then texts.
    const QStringList& values() const { return m_values; }
    QString valueOf(const RunRow& run) const; ///< of the setting; empty if it is not set
    /// Returns the pen of a run's curve. Without a setting, the baseline's is wide and has the colour of text.
    QPen penOf(const RunRow& run) const;

private:
    std::string m_key;
    QString m_baseline; ///< its folder
    QStringList m_values;
    QHash<QString, int> m_colourOfValue;
    mutable QHash<QString, int> m_colourOfRun;
};

} // namespace rankscope::ui
