// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>

namespace rankscope::ui {

class Comparisons;
class ConfigFile;
class LaunchPanel;

/// A run that can be compared with.
struct ComparableRun {
    QString title, dir;
    bool live = false;
};

/// The menu of the recipes that the open one is compared with: files, past runs, and the file as it was saved.
class CompareMenu final : public QMenu {
    Q_OBJECT
public:
    /// `launch` has the runs folder.
    CompareMenu(ConfigFile* file, const LaunchPanel* launch, QWidget* parent = nullptr);

    Comparisons* comparisons() const { return m_comparisons; }
    void setRuns(const QList<ComparableRun>& runs) { m_runs = runs; }

private:
    void fill();
    void choose(bool run);

    ConfigFile* m_file;
    const LaunchPanel* m_launch;
    Comparisons* m_comparisons;
    QList<ComparableRun> m_runs;
};

} // namespace rankscope::ui
