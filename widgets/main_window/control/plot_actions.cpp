// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/control/plot_actions.h"

#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/control/page_tabs.h"
#include "widgets/main_window/control/run_opener.h"
#include "widgets/main_window/settings/window_settings.h"
#include "widgets/models/run/run_session.h"
#include "widgets/review/page/review_page.h"
#include "widgets/timeline/page/timeline_page.h"
#include "widgets/timeline/view/timeline_view.h"

#include <utility>

namespace rankscope::ui {

PlotActions::PlotActions(Actions* actions, RunOpener* opener, PageTabs* tabs, WindowSettings* settings)
    : m_actions(actions), m_opener(opener), m_tabs(tabs) {
    ReviewPage* review = m_tabs->review();
    connectSwitches(settings);
    connectZoom();
    m_actions->on(ActionId::NextAxis, review, &ReviewPage::nextAxis);
    m_actions->on(ActionId::ViewBack, review, &ReviewPage::goBack);
    m_actions->on(ActionId::ViewForward, review, &ReviewPage::goForward);
    m_actions->on(ActionId::Annotate, review, &ReviewPage::annotate);
    m_actions->on(ActionId::Follow, review, &ReviewPage::setFollow);
    m_actions->on(ActionId::AllRanks, this, [this] { solo(-1); });
    for (int rank = 0; rank <= 9; ++rank)
        connect(m_actions->solo(rank), &QAction::triggered, this, [this, rank] { solo(rank); });
    connect(m_opener, &RunOpener::changed, this, [this] { m_solo = -1; });
}

/// Connects log scale, smoothing and the axis, which also have switches on the page.
void PlotActions::connectSwitches(WindowSettings* settings) {
    struct Switch {
        ActionId act;
        bool WindowSettings::*kept;
        void (ReviewPage::*set)(bool);
        bool (ReviewPage::*get)() const;
    };
    static constexpr Switch switches[] = {
        {ActionId::LogScale, &WindowSettings::logScale, &ReviewPage::setLogScale, &ReviewPage::logScale},
        {ActionId::Smoothing, &WindowSettings::smoothing, &ReviewPage::setSmoothing, &ReviewPage::smoothing},
    };
    static constexpr std::pair<ActionId, CurveAxis> axes[] = {{ActionId::StepAxis, CurveAxis::Step},
                                                              {ActionId::TimeAxis, CurveAxis::Time},
                                                              {ActionId::SampleAxis, CurveAxis::SampleCount}};
    ReviewPage* review = m_tabs->review();
    for (const Switch& one : switches) {
        (review->*one.set)(settings->*one.kept);
        m_actions->on(one.act, review, one.set);
    }
    for (const auto& [act, axis] : axes)
        m_actions->on(act, review, [review, axis = axis] { review->setAxis(axis); });
    const auto show = [this, review, settings] {
        for (const auto& [act, axis] : axes)
            (*m_actions)[act]->setChecked(review->axis() == axis);
        for (const Switch& one : switches) {
            settings->*one.kept = (review->*one.get)();
            (*m_actions)[one.act]->setChecked(settings->*one.kept);
        }
        updateActions();
    };
    connect(review, &ReviewPage::switchesChanged, this, show);
    show();
}

/// Connects zoom and the jumps between incidents, which act on the visible page.
void PlotActions::connectZoom() {
    TimelineView* lanes = m_tabs->timeline()->view();
    const auto on = [this](ActionId act, void (ReviewPage::*review)(), auto timeline) {
        m_actions->on(act, this, [this, review, timeline] {
            if (m_tabs->page() == Page::Timeline)
                timeline();
            else
                (m_tabs->review()->*review)();
        });
    };
    on(ActionId::ZoomIn, &ReviewPage::zoomIn, [lanes] { lanes->zoomCentre(0.5); });
    on(ActionId::ZoomOut, &ReviewPage::zoomOut, [lanes] { lanes->zoomCentre(2); });
    on(ActionId::ZoomAll, &ReviewPage::zoomAll, [lanes] { lanes->zoomAll(); });
    on(ActionId::PreviousIncident, &ReviewPage::previousIncident, [lanes] { lanes->stepIncident(-1); });
    on(ActionId::NextIncident, &ReviewPage::nextIncident, [lanes] { lanes->stepIncident(1); });
}

void PlotActions::solo(int rank) {
    const RunSession* session = m_opener->session();
    if (rank >= 0 && session && rank >= session->view().info.worldSize)
        return m_tabs->showStatus(tr("There is no rank %1 in this run").arg(rank));
    if (rank < 0 && m_solo < 0)
        m_tabs->review()->zoomAll(); // pressing 0 again shows the whole run
    m_solo = rank == m_solo ? -1 : rank;
    m_tabs->review()->soloRank(m_solo);
    m_tabs->showStatus(m_solo < 0 ? tr("All ranks are shown") : tr("Only rank %1 is shown; 0 shows all").arg(m_solo));
}

/// Enables single-letter keys only on pages that have plots or lanes.
void PlotActions::updateActions() {
    const auto& acts = *m_actions;
    const RunSession* session = m_opener->session();
    const bool plots = session && m_tabs->page() == Page::Review, lanes = session && m_tabs->page() == Page::Timeline;
    for (int i = static_cast<int>(ActionId::Follow); i <= static_cast<int>(ActionId::Solo9); ++i)
        acts[static_cast<ActionId>(i)]->setEnabled(plots);
    acts[ActionId::SampleAxis]->setEnabled(plots && m_tabs->review()->hasAxis(CurveAxis::SampleCount));
    const bool live = session && launch::isLive(session->view().info.state);
    acts[ActionId::Follow]->setChecked(live && m_tabs->review()->follow());
    if (!lanes)
        return;
    for (const ActionId act :
         {ActionId::ZoomIn, ActionId::ZoomOut, ActionId::ZoomAll, ActionId::PreviousIncident, ActionId::NextIncident})
        acts[act]->setEnabled(true);
    acts[ActionId::Follow]->setEnabled(live);
}

} // namespace rankscope::ui
