// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/main_window/chrome/lineage_chips.h"
#include "widgets/runs/scan/run_row.h"

#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

namespace rankscope::ui {

class NoticeStrip;
class Notifier;
class PageTabs;
class RunLister;
class RunOpener;
class RunsPanel;

/// The runs in the runs folder, read again and again: shown in the sidebar and in the table, offered for comparison,
/// and watched for incidents.
class KnownRuns final : public QObject {
    Q_OBJECT
public:
    /// All must outlive it.
    KnownRuns(const RunOpener* opener, RunsPanel* panel, PageTabs* tabs, Notifier* notifier, NoticeStrip* notices);

    void start(const QString& runsDir);
    bool isStarted() const { return m_lister != nullptr; }
    /// A run was opened, which may be in another folder: it is listed, too.
    void noteOpened(const QString& runDir);
    void refresh(); ///< reads the folder again soon, once started
    /// Runs that the open one was resumed from or repeats, and those that do so with it.
    RunKin kinOfOpenRun() const;
    QString titleOfOpenRun() const; ///< the user's own; empty: none

signals:
    void listed();
    void ended(const QString& runDir); ///< again with each listing

private:
    void show(const QList<RunRow>& rows);
    QString placeOf(const std::string& id) const;

    const RunOpener* m_opener;
    RunsPanel* m_panel;
    PageTabs* m_tabs;
    Notifier* m_notifier;
    NoticeStrip* m_notices;
    RunLister* m_lister = nullptr; ///< null until start()
    QStringList m_openedEarly;     ///< before start()
    QList<RunRow> m_rows;          ///< as the lister gave them last
    bool m_filled = false;         ///< the lister has read once what there is of all runs
};

} // namespace rankscope::ui
