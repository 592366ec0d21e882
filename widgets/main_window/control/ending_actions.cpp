// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/control/ending_actions.h"

#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/control/page_tabs.h"
#include "widgets/main_window/control/run_opener.h"
#include "widgets/models/failure/run_failure.h"
#include "widgets/models/run/run_session.h"
#include "widgets/review/page/review_page.h"
#include "widgets/run_end/missing_folder_notice.h"
#include "widgets/run_end/run_end_controller.h"

#include <QPointer>

#include <algorithm>

namespace rankscope::ui {

static constexpr qint64 kStepsBeforeEnd = 200; ///< steps shown before a failed run's end

EndingActions::EndingActions(Actions* actions, RunOpener* opener, PageTabs* tabs, MissingFolderNotice* gone)
    : m_actions(actions), m_opener(opener), m_tabs(tabs), m_gone(gone) {
    RunEndController* ending = m_tabs->review()->ending();
    connect(ending, &RunEndController::logRequested, this, [this](int rank) { m_tabs->showLog(rank, -1); });
    connect(ending, &RunEndController::detailRequested, m_tabs, &PageTabs::showIncident);
    connect(ending, &RunEndController::shownChanged, this, &EndingActions::update);
    connect(m_tabs->review(), &ReviewPage::switchesChanged, this, &EndingActions::update);
    m_actions->on(ActionId::ShowEnding, this, [this, ending](bool on) {
        ending->setShown(on);
        if (on)
            m_tabs->showPage(Page::Review);
    });
    m_actions->on(ActionId::ShowCheckpoints, this, [this](bool on) {
        m_tabs->review()->showCheckpoints(on);
        if (on)
            m_tabs->showPage(Page::Review);
    });
    m_actions->on(ActionId::ShowAnnotations, this, [this](bool on) {
        m_tabs->review()->showAnnotations(on);
        if (on)
            m_tabs->showPage(Page::Review);
    });
    connect(m_gone, &MissingFolderNotice::closeRequested, m_opener, &RunOpener::close);
    connect(m_gone, &MissingFolderNotice::checkAgainRequested, this, [this] {
        if (m_opener->session())
            m_opener->session()->refresh();
    });
    connect(m_opener, &RunOpener::changed, this, [this] { m_endSeen = m_endWatched = false; });
}

void EndingActions::update() {
    const auto& acts = *m_actions;
    const RunView* view = m_opener->session() ? &m_opener->session()->view() : nullptr;
    const RunEndController& ending = *m_tabs->review()->ending();
    const bool gone = view && view->goneRealtimeNs != 0;
    m_gone->setGone(m_opener->dir(), view ? view->goneRealtimeNs : 0);
    acts[ActionId::ShowEnding]->setEnabled(ending.hasEnding());
    acts[ActionId::ShowEnding]->setChecked(ending.hasEnding() && ending.isShown());
    acts[ActionId::ShowCheckpoints]->setEnabled(view != nullptr);
    acts[ActionId::ShowCheckpoints]->setChecked(m_tabs->review()->checkpointsShown());
    acts[ActionId::ShowAnnotations]->setEnabled(view != nullptr);
    acts[ActionId::ShowAnnotations]->setChecked(m_tabs->review()->annotationsShown());
    acts[ActionId::ExportWeights]->setEnabled(view && !gone && !ending.weightsFile().isEmpty());
    if (!view || m_endSeen || view->nowNs == 0)
        return;
    if (launch::isLive(view->info.state)) {
        m_endWatched = true;
    } else if (ending.hasEnding() && !view->summaries.empty()) {
        m_endSeen = true;
        showEnd(*view);
    }
}

/// Shows a failed run at its end, or as a whole if it is short. The view is kept if the user watched it fail.
void EndingActions::showEnd(const RunView& view) {
    const auto* fatal = fatalIncident(view);
    const qint64 end = std::max(view.step, fatal ? fatal->step : -1);
    if (!failureOf(view))
        return;
    // deferred until the pages have the view, too
    QMetaObject::invokeMethod(
        this,
        [this, session = QPointer(m_opener->session()), end, id = fatal ? fatal->id : 0, watched = m_endWatched] {
            if (!session || session != m_opener->session())
                return;
            if (end > kStepsBeforeEnd && !watched)
                m_tabs->review()->showSteps(end - kStepsBeforeEnd, end);
            if (id != 0)
                m_tabs->review()->selectIncident(id);
        },
        Qt::QueuedConnection);
}

} // namespace rankscope::ui
