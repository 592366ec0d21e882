// SPDX-License-Identifier: GPL-3.0-or-later
// Lists a runs folder repeatedly on its own thread. See runs_folder_scanner.h for what is read, and when.
#pragma once

#include "widgets/runs/scan/run_row.h"

#include <QObject>
#include <QThread>

#include <filesystem>
#include <memory>

namespace rankscope::ui {

class RunLister final : public QObject {
    Q_OBJECT
public:
    /// `kept`: where to keep what is read of ended runs for the next start; empty: nowhere.
    explicit RunLister(std::filesystem::path runsDir, QObject* parent = nullptr,
                       const std::filesystem::path& kept = {});
    ~RunLister() override;

    const std::filesystem::path& runsDir() const { return m_runsDir; }
    void start(int intervalMs = 1000);
    /// Also lists the run in this folder, which is outside the runs folder, from the next pass on.
    void alsoList(const std::filesystem::path& run);
    void refresh(); ///< lists immediately instead of waiting for the next pass

signals:
    void listed(const QList<rankscope::ui::RunRow>& rows); ///< only if something changed; at least once
    void filled();                                         ///< once, when all that can be read of all runs is listed
    void failed(const QString& message);

private:
    class Worker;
    std::filesystem::path m_runsDir;
    QThread m_thread;
    Worker* m_worker = nullptr; ///< lives in m_thread, deleted with it
    bool m_started = false;
};

} // namespace rankscope::ui
