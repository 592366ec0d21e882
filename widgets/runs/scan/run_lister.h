// SPDX-License-Identifier: GPL-3.0-or-later
// Lists a runs folder again and again on a thread of its own. Only what changed is read again: run.json by its date and
// size, the store's figures while a run lives and once after its end.
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
    explicit RunLister(std::filesystem::path runsDir, QObject* parent = nullptr);
    ~RunLister() override;

    const std::filesystem::path& runsDir() const { return m_runsDir; }
    void start(int intervalMs = 1000);
    /// Lists the run in this folder, too, which is not in the runs folder: at the next turn.
    void alsoList(const std::filesystem::path& run);
    void refresh(); ///< now, not at the next turn

signals:
    void listed(const QList<rankscope::ui::RunRow>& rows); ///< only when something changed; at least once
    void filled();                                         ///< once: what can be read of all runs was read and listed
    void failed(const QString& message);

private:
    class Worker;
    std::filesystem::path m_runsDir;
    QThread m_thread;
    Worker* m_worker = nullptr; ///< lives in m_thread, deleted with it
    bool m_started = false;
};

} // namespace rankscope::ui
