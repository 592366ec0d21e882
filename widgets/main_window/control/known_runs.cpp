// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/control/known_runs.h"

#include "core/base/values/clock.h"
#include "widgets/config/page/config_page.h"
#include "widgets/main_window/chrome/desktop_notifier.h"
#include "widgets/main_window/chrome/notice_strip.h"
#include "widgets/main_window/control/page_tabs.h"
#include "widgets/main_window/control/run_opener.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/runs/scan/ended_runs.h"
#include "widgets/runs/scan/run_lister.h"
#include "widgets/runs_page/page/runs_page.h"

#include <algorithm>
#include <utility>

namespace rankscope::ui {

KnownRuns::KnownRuns(const RunOpener* opener, RunsPanel* panel, PageTabs* tabs, Notifier* notifier,
                     NoticeStrip* notices)
    : m_opener(opener), m_panel(panel), m_tabs(tabs), m_notifier(notifier), m_notices(notices) {
    connect(m_panel, &RunsPanel::renameRequested, m_tabs->runs(), &RunsPage::rename);
    connect(m_tabs->runs(), &RunsPage::changed, this, &KnownRuns::refresh);
}

void KnownRuns::start(const QString& runsDir, bool keeps) {
    const std::filesystem::path folder = runsDir.toStdString();
    m_lister = new RunLister(folder, this, keeps ? endedRunsFile(folder) : std::filesystem::path());
    connect(m_lister, &RunLister::listed, this, &KnownRuns::show);
    connect(m_lister, &RunLister::filled, m_tabs->runs(), &RunsPage::setFilled);
    connect(m_lister, &RunLister::filled, this, [this] { m_filled = true; });
    connect(m_lister, &RunLister::failed, this,
            [this](const QString& problem) { m_notices->showError(problem, QStringLiteral("list")); });
    m_lister->start();
    for (const QString& dir : std::exchange(m_openedEarly, {}))
        noteOpened(dir);
}

void KnownRuns::noteOpened(const QString& runDir) {
    if (!m_lister) {
        m_openedEarly << runDir;
        return;
    }
    m_lister->alsoList(runDir.toStdString());
    m_lister->refresh();
}

void KnownRuns::refresh() {
    if (m_lister)
        m_lister->refresh();
}

void KnownRuns::show(const QList<RunRow>& rows) {
    m_panel->setRows(rows);
    m_tabs->runs()->setRows(rows);
    QList<ComparableRun> comparable;
    for (const RunRow& row : rows)
        if (row.problem.isEmpty())
            comparable << ComparableRun{toQString(row.paths.dir.filename().string()), row.dir(), row.isLive()};
    m_tabs->config()->setRuns(comparable);
    m_rows = rows;
    emit listed();
    const RunSession* session = m_opener->session();
    for (const RunRow& row : rows) {
        const bool known = row.figures || m_filled; // until then it may have incidents that were not read yet
        // the session reports it sooner
        const auto isOpen = [&] { return session && session->run().dir == row.paths.dir; };
        if (row.isLive() && known && !isOpen())
            m_notifier->see(row.dir(), row.name(), row.figures ? row.figures->open : std::vector<diagnosis::Incident>{},
                            monotonicNs());
        if (!row.isLive())
            emit ended(row.dir());
    }
}

QString KnownRuns::placeOf(const std::string& id) const {
    const auto row = std::find_if(m_rows.begin(), m_rows.end(), [&](const RunRow& one) { return one.info.id == id; });
    return row == m_rows.end() ? QString() : row->dir();
}

RelatedRuns KnownRuns::kinOfOpenRun() const {
    RelatedRuns kin;
    if (!m_opener->session())
        return kin;
    const launch::RunInfo& info = m_opener->session()->view().info;
    kin.resumed = {QString::fromStdString(info.resumedFrom), placeOf(info.resumedFrom)};
    kin.repeated = {QString::fromStdString(info.relaunchedFrom), placeOf(info.relaunchedFrom)};
    if (const RunRow* row = openRow()) {
        kin.earlierRuns = row->earlier.runs;
        kin.earlierNs = row->earlier.lastedNs;
    }
    for (const RunRow& row : m_rows)
        if (!info.id.empty() && (row.info.relaunchedFrom == info.id || row.info.resumedFrom == info.id))
            (row.info.resumedFrom == info.id ? kin.resumedBy : kin.repeatedBy)
                << RelatedRuns::One{QString::fromStdString(row.info.id), row.dir()};
    return kin;
}

/// Returns the row of the open run; null: there is none, or it is not listed.
const RunRow* KnownRuns::openRow() const {
    const RunSession* session = m_opener->session();
    if (!session)
        return nullptr;
    const auto& dir = session->run().dir;
    const auto row =
        std::find_if(m_rows.begin(), m_rows.end(), [&dir, name = dir.filename().string()](const RunRow& one) {
            return one.paths.dir.native().ends_with(name) && one.paths.dir == dir; // paths are compared part by part
        });
    return row == m_rows.end() ? nullptr : &*row;
}

QString KnownRuns::titleOfOpenRun() const {
    const RunRow* row = openRow();
    return row ? toQString(row->marks.title) : QString();
}

} // namespace rankscope::ui
