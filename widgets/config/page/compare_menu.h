// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>

namespace rankscope::ui {

class Comparisons;
class ConfigFile;
class LaunchPanel;

/// A run to compare with.
struct ComparableRun {
    QString title, dir;
    bool live = false;
};

/// Lists what the open recipe can be compared with: files, past runs, and the file as saved.
class CompareMenu final : public QMenu {
    Q_OBJECT
public:
    /// `launch` provides the runs folder.
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
