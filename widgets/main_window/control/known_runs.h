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

/// Reads the runs folder repeatedly and shows its runs in the sidebar and in the table, offers them for comparison, and
/// watches them for incidents.
class KnownRuns final : public QObject {
    Q_OBJECT
public:
    /// All must outlive it.
    KnownRuns(const RunOpener* opener, RunsPanel* panel, PageTabs* tabs, Notifier* notifier, NoticeStrip* notices);

    /// `keeps`: what is read of ended runs is kept in a file of the user's for the next start.
    void start(const QString& runsDir, bool keeps);
    bool isStarted() const { return m_lister != nullptr; }
    /// Adds a run that was opened to the list, because it may be in another folder.
    void noteOpened(const QString& runDir);
    void refresh(); ///< reads the folder again soon, once started
    /// Returns the runs that the open one was resumed from or repeats, and those that were resumed from it or repeat
    /// it.
    RelatedRuns kinOfOpenRun() const;
    QString titleOfOpenRun() const; ///< title set by the user; empty: none

signals:
    void listed();
    void ended(const QString& runDir); ///< emitted again with each listing

private:
    void show(const QList<RunRow>& rows);
    const RunRow* openRow() const;
    QString placeOf(const std::string& id) const;

    const RunOpener* m_opener;
    RunsPanel* m_panel;
    PageTabs* m_tabs;
    Notifier* m_notifier;
    NoticeStrip* m_notices;
    RunLister* m_lister = nullptr; ///< null until start()
    QStringList m_openedEarly;     ///< runs opened before start()
    QList<RunRow> m_rows;          ///< the lister's latest rows
    bool m_filled = false;         ///< the lister has read the data of all runs once
};

} // namespace rankscope::ui
