// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/window/open_run_display.h"

#include "widgets/config/page/config_page.h"
#include "widgets/explain/explain_page.h"
#include "widgets/incidents/banner_row.h"
#include "widgets/main_window/chrome/desktop_notifier.h"
#include "widgets/main_window/chrome/header_bar.h"
#include "widgets/main_window/control/ending_actions.h"
#include "widgets/main_window/control/known_runs.h"
#include "widgets/main_window/control/run_actions.h"
#include "widgets/main_window/control/run_opener.h"
#include "widgets/main_window/control/tour_guide.h"
#include "widgets/main_window/window/navigator.h"
#include "widgets/main_window/window/window_memory.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/view/run_status.h"
#include "widgets/review/page/review_page.h"
#include "widgets/run_end/run_end_controller.h"
#include "widgets/runs/panel/runs_panel.h"

#include <utility>

namespace rankscope::ui {

OpenRunDisplay::OpenRunDisplay(const Parts& parts) : m_parts(parts) {
    connect(m_parts.opener, &RunOpener::changed, this, &OpenRunDisplay::sessionChanged);
    connect(m_parts.known, &KnownRuns::listed, this, &OpenRunDisplay::showRelatedRuns);
    connect(m_parts.tabs, &QTabWidget::currentChanged, this, &OpenRunDisplay::showTitles);
    connect(m_parts.tabs->explain(), &ExplainPage::titleChanged, this, &OpenRunDisplay::showTitles);
}

void OpenRunDisplay::sessionChanged() {
    RunSession* session = m_parts.opener->session();
    const QString dir = m_parts.opener->dir();
    m_parts.settings->lastRun = dir;
    m_parts.memory->noteOpened(dir, true);
    if (session && !m_parts.tour->isRecording(dir))
        m_parts.known->noteOpened(dir);
    if (session)
        connect(session, &RunSession::viewChanged, this, &OpenRunDisplay::viewChanged);
    m_parts.tabs->setSession(session);
    m_parts.runs->setCurrent(dir);
    m_parts.tabs->config()->showRun(dir);
    m_parts.header->setVisible(session != nullptr);
    if (session) {
        m_parts.navigator->showPages();
        return viewChanged();
    }
    m_seenState.reset();
    m_parts.ending->update();
    showRelatedRuns();
    m_parts.banner->clear();
    emit closed();
    emit changed();
}

void OpenRunDisplay::viewChanged() {
    const RunView& view = m_parts.opener->session()->view();
    m_parts.header->setView(view);
    m_parts.banner->setView(view);
    if (view.storeVersion > 0)
        m_parts.notifier->see(m_parts.opener->dir(), toQString(view.info.name), view.incidents, view.knownNs);
    if (!view.info.id.empty() && std::exchange(m_seenState, view.info.state) != view.info.state) {
        showRelatedRuns();
        if (!launch::isLive(view.info.state))
            m_parts.actions->clearStopMessages(m_parts.opener->dir());
        m_parts.known->refresh(); // keeps the list consistent with the header
    }
    m_parts.ending->update();
    showTitles();
    emit changed();
    m_parts.tour->showStep();
}

void OpenRunDisplay::showRelatedRuns() {
    const RelatedRuns kin = m_parts.known->kinOfOpenRun();
    const QString next = kin.resumedBy.isEmpty() ? QString() : kin.resumedBy.front().dir;
    m_parts.header->setKin(kin);
    m_parts.tabs->review()->ending()->setResumedBy(next);
    m_parts.actions->setResumedBy(next);
    m_parts.header->setTitle(m_parts.known->titleOfOpenRun());
}

void OpenRunDisplay::showTitles() {
    const RunSession* session = m_parts.opener->session();
    const RunView* view = session ? &session->view() : nullptr;
    const ConfigFile& file = *m_parts.tabs->config()->file();
    m_parts.tabs->setTitles(file.hasUnsavedEdits(), view);
    const QString explained = m_parts.tabs->page() == Page::Explain ? m_parts.tabs->explain()->title() : QString();
    const bool beside = m_parts.tabs->page() == Page::Explain ||
                        (m_parts.tabs->page() == Page::Configure && m_parts.tabs->config()->showsOtherRecipe());
    m_parts.header->setBeside(beside || m_parts.tabs->page() == Page::Runs);
    const QString run = view ? toQString(view->info.name) : QString();
    const QString shown = !explained.isEmpty()                         ? explained
                          : file.isOpen() && (beside || run.isEmpty()) ? file.title()
                                                                       : run;
    QString windowTitle =
        shown.isEmpty() ? QStringLiteral("Rankscope") : tr("%1 – Rankscope").arg(shown); // the page's subject
    // also shown by the task bar; without the time, which would change the title each second
    if (const RunStatus now = view ? RunStatus::of(view->info, view->incidents, view->behindSinceNs()) : RunStatus();
        now.isStalled())
        windowTitle = tr("Stalled by %1 – %2", "which ranks, title").arg(ranksText(now.stalled), windowTitle);
    m_parts.window->setWindowTitle(windowTitle);
}

} // namespace rankscope::ui
